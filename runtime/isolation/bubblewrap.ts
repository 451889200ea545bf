/**
 * The namespaces of one browser, or of one process of its desktop, as bubblewrap makes them: it sees
 * the programs, libraries, fonts and certificates of the system, read-only, and its own folders. Of the
 * host's other files, processes and sockets in folders there is nothing.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { packageRoot } from '../package.ts'

/** What one browser has of its own; paths are the same inside and outside where nothing else is said. */
export interface BrowserFolders {
  /** It may write here. */
  readonly own: readonly string[]
  /** It may read here. */
  readonly shown: readonly string[]
  /** Its /tmp. */
  readonly tmp: string
  /** Of servers that it may speak to. */
  readonly sockets: readonly ShownSocket[]
  /**
   * Whether it stays in the IPC namespace that it is started in, which it shares with its X server:
   * without, a page that repaints all of a screen is shown 17 times a second instead of 23.
   */
  readonly sharesMemory: boolean
}

export interface ShownSocket {
  /** Where it lies on the host. */
  readonly from: string
  /** Where it is seen: in a folder of the browser's /tmp. */
  readonly at: string
}

/** `/bin` and its like are links into /usr on a system of today, folders on an older one. */
const roots = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** Of /etc: how to find libraries, fonts, the time. No accounts, no secrets. */
const settings = ['ld.so.cache', 'alternatives', 'fonts', 'localtime', 'mime.types']

/** For browsers alone: how to find hosts, certificates. */
const browserSettings = [
  ...['ssl', 'ca-certificates', 'pki', 'crypto-policies'],
  ...['resolv.conf', 'hosts', 'host.conf', 'nsswitch.conf', 'gai.conf'],
  'chromium.d',
]

/** Where browsers of the Chromium family look for what their operator orders. */
const policyRoots = ['/etc/chromium', '/etc/opt/chrome']
const policy = join(packageRoot, 'runtime', 'isolation', 'policy.json')

const namespaces = [
  ...['--unshare-user', '--uid', '1000', '--gid', '1000'],
  ...['--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'],
  // No name of the host's either.
  ...['--hostname', 'browser', '--die-with-parent'],
]

/** Comes before a program on the command line, followed by {@link folderArgs}. Reads the file system once. */
export function systemArgs(): readonly string[] {
  return [
    'bwrap',
    ...namespaces,
    ...['--ro-bind', '/usr', '/usr'],
    ...roots.flatMap(rootArgs),
    ...settings.flatMap((name) => shown(`/etc/${name}`)),
    ...shown('/var/cache/fontconfig'),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/run'],
  ]
}

/** The same for a browser. */
export function browserSystemArgs(chromium: string): readonly string[] {
  return [
    ...systemArgs(),
    ...browserSettings.flatMap((name) => shown(`/etc/${name}`)),
    ...policyRoots.flatMap(policyArgs),
    ...programArgs(chromium),
  ]
}

export const folderArgs = ({
  own,
  shown,
  tmp,
  sockets,
  sharesMemory,
}: BrowserFolders): readonly string[] => [
  ...(sharesMemory ? [] : ['--unshare-ipc']),
  ...['--bind', tmp, '/tmp'],
  ...sockets.flatMap(({ from, at }) => ['--dir', dirname(at), '--ro-bind', from, at]),
  ...own.flatMap((path) => ['--bind', path, path]),
  ...shown.flatMap((path) => ['--ro-bind', path, path]),
]

function rootArgs(path: string): readonly string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return []
  return stat.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/** A link may lead to where nothing is shown, as that of resolv.conf does: what it leads to is. */
const shown = (path: string): readonly string[] => ['--ro-bind-try', realOf(path), path]

/** The operator's own policies stay in force beside ours. */
function policyArgs(root: string): readonly string[] {
  const managed = join(root, 'policies', 'managed')
  return [
    ...namesIn(root)
      .filter((name) => name !== 'policies')
      .flatMap((name) => shown(join(root, name))),
    ...shown(join(root, 'policies', 'recommended')),
    ...namesIn(managed).flatMap((name) => shown(join(managed, name))),
    ...['--ro-bind', policy, join(managed, 'troupe.json')],
  ]
}

/** A Chromium that lies elsewhere: the folder of its program, and of what that is a link to. */
function programArgs(chromium: string): readonly string[] {
  const program = programPath(chromium)
  if (program === undefined) return []
  const folders = new Set([dirname(program), dirname(realOf(program))])
  return [...folders]
    .filter((folder) => !`${folder}/`.startsWith('/usr/') && !roots.includes(folder))
    .flatMap((folder) => ['--ro-bind', folder, folder])
}

/** As a shell would find it; undefined when it is nowhere. */
function programPath(name: string): string | undefined {
  if (name.includes('/')) return isAbsolute(name) && existsSync(name) ? name : undefined
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Nothing there; then nothing is shown.
    return path
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // No such folder.
    return []
  }
}
