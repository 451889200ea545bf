/** Trees as only a hostile program makes them. */
import { closeSync, constants, mkdirSync, openSync } from 'node:fs'

/**
 * Makes folders one in the other, with names of 200 letters: from 20 on, no call of the kernel takes
 * the path. Returns a descriptor of the innermost.
 */
export function makeNestedFolders(dir: string, depth: number): number {
  let folder = openSync(dir, constants.O_DIRECTORY)
  for (let level = 0; level < depth; level++) {
    const inner = `/proc/self/fd/${folder}/${'n'.repeat(200)}`
    mkdirSync(inner)
    const next = openSync(inner, constants.O_DIRECTORY)
    closeSync(folder)
    folder = next
  }
  return folder
}
