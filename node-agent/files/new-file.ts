/** A stream into a file that is not there yet. */
import { createWriteStream } from 'node:fs'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * The bytes written. Over, well or not, only when the file has been closed: a pipeline that fails
 * at once has failed before its file was opened, and a file taken away then would appear after it.
 */
export async function writeNewFile(
  path: string,
  content: Readable,
  through: Transform,
): Promise<number> {
  const file = createWriteStream(path, { flags: 'wx' })
  const closed = new Promise<void>((resolve) => file.once('close', resolve))
  try {
    await pipeline(content, through, file)
  } finally {
    await closed
  }
  return file.bytesWritten
}
