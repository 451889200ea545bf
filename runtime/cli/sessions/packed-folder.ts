/** A folder as a ZIP, in memory. */
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** Undefined if it is no folder. Throws if there is nothing. */
export async function packedFolder(folder: string): Promise<Buffer | undefined> {
  if (!(await stat(folder)).isDirectory()) return undefined
  const zip = new ZipFile()
  const packed = buffer(zip.outputStream)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    zip.addFile(path, relative(folder, path).split('\\').join('/'))
  }
  zip.end()
  return packed
}
