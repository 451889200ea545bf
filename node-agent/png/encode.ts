/**
 * A PNG of a screen. Each byte is told by its difference to the pixel above, which on a screen is
 * mostly none; deflate at its fastest, on a thread of its own, does the rest.
 */
import { promisify } from 'node:util'
import { constants, deflate } from 'node:zlib'
import { pngOf } from './chunks.ts'

const deflated = promisify(deflate)
const filterUp = 2

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** From pixels of four bytes: blue, green, red and one to spare. */
export async function encodePng(pixels: Uint8Array, size: ImageSize): Promise<Uint8Array> {
  const { Z_BEST_SPEED: level } = constants
  const data = await deflated(filterRows(pixels, size), { level })
  return pngOf({ ...size, colourType: 2 }, [data])
}

/** Blocks the thread, for some 15 ms a screen: hence plain loops, and no look above the first row. */
function filterRows(pixels: Uint8Array, { width, height }: ImageSize): Uint8Array {
  const stride = width * 4
  const blank = new Uint8Array(stride)
  const out = new Uint8Array(height * (1 + width * 3))
  let to = 0
  for (let row = 0; row < height; row++) {
    const own = pixels.subarray(row * stride, (row + 1) * stride)
    const above = row === 0 ? blank : pixels.subarray((row - 1) * stride, row * stride)
    out[to] = filterUp
    for (let at = 0; at < stride; at += 4) {
      out[to + 1] = own[at + 2]! - above[at + 2]!
      out[to + 2] = own[at + 1]! - above[at + 1]!
      out[to + 3] = own[at]! - above[at]!
      to += 3
    }
    to++
  }
  return out
}
