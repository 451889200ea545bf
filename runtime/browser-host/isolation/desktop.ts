/**
 * The namespaces that a browser shares with its desktop. An X server and its clients exchange images
 * through System V shared memory, which is visible within one IPC namespace. The X server is started
 * first and creates the namespace; the browser, the window manager and the VNC server join it before
 * each gets its own isolation. The kernel frees the memory when the last of them ends.
 */
import { folderArgs, systemArgs } from './bubblewrap.ts'
import { canRun } from './sandbox.ts'

/** All paths except `tmp` are the same inside and outside. */
export interface DesktopFolders {
  /** The host's folder that becomes /tmp of all processes of the desktop, with their sockets. */
  readonly tmp: string
  /** Readable paths. */
  readonly shown: readonly string[]
}

export interface DesktopIsolation {
  /** Precedes the X server on its command line. */
  first(folders: DesktopFolders): readonly string[]
  /** Precedes another process of the desktop; `xServer` is the pid of the process started with `first`. */
  beside(xServer: number, folders: DesktopFolders): readonly string[]
  /** Precedes everything else on the command line of the browser. */
  browser(xServer: number): readonly string[]
}

const making = ['unshare', '--user', '--map-root-user', '--ipc']

const joining = (xServer: number): readonly string[] => [
  ...['nsenter', `--target=${xServer}`, '--user', '--preserve-credentials', '--ipc'],
]

/**
 * With `hasOwnNetwork`, the desktop has an empty network namespace too. Otherwise its X server must
 * be in the same network as the browser, because X clients first try the abstract socket of a
 * display's number, which belongs to a network namespace.
 */
export function desktopIsolation(hasOwnNetwork: boolean): DesktopIsolation {
  const system = systemArgs()
  const network = hasOwnNetwork ? ['--net'] : []
  const isolated = ({ tmp, shown }: DesktopFolders) => [
    ...system,
    ...folderArgs({ own: [], shown, tmp, sockets: [], sharesMemory: true }),
  ]
  return {
    first: (folders) => [...making, ...network, ...isolated(folders)],
    beside: (xServer, folders) => [...joining(xServer), ...network, ...isolated(folders)],
    browser: joining,
  }
}

/** True if the namespaces can be created, joined by a program, and nested. */
export const canShareNamespaces = (within: readonly string[]): boolean =>
  canRun([...making, 'sh', '-c', join, 'sh', ...within])

/** A process cannot join the user namespace that it is in already, so only the IPC namespace is tried. */
const join = 'unshare --ipc nsenter --target="$$" --ipc "$@"'
