/** Whether a port can be listened on and, if not, which process of this machine has it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { containedServer } from '../../lib/network/contained.ts'

export interface PortHolder {
  readonly pid: number
  /** Its command line, with spaces between the arguments. */
  readonly command: string
}

/** Undefined if it can be listened on; port 0 always can. */
export function listenError(
  host: string,
  port: number,
): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = containedServer(createServer())
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

/** Undefined if the process cannot be seen: without root, those of other users cannot. */
export function portHolder(port: number): PortHolder | undefined {
  const inodes = new Set(['tcp', 'tcp6'].flatMap((table) => listeningInodes(table, port)))
  if (inodes.size === 0) return undefined
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (Number.isInteger(pid) && holdsSocket(pid, inodes)) return { pid, command: commandOf(pid) }
  }
  return undefined
}

/** The state of a socket that listens, in the kernel's tables (proc(5)). */
const listening = '0A'

function listeningInodes(table: string, port: number): string[] {
  return linesOf(`/proc/net/${table}`).flatMap((line) => {
    const fields = line.trim().split(/\s+/)
    const [, local = '', , state] = fields
    const isOurs = state === listening && parseInt(local.split(':')[1] ?? '', 16) === port
    return isOurs ? [`socket:[${fields[9]}]`] : []
  })
}

function holdsSocket(pid: number, inodes: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => inodes.has(linkOf(`/proc/${pid}/fd/${fd}`)))
  } catch {
    // It has ended, or belongs to another user.
    return false
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // Closed meanwhile.
    return ''
  }
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    // A kernel without IPv6 has no such table.
    return []
  }
}

const commandChars = 120

function commandOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return words.join(' ').trim().slice(0, commandChars)
  } catch {
    return ''
  }
}
