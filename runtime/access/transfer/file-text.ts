/**
 * The text of a file in the encodings that spreadsheets write: UTF-8, UTF-16 with its mark, and
 * Windows-1252, which is what a file in Western languages is if it is not UTF-8. Anything else is
 * refused, since a wrong guess would be stored as broken letters.
 */
import type { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { ServiceError } from '../../../proto/errors.ts'

export type FileEncoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252'

/** What files start with that are no text. */
const binaries: readonly (readonly [string, string])[] = [
  ['504b0304', 'is a workbook (.xlsx) or a zip archive; save the table as CSV first'],
  ['d0cf11e0', 'is an Excel workbook (.xls); save the table as CSV first'],
]

/** Reads the whole file, because its last byte may be the one that is not UTF-8. */
export async function encodingOf(input: Readable): Promise<FileEncoding> {
  let decoder: TextDecoder | undefined
  let marked: FileEncoding | undefined
  let [isUtf8, isWindows1252] = [true, true]
  for await (const chunk of chunksOf(input)) {
    if (!decoder) {
      marked = markOf(chunk)
      decoder = new TextDecoder(marked ?? 'UTF-8', { fatal: true })
    }
    isUtf8 &&= isValid(decoder, chunk, true)
    isWindows1252 &&= !undefined1252.some((byte) => chunk.includes(byte))
    if ((marked === undefined || marked === 'UTF-8') && chunk.includes(0)) {
      throw refused('is not text (it has NUL bytes); save it as UTF-8')
    }
  }
  if (decoder) isUtf8 &&= isValid(decoder, new Uint8Array(), false)
  if (isUtf8) return marked ?? 'UTF-8'
  if (marked !== undefined) throw refused(`says that it is ${marked}, but is not; save it as UTF-8`)
  if (isWindows1252) return 'Windows-1252'
  throw refused('is neither UTF-8 nor Windows-1252; save it as UTF-8')
}

function isValid(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): boolean {
  try {
    decoder.decode(bytes, { stream })
    return true
  } catch {
    return false
  }
}

function markOf(first: Uint8Array): FileEncoding | undefined {
  const hex = Buffer.from(first.subarray(0, 4)).toString('hex')
  const binary = binaries.find(([start]) => hex.startsWith(start))
  if (binary) throw refused(binary[1])
  if (hex.startsWith('efbbbf')) return 'UTF-8'
  if (hex.startsWith('fffe')) return 'UTF-16LE'
  return hex.startsWith('feff') ? 'UTF-16BE' : undefined
}

/** The characters of the bytes 0x80 to 0x9f in Windows-1252; a space stands where there is none. */
const windows1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'
const undefined1252: readonly number[] = [0x81, 0x8d, 0x8f, 0x90, 0x9d]

/** Without the mark of the encoding. */
export async function* decodedText(input: Readable, encoding: FileEncoding): AsyncIterable<string> {
  if (encoding === 'Windows-1252') {
    for await (const chunk of chunksOf(input)) yield fromWindows1252(chunk)
    return
  }
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const chunk of chunksOf(input)) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** Written out, because some versions of Node decode Windows-1252 as Latin-1. */
const fromWindows1252 = (chunk: Uint8Array): string =>
  Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    .toString('latin1')
    .replaceAll(/[\x80-\x9f]/g, (letter) => windows1252[letter.charCodeAt(0) - 0x80] ?? ' ')

async function* chunksOf(input: Readable): AsyncIterable<Uint8Array> {
  for await (const chunk of input) {
    if (!(chunk instanceof Uint8Array)) throw new Error('the file must be read as bytes')
    if (chunk.length > 0) yield chunk
  }
}

const refused = (text: string) => new ServiceError('validation_failed', text)
