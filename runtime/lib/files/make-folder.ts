/**
 * Creates a folder and those above it. Node's own `recursive` never returns below `/proc`, where a
 * folder that exists takes no new ones and the kernel says "does not exist".
 */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Folders that it creates are readable by their owner only. */
export function makePrivateFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(folder)
  if (!existsSync(parent)) makePrivateFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process has created it meanwhile.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
    throw error
  }
}
