/**
 * The socket of an X server. Without the sandbox, all displays of a machine share its folder, and a
 * killed server leaves its socket there. The number may belong to another server a moment later, so
 * the name is removed only if no server listens on it.
 */
import { readFile, rm } from 'node:fs/promises'

/** Where clients look for an X server's socket, by display number. */
export const socketFolder = '/tmp/.X11-unix'

export const xSocketOf = (display: number, folder = socketFolder) => `${folder}/X${display}`

export async function removeDeadSocket(path: string): Promise<void> {
  const listening = await readFile('/proc/net/unix', 'utf8')
  if (listening.split('\n').some((line) => line.endsWith(` ${path}`))) return
  await rm(path, { force: true })
}
