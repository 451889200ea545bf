/**
 * Pictures of one slice that wait for the encoder, in a file: for each its wall-clock time in ms (a
 * double) and its length (32 bits), then the JPEG. What an agent that was killed has left can be read
 * up to the picture that it was writing.
 */
import { open, type FileHandle } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { contained } from '../../runtime/lib/network/contained.ts'

export interface Picture {
  /** Wall-clock ms. */
  readonly atMs: number
  readonly jpeg: Uint8Array
}

const headBytes = 12

/** Callers write one picture at a time. */
export class Spool {
  readonly #file: FileHandle

  private constructor(file: FileHandle) {
    this.#file = file
  }

  static async create(path: string): Promise<Spool> {
    return new Spool(await open(path, 'wx', 0o600))
  }

  async add({ atMs, jpeg }: Picture): Promise<void> {
    const head = Buffer.alloc(headBytes)
    head.writeDoubleLE(atMs)
    head.writeUInt32LE(jpeg.byteLength, 8)
    const bytes = headBytes + jpeg.byteLength
    const { bytesWritten } = await this.#file.writev([head, jpeg])
    // The rest would follow the next picture; `readSpool` ends here.
    if (bytesWritten < bytes) throw new Error('the disk took a part of a picture only')
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/** All whole pictures, oldest first. */
export async function* readSpool(path: string): AsyncGenerator<Picture> {
  let rest = Buffer.alloc(0)
  for await (const chunk of contained(createReadStream(path)) as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      if (rest.byteLength < headBytes) break
      const end = headBytes + rest.readUInt32LE(8)
      if (rest.byteLength < end) break
      yield { atMs: rest.readDoubleLE(0), jpeg: rest.subarray(headBytes, end) }
      rest = rest.subarray(end)
    }
  }
}
