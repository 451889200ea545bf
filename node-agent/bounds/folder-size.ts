/** The disk space that a browser's files take. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** As `du` counts: a sparse file takes only the blocks it has. */
const blockBytes = 512

/** Files removed during the count are ignored. */
export async function folderBytes(dir: string): Promise<number> {
  let bytes = 0
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) bytes += await folderBytes(path)
    const stats = await lstat(path).catch(() => undefined)
    bytes += (stats?.blocks ?? 0) * blockBytes
  }
  return bytes
}
