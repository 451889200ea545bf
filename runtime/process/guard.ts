/**
 * Ends everything that this process started, even after SIGKILL. A small shell in its own session
 * holds the list of our process groups and scratch directories, and reads changes from a pipe. When
 * the pipe closes because this process is gone, the shell kills every group, removes every
 * directory and exits; what is bequeathed waits for an heir first. If a shell is killed, another one
 * is started with the same list.
 */
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process'
import type { Socket } from 'node:net'
import { defined } from '../../proto/defined.ts'
import type { Clock } from '../lib/clock.ts'
import { containedChild } from '../lib/network/contained.ts'
import { guardScript } from './guard-script.ts'
import { readProcStat } from './proc-stat.ts'
import { processLimits } from './limits.ts'

/**
 * A process group by its leader; the start time distinguishes it from a later process with the same
 * pid.
 */
export interface ProcessGroup {
  readonly pgid: number
  readonly startTime: string
}

/** What to end with this process: a group to kill, paths to remove, or both. */
export interface GuardEntry {
  readonly group?: ProcessGroup
  readonly paths?: readonly string[]
  readonly legacy?: Legacy
}

/** When this process dies, its entry waits for another process that takes it over. */
export interface Legacy {
  /** The folder that the process makes which takes the entry; it must not exist yet. */
  readonly heir: string
  readonly graceSeconds: number
}

export class Guard {
  readonly #entries = new Map<string, GuardEntry>()
  /** Two, with the same list: whichever is killed together with this process, the other one works. */
  readonly #shells: (ChildProcess | undefined)[] = [undefined, undefined]
  #stopped = false
  readonly #parent: ProcessGroup | undefined

