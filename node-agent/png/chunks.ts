/** The parts of a PNG file: https://www.w3.org/TR/png-3/#5DataRep. */
import { crc32 } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Length and type before the data, the checksum after it. */
const chunkFrame = { before: 8, after: 4 }

export interface PngHeader {
  readonly width: number
  readonly height: number
  /** 2 is RGB, 6 is RGB with alpha; eight bits each. */
  readonly colourType: 2 | 6
}

/** @param data The compressed rows, in any number of parts. */
export function pngOf(header: PngHeader, data: readonly Uint8Array[]): Buffer {
  const { width, height, colourType } = header
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, colourType, 0, 0, 0], 8) // Eight bits of each colour; not interlaced.
  return Buffer.concat([
    signature,
    ...chunk('IHDR', head),
    ...data.flatMap((part) => chunk('IDAT', part)),
    ...chunk('IEND', Buffer.alloc(0)),
  ])
}

/**
 * Reads a picture of Chromium's: eight bits of each colour, not interlaced.
 *
 * @throws Error for any other file.
 */
export function readPng(file: Uint8Array): { header: PngHeader; data: Buffer } {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (!bytes.subarray(0, signature.length).equals(signature)) throw new Error('This is not a PNG.')
  let header: PngHeader | undefined
  const data: Buffer[] = []
  let at = signature.length
  while (at + chunkFrame.before <= bytes.length) {
    const type = bytes.toString('latin1', at + 4, at + chunkFrame.before)
    const from = at + chunkFrame.before
    const to = from + bytes.readUInt32BE(at)
    if (type === 'IHDR') header = headerIn(bytes.subarray(from, to))
    if (type === 'IDAT') data.push(bytes.subarray(from, to))
    at = to + chunkFrame.after
  }
  if (!header) throw new Error('This PNG has no header.')
  return { header, data: Buffer.concat(data) }
}

function headerIn(bytes: Buffer): PngHeader {
  const [bits, colourType, , , interlaced] = bytes.subarray(8)
  if (bits !== 8 || (colourType !== 2 && colourType !== 6) || interlaced !== 0) {
    throw new Error(`A PNG of ${bits} bits and colour type ${colourType} is not read here.`)
  }
  return { width: bytes.readUInt32BE(0), height: bytes.readUInt32BE(4), colourType }
}

function chunk(type: string, data: Uint8Array): readonly Uint8Array[] {
  const head = Buffer.alloc(chunkFrame.before)
  head.writeUInt32BE(data.length, 0)
  head.write(type, 4, 'latin1')
  const sum = Buffer.alloc(chunkFrame.after)
  sum.writeUInt32BE(crc32(data, crc32(head.subarray(4))) >>> 0)
  return [head, data, sum]
}
