/**
 * The namespaces that a browser shares with its desktop. An X server and its clients pass pictures
 * through System V memory, which is seen within one IPC namespace. The X server is started first and
 * makes it; the browser, the window manager and the VNC server are entered into it before each goes
 * behind walls of its own. What is in that memory goes with the last of them, however they end.
 */
import { folderArgs, systemArgs } from './bubblewrap.ts'
import { canRun } from './sandbox.ts'

/** All paths are the same inside and outside, but that of `tmp`. */
export interface DesktopFolders {
  /** The /tmp of all processes of the desktop: their sockets lie there. */
  readonly tmp: string
  /** They may read here. */
  readonly shown: readonly string[]
}

export interface DesktopIsolation {
  /** Comes before the X server on its command line. */
  first(folders: DesktopFolders): readonly string[]
  /** Comes before another process of the desktop; `xServer` is the pid that `first` was given. */
  beside(xServer: number, folders: DesktopFolders): readonly string[]
  /** Comes before all else on the command line of the browser. */
  browser(xServer: number): readonly string[]
}

const making = ['unshare', '--user', '--map-root-user', '--ipc']

const joining = (xServer: number): readonly string[] => [
  ...['nsenter', `--target=${xServer}`, '--user', '--preserve-credentials', '--ipc'],
]

/**
 * With `hasOwnNetwork` the desktop has an empty network too. Without, its X server must be in the
 * browser's network: a client looks for a display's number among that network's names first.
 */
export function desktopIsolation(hasOwnNetwork: boolean): DesktopIsolation {
  const system = systemArgs()
  const network = hasOwnNetwork ? ['--net'] : []
  const walls = ({ tmp, shown }: DesktopFolders) => [
    ...system,
    ...folderArgs({ own: [], shown, tmp, sockets: [], sharesMemory: true }),
  ]
  return {
    first: (folders) => [...making, ...network, ...walls(folders)],
    beside: (xServer, folders) => [...joining(xServer), ...network, ...walls(folders)],
    browser: joining,
  }
}

/** Whether the namespaces can be made, joined by a program, and others made within. */
export const canShareNamespaces = (within: readonly string[]): boolean =>
  canRun([...making, 'sh', '-c', join, 'sh', ...within])

/** A process cannot enter the user namespace it is in, so of the two only the other is tried. */
const join = 'unshare --ipc nsenter --target="$$" --ipc "$@"'
