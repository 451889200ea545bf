/**
 * A PNG of a screen. Each byte is told by its difference to the pixel above, which on a screen is
 * mostly none; deflate at its fastest, on a thread of its own, does the rest.
 */
import { promisify } from 'node:util'
import { constants, crc32, deflate } from 'node:zlib'

const deflated = promisify(deflate)
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const filterUp = 2

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** From pixels of four bytes: blue, green, red and one to spare. */
export async function encodePng(pixels: Uint8Array, size: ImageSize): Promise<Uint8Array> {
  const { width, height } = size
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8) // Eight bits each of red, green and blue; not interlaced.
  const { Z_BEST_SPEED: level } = constants
  const data = await deflated(filterRows(pixels, size), { level })
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
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

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body) >>> 0)
  return Buffer.concat([length, body, sum])
}
