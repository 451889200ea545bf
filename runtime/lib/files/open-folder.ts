/**
 * Folders by descriptor, for trees that an untrusted program has made: `/proc/self/fd/<fd>/<name>`
 * is the kernel's `openat`, so no path is too long, and no part of it can be replaced by a link.
 * Names are bytes, one for each character: a name that is no UTF-8 would name another file.
 */
import { constants } from 'node:fs'
import { open, opendir, type FileHandle } from 'node:fs/promises'

const folderOnly = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Fails with `ENOTDIR` if it is a link. */
export const openFolder = (path: string | Buffer): Promise<FileHandle> => open(path, folderOnly)

export const pathIn = ({ fd }: FileHandle, name: string): Buffer =>
  Buffer.from(`/proc/self/fd/${fd}/${name}`, 'latin1')

/** Reads a few names at a time: a folder may have millions. */
export async function* namesIn({ fd }: FileHandle, batch: number): AsyncGenerator<string[]> {
  const folder = await opendir(`/proc/self/fd/${fd}`, { encoding: 'latin1', bufferSize: batch })
  let names: string[] = []
  for await (const { name } of folder) {
    if (names.push(name) < batch) continue
    yield names
    names = []
  }
  if (names.length > 0) yield names
}
