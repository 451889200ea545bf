/**
 * An X server's socket lies in a folder that all displays of a machine share, and a server that was
 * killed leaves it. Its number may belong to another server a moment later, so the name is removed
 * only when nobody listens there.
 */
import { readFile, rm } from 'node:fs/promises'

export const xSocketOf = (display: number) => `/tmp/.X11-unix/X${display}`

export async function removeDeadSocket(path: string): Promise<void> {
  const listening = await readFile('/proc/net/unix', 'utf8')
  if (listening.split('\n').some((line) => line.endsWith(` ${path}`))) return
  await rm(path, { force: true })
}
