/**
 * Where the processes of one desktop run: behind walls, where /tmp is a folder of their browser and
 * holds their sockets, or on the host as they are, where all X servers share a folder for theirs.
 */
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DesktopIsolation } from '../../runtime/browser-host/isolation/desktop.ts'
import type { ScratchDirs } from '../files/scratch.ts'
import { socketFolder } from './x-socket.ts'

export interface Place {
  /** The path of `scratch.desktop` as these processes see it. */
  readonly folder: string
  /** The folder of the X server's socket, as this agent sees it. */
  readonly xSockets: string
  /** Comes before the X server on its command line. */
  readonly first: readonly string[]
  /** Comes before a client of the X server that has this pid. */
  beside(xServer: number): readonly string[]
  /** Comes before all else on the command line of the browser, likewise. */
  browser(xServer: number): readonly string[]
  /** Whether the kernel frees the memory that they shared, even when they are killed. */
  readonly freesMemory: boolean
}

export async function makePlace(
  { desktop, tmpLink, authority }: ScratchDirs,
  walls: DesktopIsolation | undefined,
): Promise<Place> {
  await mkdir(desktop)
  const folder = join(tmpLink, 'desktop')
  if (!walls) return { ...onHost, folder }
  // An X server that is not root does not make it.
  await mkdir(join(desktop, basename(socketFolder)))
  const folders = { tmp: desktop, shown: [authority] }
  return {
    folder: '/tmp',
    xSockets: join(folder, basename(socketFolder)),
    first: walls.first(folders),
    beside: (xServer) => walls.beside(xServer, folders),
    browser: (xServer) => walls.browser(xServer),
    freesMemory: true,
  }
}

const onHost: Omit<Place, 'folder'> = {
  xSockets: socketFolder,
  first: [],
  beside: () => [],
  browser: () => [],
  freesMemory: false,
}