  /** `parent`: the process that starts the heirs of this one, and without which none comes. */
  constructor(parent?: ProcessGroup) {
    this.#parent = parent
    for (const at of this.#shells.keys()) this.#start(at)
  }

  /** The pids of the shells, for lists of our processes. */
  get pids(): readonly number[] {
    return this.#shells.flatMap((shell) => shell?.pid ?? [])
  }

  /** Adds the entry of this key, or replaces it. */
  hold(key: string, entry: GuardEntry): void {
    for (const text of [key, ...(entry.paths ?? []), entry.legacy?.heir ?? key]) {
      if (/[\t\n]/.test(text) || text === '') throw new Error(`not fit for the guard: ${text}`)
    }
    this.#entries.set(key, entry)
    this.#send(addOrder(key, entry))
  }

  /**
   * Leaves the entry of this key, and those whose keys begin with it and a dot, to an heir; without a
   * legacy, they end with this process again.
   */
  bequeath(owner: string, legacy: Legacy | undefined): void {
    for (const [key, { group, paths }] of this.#entries) {
      if (key !== owner && !key.startsWith(`${owner}.`)) continue
      this.hold(key, defined({ group, paths, legacy }))
    }
  }

  /** From now on, everything ends with this process, which is about to end. */
  disinherit(): void {
    this.#send('alone')
  }

  /**
   * Forgets the entry: its processes have ended and its paths are removed, or are meant to stay.
   */
  release(key: string): void {
    if (this.#entries.delete(key)) this.#send(`remove ${key}`)
  }

  /** Ends the guard, which ends everything that is still on its list. */
  stop(): void {
    this.#stopped = true
    for (const shell of this.#shells) shell?.stdin?.end()
  }

  #start(at: number): void {
    const parent = this.#parent ? [String(this.#parent.pgid), this.#parent.startTime] : []
    const shell = containedChild(
      spawn('/bin/sh', ['-c', guardScript, 'sh', ...parent], {
        cwd: '/',
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
      }),
    )
    this.#shells[at] = shell
    // The shell and its pipe must not keep this process running. The pipe of a dead shell breaks
    // before its exit is seen; the next shell gets the whole list.
    shell.unref()
    ;(shell.stdin as Socket).unref()
    shell.once('error', () => this.#replace(at, shell))
    shell.once('exit', () => this.#replace(at, shell))
    for (const [key, entry] of this.#entries) tell(shell, addOrder(key, entry))
  }

  #replace(at: number, shell: ChildProcess): void {
    if (this.#stopped || this.#shells[at] !== shell) return
    this.#shells[at] = undefined
    setTimeout(() => this.#stopped || this.#start(at), processLimits.guardRestartMs).unref()
  }

  #send(order: string): void {
    for (const shell of this.#shells) if (shell) tell(shell, order)
  }
}

const tell = (shell: ChildProcess, order: string) => void shell.stdin?.write(`${order}\n`)

function addOrder(key: string, { group, paths = [], legacy }: GuardEntry): string {
  const head = `add ${key} ${group?.pgid ?? 0} ${group?.startTime ?? 0} ${legacy?.graceSeconds ?? 0}`
  return [head, legacy?.heir ?? '-', ...paths].join('\t')
}

export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Set if it could not be started. */
  readonly error?: Error
}

export interface GuardedProcess {
  readonly child: ChildProcess
  /** Undefined if it could not be started. */
  readonly group: ProcessGroup | undefined
  /** Resolves when the leader has ended; the rest of its group has been killed by then. */
  readonly exited: Promise<ProcessExit>
}

export interface GuardedOptions {
  /** The guard's key; unique among the running processes of this process. */
  readonly key: string
  /**
   * Removed if this process dies. When the child ends, they remain and their creator removes them.
   */
  readonly paths?: readonly string[]
  readonly stdio: StdioOptions
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** It may be bequeathed, so the kernel does not end it with this process. Its stdin is empty. */
  readonly outlives?: boolean
}

/**
 * The only way to start a process: as leader of its own group, listed in the guard, and with a
 * parent-death signal of the kernel, or held back until it is on the guard's list.
 */
export function spawnGuarded(
  guard: Guard,
  command: string,
  args: readonly string[],
  options: GuardedOptions,
): GuardedProcess {
  const { key, paths = [], outlives = false, stdio, ...rest } = options
  const [file, ...argv] = [...(outlives ? heldBack : dieWithParent()), command, ...args]
  const streams = outlives ? withPipe(stdio) : stdio
  const child = containedChild(spawn(file!, argv, { ...rest, stdio: streams, detached: true }))
  const group = child.pid === undefined ? undefined : groupOf(child.pid)
  guard.hold(key, { ...(group && { group }), paths })
  if (outlives) child.stdin?.end('\n')
  const exited = new Promise<ProcessExit>((resolve) => {
    const over = (exit: ProcessExit) => {
      leaderEnded(guard, group, { key, paths })
      resolve(exit)
    }
    child.once('error', (error) => over({ code: null, signal: null, error }))
    child.once('exit', (code, signal) => over({ code, signal }))
  })
  return { child, group, exited }
}

/** A process that another process has started, with what is known of its end. */
export type RunningGroup = Pick<GuardedProcess, 'group' | 'exited'>

/**
 * Takes over a process that this process has not started: it is on the guard's list, and its end is
 * noticed within `everyMs`, without the code or signal.
 */
export function adoptGuarded(
  guard: Guard,
  group: ProcessGroup,
  { key, paths = [], clock, everyMs }: AdoptOptions,
): RunningGroup {
  guard.hold(key, { group, paths })
  const exited = new Promise<ProcessExit>((resolve) => {
    const look = () => {
      if (isAlive(group)) return void clock.timer(everyMs, look)
      leaderEnded(guard, group, { key, paths })
      resolve({ code: null, signal: null })
    }
    look()
  })
  return { group, exited }
}

/** Kills the rest of the group; only the paths stay on the guard's list. */
function leaderEnded(
  guard: Guard,
  group: ProcessGroup | undefined,
  { key, paths }: Required<Pick<GuardedOptions, 'key' | 'paths'>>,
): void {
  // A group id is not reused while a member lives, so this reaches our group or none.
  if (group) signalGroup(group.pgid, 'SIGKILL')
  if (paths.length > 0) guard.hold(key, { paths })
  else guard.release(key)
}

export interface AdoptOptions extends Pick<GuardedOptions, 'key' | 'paths'> {
  readonly clock: Clock
  readonly everyMs: number
}

/** Sends SIGKILL to the group if its leader is still the process that was started. */
export function killGroup(group: ProcessGroup): void {
  const now = startTimeOf(group.pgid)
  if (now === undefined || now === group.startTime) signalGroup(group.pgid, 'SIGKILL')
}

/** Its processes stand still until {@link continueGroup}. No error if it has ended. */
export const stopGroup = ({ pgid }: ProcessGroup): void => signalGroup(pgid, 'SIGSTOP')
export const continueGroup = ({ pgid }: ProcessGroup): void => signalGroup(pgid, 'SIGCONT')

/** True while the leader lives and is the process that was started. */
export function isAlive({ pgid, startTime }: ProcessGroup): boolean {
  const stat = readProcStat(pgid)
  return stat?.[22] === startTime && stat[3] !== zombie
}

/** The state of a process that has ended and whose parent has not asked for its exit code. */
const zombie = 'Z'

/** Clock ticks from boot to the process's start; undefined if the process does not exist. */
export const startTimeOf = (pid: number): string | undefined => readProcStat(pid)?.[22]

function groupOf(pid: number): ProcessGroup {
  return { pgid: pid, startTime: startTimeOf(pid) ?? '0' }
}

function signalGroup(pgid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pgid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const withPipe = (stdio: StdioOptions): StdioOptions =>
  typeof stdio === 'string' ? ['pipe', stdio, stdio] : ['pipe', ...stdio.slice(1)]

/** Ends without starting the program if this process dies before that is on the guard's list. */
const heldBack = ['/bin/sh', '-c', 'read -r go && exec "$@" </dev/null', 'sh'] as const

let dieWithParentPrefix: readonly string[] | undefined

/** `setpriv --pdeathsig` covers the time between a child's start and its entry in the guard. */
function dieWithParent(): readonly string[] {
  if (!dieWithParentPrefix) {
    const prefix = ['setpriv', '--pdeathsig', 'KILL']
    const works = spawnSync(prefix[0]!, [...prefix.slice(1), 'true']).status === 0
    dieWithParentPrefix = works ? prefix : []
  }
  return dieWithParentPrefix
}
