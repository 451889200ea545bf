/**
 * Ends everything that this process started, even after SIGKILL. A small shell in its own session
 * holds the list of our process groups and scratch directories, and reads changes from a pipe. When
 * the pipe closes because this process is gone, the shell kills every group, removes every
 * directory and exits. If the shell is killed, another one is started with the same list.
 */
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process'
import type { Socket } from 'node:net'
import { containedChild } from '../lib/network/contained.ts'
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
}

/** Shell code that removes `$path`, whose folders may be closed to their owner. */
export const removalScript =
  'rm -rf -- "$path" || { chmod -R u+rwX -- "$path"; rm -rf -- "$path"; }'

/**
 * Commands: `add <key> <pgid> <start time>\t<path>\t…` (replaces an entry) and `remove <key>`.
 * Killed processes may still write for a moment, so both steps are repeated until nothing is left.
 */
const script = `
exec 2>/dev/null
trap '' HUP INT TERM QUIT
set -f
tab=$(printf '\\t')
list=

without() {
  kept=
  while IFS= read -r other; do
    case $other in '' | "$1 "*) ;; *) kept="$kept$other
" ;; esac
  done <<END
$list
END
  list=$kept
}

ours() {
  read -r stat </proc/$1/stat || return 0
  set -- "$2" \${stat##*) }
  [ "$1" = "\${21}" ]
}

# The socket's name may belong to another server by now.
listening() {
  [ -S "$1" ] || return 1
  while IFS= read -r socket; do
    case $socket in *" $1") return 0 ;; esac
  done </proc/net/unix
  return 1
}

while IFS= read -r order; do
  entry=\${order#* }
  without "\${entry%% *}"
  case $order in 'add '*) list="$list$entry
" ;; esac
done

round=0
left=1
while [ -n "$left" ] && [ $round -lt ${processLimits.guardRounds} ]; do
  left=
  while IFS= read -r entry; do
    [ -z "$entry" ] && continue
    head=\${entry%%"$tab"*}
    set -- $head
    [ "$2" -gt 0 ] && ours "$2" "$3" && kill -s KILL -- "-$2" && left=1
    IFS=$tab
    for path in \${entry#"$head"}; do
      [ -z "$path" ] && continue
      listening "$path" && continue
      # A control group is a folder whose files cannot be removed.
      [ -d "$path" ] && rmdir -- "$path"
      ${removalScript}
      [ -e "$path" ] && left=1
    done
    unset IFS
  done <<END
$list
END
  round=$((round + 1))
  [ -n "$left" ] && sleep 0.1
done
`

export class Guard {
  readonly #entries = new Map<string, GuardEntry>()
  #shell: ChildProcess | undefined
  #stopped = false

  constructor() {
    this.#start()
  }

  /** The shell's pid, for lists of our processes. */
  get pid(): number | undefined {
    return this.#shell?.pid
  }

  /** Adds the entry of this key, or replaces it. */
  hold(key: string, entry: GuardEntry): void {
    for (const text of [key, ...(entry.paths ?? [])]) {
      if (/[\t\n]/.test(text) || text === '') throw new Error(`not fit for the guard: ${text}`)
    }
    this.#entries.set(key, entry)
    this.#send(addOrder(key, entry))
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
    this.#shell?.stdin?.end()
  }

  #start(): void {
    const shell = containedChild(
      spawn('/bin/sh', ['-c', script], {
        cwd: '/',
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
      }),
    )
    this.#shell = shell
    // The shell and its pipe must not keep this process running. The pipe of a dead shell breaks
    // before its exit is seen; the next shell gets the whole list.
    shell.unref()
    ;(shell.stdin as Socket).unref()
    shell.once('error', () => this.#replace(shell))
    shell.once('exit', () => this.#replace(shell))
    for (const [key, entry] of this.#entries) this.#send(addOrder(key, entry))
  }

  #replace(shell: ChildProcess): void {
    if (this.#stopped || this.#shell !== shell) return
    this.#shell = undefined
    setTimeout(() => this.#stopped || this.#start(), processLimits.guardRestartMs).unref()
  }

  #send(order: string): void {
    this.#shell?.stdin?.write(`${order}\n`)
  }
}

function addOrder(key: string, { group, paths = [] }: GuardEntry): string {
  const head = `add ${key} ${group?.pgid ?? 0} ${group?.startTime ?? 0}`
  return [head, ...paths].join('\t')
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
}

/**
 * The only way to start a process: as leader of its own group, listed in the guard, and with a
 * parent-death signal of the kernel.
 */
export function spawnGuarded(
  guard: Guard,
  command: string,
  args: readonly string[],
  options: GuardedOptions,
): GuardedProcess {
  const { key, paths = [], ...rest } = options
  const [file, ...argv] = [...dieWithParent(), command, ...args]
  const child = containedChild(spawn(file!, argv, { ...rest, detached: true }))
  const group = child.pid === undefined ? undefined : groupOf(child.pid)
  guard.hold(key, { ...(group && { group }), paths })
  const exited = new Promise<ProcessExit>((resolve) => {
    const over = (exit: ProcessExit) => {
      // A group id is not reused while a member lives, so this reaches our group or none.
      if (group) signalGroup(group.pgid)
      if (paths.length > 0) guard.hold(key, { paths })
      else guard.release(key)
      resolve(exit)
    }
    child.once('error', (error) => over({ code: null, signal: null, error }))
    child.once('exit', (code, signal) => over({ code, signal }))
  })
  return { child, group, exited }
}

/** Sends SIGKILL to the group if its leader is still the process that was started. */
export function killGroup(group: ProcessGroup): void {
  const now = startTimeOf(group.pgid)
  if (now === undefined || now === group.startTime) signalGroup(group.pgid)
}

/** True while the leader lives and is the process that was started. */
export function isAlive(group: ProcessGroup): boolean {
  return startTimeOf(group.pgid) === group.startTime
}

/** Clock ticks from boot to the process's start; undefined if the process does not exist. */
export const startTimeOf = (pid: number): string | undefined => readProcStat(pid)?.[22]

function groupOf(pid: number): ProcessGroup {
  return { pgid: pid, startTime: startTimeOf(pid) ?? '0' }
}

function signalGroup(pgid: number): void {
  try {
    process.kill(-pgid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

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
