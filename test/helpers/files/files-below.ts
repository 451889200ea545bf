import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Paths of all files below a folder in which a service works. Node's own recursive `readdirSync`
 * throws when a folder is removed between being named and being read, as those of an ended browser are.
 */
export function filesBelow(folder: string): string[] {
  const entries = ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? []
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}

/** The bytes of a file, one character each, so that text in it can be searched; '' if it is gone. */
export const bytesAsText = (path: string): string =>
  ifThere(() => readFileSync(path, 'latin1')) ?? ''

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
