import { readdirSync, readFileSync, type Dirent } from 'node:fs'
import { join } from 'node:path'

/**
 * All entries below a folder in which a service works. Node's own recursive `readdirSync` throws
 * when a folder is removed between being named and being read, as those of an ended browser are.
 */
function entriesBelow(folder: string): Dirent[] {
  const entries = ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? []
  return entries.flatMap((entry) =>
    entry.isDirectory() ? [entry, ...entriesBelow(pathOf(entry))] : [entry],
  )
}

const pathOf = ({ parentPath, name }: Dirent) => join(parentPath, name)

/** Paths of all files, folders, links and sockets below a folder. */
export const pathsBelow = (folder: string): string[] => entriesBelow(folder).map(pathOf)

/** Paths of all files below a folder. */
export const filesBelow = (folder: string): string[] =>
  entriesBelow(folder)
    .filter((entry) => entry.isFile())
    .map(pathOf)

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
