/** Writes a stream to a new file. */
import { createWriteStream } from 'node:fs'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { contained } from '../../runtime/lib/network/contained.ts'

/**
 * Resolves with the number of bytes. Settles only after the file was closed: a pipeline may fail
 * before its file is opened, and a file deleted at that moment would appear afterwards.
 */
export async function writeNewFile(
  path: string,
  content: Readable,
  through: Transform,
): Promise<number> {
  const file = contained(createWriteStream(path, { flags: 'wx' }))
  const closed = new Promise<void>((resolve) => file.once('close', resolve))
  try {
    await pipeline(content, through, file)
  } finally {
    await closed
  }
  return file.bytesWritten
}
