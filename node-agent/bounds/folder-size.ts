/**
 * The disk space that the files in a browser's folder take. The browser is not trusted to make an
 * ordinary tree: folders are read by descriptor, and a tree that cannot be counted is an overrun.
 */
import { lstat } from 'node:fs/promises'
import { namesIn, openFolder, pathIn } from '../../runtime/lib/files/open-folder.ts'
import { filesOverrun, nestingOverrun, unreadableOverrun } from './overruns.ts'
import { boundsLimits } from './limits.ts'

/** As `du` counts: a sparse file takes only the blocks it has. */
export const blockBytes = 512

export type DiskUse = { readonly bytes: number } | { readonly overrun: string }

/** Files removed during the count are ignored. */
export async function folderUse(dir: string): Promise<DiskUse> {
  const tree = new TreeCount()
  const overrun = await tree.add(dir, 0)
  return overrun === undefined ? { bytes: tree.bytes } : { overrun }
}

class TreeCount {
  bytes = 0
  #entries = 0

  /** Returns why the folder cannot be counted. */
  async add(path: string | Buffer, depth: number): Promise<string | undefined> {
    if (depth > boundsLimits.sessionFolderDepth) return nestingOverrun
    const folder = await openFolder(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES') return unreadableOverrun
      if (isGone(error)) return undefined
      throw error
    })
    if (folder === undefined || typeof folder === 'string') return folder
    try {
      const inner: Buffer[] = []
      for await (const names of namesIn(folder, boundsLimits.filesAtOnce)) {
        this.#entries += names.length
        if (this.#entries > boundsLimits.sessionFiles) return filesOverrun
        const paths = names.map((name) => pathIn(folder, name))
        const all = await Promise.all(paths.map((each) => lstat(each).catch(() => undefined)))
        for (const [at, stats] of all.entries()) {
          this.bytes += (stats?.blocks ?? 0) * blockBytes
          if (stats?.isDirectory()) inner.push(paths[at]!)
        }
      }
      for (const each of inner) {
        const overrun = await this.add(each, depth + 1)
        if (overrun !== undefined) return overrun
      }
      return undefined
    } finally {
      await folder.close()
    }
  }
}

/** Removed, or replaced by something else, since its name was read. */
const isGone = ({ code }: NodeJS.ErrnoException) =>
  code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
