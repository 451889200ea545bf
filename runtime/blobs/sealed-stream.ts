/**
 * Encrypts a stream in chunks of 64 KiB, each with its number and whether it is the last one: chunks
 * cannot be exchanged, and a stream that was cut does not open. AES-256-GCM; the key is used for one
 * stream only, so a chunk's number is its nonce (the construction STREAM of Hoang, Reyhanitabar,
 * Rogaway and Vizár, 2015).
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { inPieces } from './pieces.ts'
import { blobLimits } from './limits.ts'

const cipher = 'aes-256-gcm'
const tagBytes = 16
const { sealedChunkBytes } = blobLimits

export const newBlobKey = (): Uint8Array => randomBytes(32)

/** Even an empty stream becomes one chunk. */
export async function* sealStream(
  key: Uint8Array,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  for await (const { piece, number, isLast } of numbered(inPieces(chunks, sealedChunkBytes))) {
    const sealing = createCipheriv(cipher, key, nonceOf(number, isLast))
    yield Buffer.concat([sealing.update(piece), sealing.final(), sealing.getAuthTag()])
  }
}

/** Throws {@link BlobDamaged} at the first chunk that is not as it was written. */
export async function* openStream(
  key: Uint8Array,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  const pieces = inPieces(chunks, sealedChunkBytes + tagBytes)
  for await (const { piece, number, isLast } of numbered(pieces)) {
    if (piece.byteLength < tagBytes) throw new BlobDamaged()
    const tagAt = piece.byteLength - tagBytes
    const opening = createDecipheriv(cipher, key, nonceOf(number, isLast))
    opening.setAuthTag(piece.subarray(tagAt))
    const open = opening.update(piece.subarray(0, tagAt))
    try {
      opening.final()
    } catch (cause) {
      throw new BlobDamaged(cause)
    }
    yield open
  }
}

export class BlobDamaged extends Error {
  constructor(cause?: unknown) {
    super('the stored bytes are not those that were written', { cause })
    this.name = 'BlobDamaged'
  }
}

/** Waits for the next piece, to know which one is the last; there is one at least. */
async function* numbered(pieces: AsyncIterable<Buffer>) {
  let held: Buffer = Buffer.alloc(0)
  let number = -1
  for await (const piece of pieces) {
    if (number >= 0) yield { piece: held, number, isLast: false }
    held = piece
    number++
  }
  yield { piece: held, number: Math.max(0, number), isLast: true }
}

function nonceOf(number: number, isLast: boolean): Uint8Array {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(number, 4)
  nonce[11] = isLast ? 1 : 0
  return nonce
}
