/**
 * Framing of messages over a byte stream, for requests and their answers: each message is preceded by
 * its length and the number of its request, both as 32-bit big-endian integers.
 */

/** An answer has the number of its request; each is used once per connection. */
export interface Frame {
  readonly exchange: number
  readonly message: Uint8Array
}

const headerBytes = 8

export function encodeFrame({ exchange, message }: Frame): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + message.byteLength)
  frame.writeUInt32BE(message.byteLength, 0)
  frame.writeUInt32BE(exchange, 4)
  frame.set(message, headerBytes)
  return frame
}

/** Collects the pieces of a stream into frames. */
export class FrameDecoder {
  readonly #maxBytes: number
  readonly #pieces: Buffer[] = []
  #bytes = 0
  /** Bytes of the header and the message that are being read. */
  #wanted = headerBytes

  /** `maxBytes`: the maximum size of a message. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Returns the frames that are complete with this piece. Throws for a message that is too long. */
  read(piece: Uint8Array): Frame[] {
    this.#pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    this.#bytes += piece.byteLength
    const frames: Frame[] = []
    while (this.#bytes >= this.#wanted) {
      const bytes = this.#joined()
      const end = headerBytes + bytes.readUInt32BE(0)
      if (end > headerBytes + this.#maxBytes) {
        throw new RangeError(`a message of ${end - headerBytes} bytes is too long`)
      }
      this.#wanted = end
      if (bytes.byteLength < end) break
      frames.push({ exchange: bytes.readUInt32BE(4), message: bytes.subarray(headerBytes, end) })
      this.#keep(bytes.subarray(end))
    }
    return frames
  }

  #joined(): Buffer {
    const bytes = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces)
    this.#pieces.splice(0, this.#pieces.length, bytes)
    return bytes
  }

  #keep(rest: Buffer): void {
    this.#pieces.splice(0, this.#pieces.length, ...(rest.byteLength > 0 ? [rest] : []))
    this.#bytes = rest.byteLength
    this.#wanted = headerBytes
  }
}
