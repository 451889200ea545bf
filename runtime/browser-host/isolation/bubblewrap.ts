/**
 * The namespaces of one browser, or of one process of its desktop, created by bubblewrap: it sees the
 * system's programs, libraries, fonts and certificates, read-only, and its own folders. Other files,
 * processes and unix sockets of the host are not visible.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { packageRoot } from '../../lib/package.ts'

/** Folders of one browser; paths are the same inside and outside unless stated otherwise. */
export interface BrowserFolders {
  /** Writable paths. */
  readonly own: readonly string[]
  /** Readable paths. */
  readonly shown: readonly string[]
  /** The host's folder that becomes its /tmp. */
  readonly tmp: string
  /** A folder of the system that holds these files alone. */
  readonly replaced?: ShownFolder
  /** Sockets of servers that it may connect to. */
  readonly sockets: readonly ShownSocket[]
  /**
   * True if it stays in the IPC namespace that it is started in, which it shares with its X server.
   * Without shared memory, a page that repaints the whole screen gets 17 instead of 23 frames a second.
   */
  readonly sharesMemory: boolean
}

export interface ShownFolder {
  readonly at: string
  readonly files: readonly ShownFile[]
}

export interface ShownFile {
  /** Its path on the host. */
  readonly from: string
  readonly name: string
}

export interface ShownSocket {
  /** Its path on the host. */
  readonly from: string
  /** Its path inside: in a folder of the browser's /tmp. */
  readonly at: string
}

/** `/bin` and the like are links into /usr on current systems, and folders on older ones. */
const roots = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** Files of /etc for libraries, fonts and the time zone. No accounts, no secrets. */
const settings = ['ld.so.cache', 'alternatives', 'fonts', 'localtime', 'mime.types']

/** For browsers alone: files of /etc for hosts and certificates. */
const browserSettings = [
  ...['ssl', 'ca-certificates', 'pki', 'crypto-policies'],
  ...['resolv.conf', 'hosts', 'host.conf', 'nsswitch.conf', 'gai.conf'],
  'chromium.d',
]

/** Where browsers of the Chromium family read their operator's policies. */
const policyRoots = ['/etc/chromium', '/etc/opt/chrome']
const policy = join(packageRoot, 'runtime', 'browser-host', 'isolation', 'policy.json')

const namespaces = [
  ...['--unshare-user', '--uid', '1000', '--gid', '1000'],
  ...['--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'],
  // The host's name is hidden too.
  ...['--hostname', 'browser'],
]

/** Precedes a program on the command line, followed by {@link folderArgs}. Reads the file system once. */
export function systemArgs(): readonly string[] {
  return [
    'bwrap',
    ...namespaces,
    ...['--ro-bind', '/usr', '/usr'],
    ...roots.flatMap(rootArgs),
    ...settings.flatMap((name) => bindReadOnly(`/etc/${name}`)),
    ...bindReadOnly('/var/cache/fontconfig'),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/run'],
  ]
}

/** The same for a browser. */
export function browserSystemArgs(chromium: string): readonly string[] {
  return [
    ...systemArgs(),
    ...browserSettings.flatMap((name) => bindReadOnly(`/etc/${name}`)),
    ...policyRoots.flatMap(policyArgs),
    ...programArgs(chromium),
  ]
}

export const folderArgs = ({
  own,
  shown,
  tmp,
  replaced,
  sockets,
  sharesMemory,
}: BrowserFolders): readonly string[] => [
  ...(replaced ? replacedArgs(replaced) : []),
  ...(sharesMemory ? [] : ['--unshare-ipc']),
  ...['--bind', tmp, '/tmp'],
  ...sockets.flatMap(({ from, at }) => ['--dir', dirname(at), '--ro-bind', from, at]),
  ...own.flatMap((path) => ['--bind', path, path]),
  ...shown.flatMap((path) => ['--ro-bind', path, path]),
]

/** What is bound was found before the folder is hidden: sources of bubblewrap are paths of the host. */
const replacedArgs = ({ at, files }: ShownFolder): readonly string[] => [
  ...['--tmpfs', at],
  ...files.flatMap(({ from, name }) => ['--ro-bind', from, join(at, name)]),
]

function rootArgs(path: string): readonly string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return []
  return stat.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/**
 * A link's target may not be visible inside, as with resolv.conf, so the target itself is bound.
 */
const bindReadOnly = (path: string): readonly string[] => ['--ro-bind-try', realOf(path), path]

/** The operator's own policies stay in force beside ours. */
function policyArgs(root: string): readonly string[] {
  const managed = join(root, 'policies', 'managed')
  return [
    ...namesIn(root)
      .filter((name) => name !== 'policies')
      .flatMap((name) => bindReadOnly(join(root, name))),
    ...bindReadOnly(join(root, 'policies', 'recommended')),
    ...namesIn(managed).flatMap((name) => bindReadOnly(join(managed, name))),
    ...['--ro-bind', policy, join(managed, 'troupe.json')],
  ]
}

/** For a Chromium elsewhere: the folder of the program, and that of its link target. */
function programArgs(chromium: string): readonly string[] {
  const program = programPath(chromium)
  if (program === undefined) return []
  const folders = new Set([dirname(program), dirname(realOf(program))])
  return [...folders]
    .filter((folder) => !`${folder}/`.startsWith('/usr/') && !roots.includes(folder))
    .flatMap((folder) => ['--ro-bind', folder, folder])
}

/** Searches PATH like a shell; undefined if not found. */
function programPath(name: string): string | undefined {
  if (name.includes('/')) return isAbsolute(name) && existsSync(name) ? name : undefined
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It does not exist, and bubblewrap skips it.
    return path
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The folder does not exist.
    return []
  }
}
