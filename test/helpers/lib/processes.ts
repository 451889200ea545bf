/** Processes as /proc shows them: which run, what they are, and how much memory they hold. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

export interface ProcessInfo {
  readonly pid: number
  readonly parent: number
  /** Arguments joined by spaces. */
  readonly command: string
  /** Proportional set size: shared pages are divided among their users. Slow to read. */
  readonly pssBytes: number
}

/**
 * Every running process whose command line or environment contains `marker`; zombies do not count.
 */
export function processesNaming(marker: string): ProcessInfo[] {
  return allProcesses().filter(({ pid, command }) => {
    return command.includes(marker) || read(`/proc/${pid}/environ`).includes(marker)
  })
}

export function descendantsOf(pid: number): ProcessInfo[] {
  const all = allProcesses()
  const found: ProcessInfo[] = []
  let parents = new Set([pid])
  while (parents.size > 0) {
    const children = all.filter(({ parent }) => parents.has(parent))
    found.push(...children)
    parents = new Set(children.map((child) => child.pid))
  }
  return found
}

export function isRunning(pid: number): boolean {
  const state = /^State:\s+(\S)/m.exec(read(`/proc/${pid}/status`))?.[1]
  return state !== undefined && state !== 'Z'
}

/** The TCP ports, IPv4 and IPv6, on which a process of ours listens; none once it has ended. */
export function listeningPorts(pid: number): number[] {
  const sockets = openFilesOf(pid)
  return ['tcp', 'tcp6'].flatMap((family) => {
    const [, ...rows] = read(`/proc/${pid}/net/${family}`).trim().split('\n')
    return rows.flatMap((row) => {
      const [, local, , state, , , , , , inode] = row.trim().split(/\s+/)
      const isOwn = state === listens && sockets.has(`socket:[${inode}]`)
      return isOwn ? [parseInt(local!.split(':')[1]!, 16)] : []
    })
  })
}

/** The kernel's number for the state LISTEN. */
const listens = '0A'

/** What its descriptors are open on, as in `socket:[4711]`; nothing once it has ended. */
function openFilesOf(pid: number): ReadonlySet<string> {
  const folder = `/proc/${pid}/fd`
  try {
    return new Set(readdirSync(folder).map((fd) => linkOf(join(folder, fd))))
  } catch (error) {
    if (!isGone(error)) throw error
    return new Set()
  }
}

function isGone(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code))
  )
}

/**
 * The target of a link in /proc, or an empty text: the process may have ended meanwhile, or closed
 * the file.
 */
export function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

const tickMs = 10

/** Processor time that a process has used so far; 0 once it has ended. */
export function cpuMs(pid: number): number {
  // The name in parentheses may contain anything, so fields 14 and 15 are counted from its end.
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs
}

function allProcesses(): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isRunning(Number(name)))
    .map((name) => describe(Number(name)))
}

function describe(pid: number): ProcessInfo {
  const parent = Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0)
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
  return {
    pid,
    parent,
    command,
    get pssBytes() {
      const kiB = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0
      return Number(kiB) * 1024
    },
  }
}

/** A process may end between two reads: then the text is empty. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
