/**
 * Opens files in folders that a browser writes to itself: a compromised one may replace a file by a
 * link to a file of the host, or by a pipe that never ends. So links are not followed and opening
 * never blocks.
 */
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'

const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Undefined if there is no plain file. */
export async function openPlain(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, openFlags).catch(() => undefined)
  if (!file) return undefined
  if ((await file.stat()).isFile()) return file
  await file.close()
  return undefined
}
