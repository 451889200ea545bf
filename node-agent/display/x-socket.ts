/**
 * An X server's socket lies in a folder that, without walls, all displays of a machine share, and a
 * server that was killed leaves it. Its number may belong to another server a moment later, so the
 * name is removed only if no server listens there.
 */
import { readFile, rm } from 'node:fs/promises'

/** Where clients look for an X server's socket, by the number of its display. */
export const socketFolder = '/tmp/.X11-unix'

export const xSocketOf = (display: number, folder = socketFolder) => `${folder}/X${display}`

export async function removeDeadSocket(path: string): Promise<void> {
  const listening = await readFile('/proc/net/unix', 'utf8')
  if (listening.split('\n').some((line) => line.endsWith(` ${path}`))) return
  await rm(path, { force: true })
}
