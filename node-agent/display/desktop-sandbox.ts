/**
 * Where the processes of one desktop run. In the sandbox, their /tmp is a folder of their browser,
 * which holds their sockets. On the host, all X servers share one socket folder.
 */
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DesktopIsolation } from '../../runtime/browser-host/isolation/desktop.ts'
import type { ScratchDirs } from '../files/scratch.ts'
import { socketFolder } from './x-socket.ts'

export interface DesktopSandbox {
  /** The path of `scratch.desktop` as these processes see it. */
  readonly folder: string
  /** The folder of the X server's socket, as this agent sees it. */
  readonly xSockets: string
  /** Command-line prefix of the X server. */
  readonly first: readonly string[]
  /** Command-line prefix of an X client, given the pid of the X server. */
  beside(xServer: number): readonly string[]
  /** Command-line prefix of the browser, given the pid of the X server. */
  browser(xServer: number): readonly string[]
  /** Whether the kernel frees the processes' shared memory even when they are killed. */
  readonly freesMemory: boolean
}

export async function makeDesktopSandbox(
  { desktop, tmpLink, authority }: ScratchDirs,
  sandbox: DesktopIsolation | undefined,
): Promise<DesktopSandbox> {
  await mkdir(desktop)
  const folder = join(tmpLink, 'desktop')
  if (!sandbox) return { ...unsandboxed, folder }
  // An X server that does not run as root does not create this folder.
  await mkdir(join(desktop, basename(socketFolder)))
  const folders = { tmp: desktop, shown: [authority] }
  return {
    folder: '/tmp',
    xSockets: join(folder, basename(socketFolder)),
    first: sandbox.first(folders),
    beside: (xServer) => sandbox.beside(xServer, folders),
    browser: (xServer) => sandbox.browser(xServer),
    freesMemory: true,
  }
}

const unsandboxed: Omit<DesktopSandbox, 'folder'> = {
  xSockets: socketFolder,
  first: [],
  beside: () => [],
  browser: () => [],
  freesMemory: false,
}
