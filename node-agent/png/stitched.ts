/**
 * A PNG of any height out of pictures of its slices. Chromium draws no picture higher than the
 * texture of a GPU; the slices are decompressed one at a time and go into one compressed stream, so
 * that the bitmap of the whole (230 MB for a page of 40,000 px) never exists.
 *
 * Rows keep their filters. Only the first row of a slice changes, because its filter may relate to
 * the row above, of which there is none in the slice (PNG counts it as zero) but one in the whole.
 */
import { once } from 'node:events'
import { promisify } from 'node:util'
import { createDeflate, inflate } from 'node:zlib'
import { pngOf, readPng, type PngHeader } from './chunks.ts'

const inflated = promisify(inflate)
const filters = { none: 0, sub: 1, up: 2, average: 3, paeth: 4 }

export class StitchedPng {
  readonly #rows = createDeflate()
  readonly #parts: Buffer[] = []
  #first: PngHeader | undefined
  #height = 0
  #bytes = 0

  constructor() {
    this.#rows.on('data', (part: Buffer) => {
      this.#parts.push(part)
      this.#bytes += part.length
    })
  }

  /** Of the file, as far as it is written. */
  get bytes(): number {
    return this.#bytes
  }

  /** @throws Error if the slice is as wide as the ones before are not. */
  async add(slice: Uint8Array): Promise<void> {
    const { header, data } = readPng(slice)
    this.#first ??= header
    const { width, colourType } = this.#first
    if (header.width !== width || header.colourType !== colourType) {
      throw new Error('The slices of a picture differ in width or colours.')
    }
    const rows = await inflated(data)
    withoutRowAbove(rows.subarray(0, rows.length / header.height), colourType === 6 ? 4 : 3)
    this.#height += header.height
    if (!this.#rows.write(rows)) await once(this.#rows, 'drain')
  }

  async end(): Promise<Buffer> {
    if (!this.#first) throw new Error('A picture has at least one slice.')
    this.#rows.end()
    await once(this.#rows, 'end')
    return pngOf({ ...this.#first, height: this.#height }, this.#parts)
  }

  /** Frees the memory of a picture that is given up. */
  discard(): void {
    this.#rows.destroy()
  }
}

/**
 * Changes the filter of a first row to one that does not look at the row above. Where that row is
 * zero, Up adds nothing, and Paeth predicts the pixel to the left, as Sub does.
 */
function withoutRowAbove(row: Uint8Array, pixelBytes: number): void {
  if (row[0] === filters.up) row[0] = filters.none
  if (row[0] === filters.paeth) row[0] = filters.sub
  if (row[0] !== filters.average) return
  row[0] = filters.none
  for (let at = 1 + pixelBytes; at < row.length; at++) row[at]! += row[at - pixelBytes]! >> 1
}
