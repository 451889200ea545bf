/**
 * The control group of one browser. It is created before the browser's first process, each process
 * enters it before it starts another, its counters say what the kernel refused, and it is removed
 * after the last process has ended.
 */
import type { Logger } from 'pino'
import { MiB } from '../../proto/units.ts'
import type { BrowserId } from '../../proto/ids.ts'
import { sleep, type Clock } from '../../runtime/lib/clock.ts'
import type { ControlGroup } from '../../runtime/process/cgroups/control-group.ts'
import type { Guard } from '../../runtime/process/guard.ts'
import { hostOverrun, memoryOverrun, threadsOverrun } from './overruns.ts'
import { boundsLimits } from './limits.ts'

export interface BrowserGroupOptions {
  readonly group: ControlGroup
  readonly id: BrowserId
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Logger
  /** 0: no limit. */
  readonly memoryMib: number
}

/** The interface of the group for the code that starts and ends a browser. */
export interface BrowserCgroup {
  /** Command-line prefix of each process of the browser: makes the process enter the group. */
  readonly enter: readonly string[]
  /** The limit that the kernel enforced, if any, as a sentence for the session's owner. */
  overrun(): string | undefined
  /** Kills the remaining processes of the group. May be called twice. */
  remove(): Promise<void>
}

export class BrowserGroup implements BrowserCgroup {
  readonly enter: readonly string[]
  readonly #options: BrowserGroupOptions

  constructor(options: BrowserGroupOptions) {
    this.enter = ['sh', '-c', 'echo 0 >"$0" && exec "$@"', options.group.entry]
    this.#options = options
  }

  /** Creates the group and sets its limits for the given controllers. */
  open(controllers: readonly string[]): void {
    const { group, guard, memoryMib } = this.#options
    guard.hold(this.#guardKey, { paths: [group.path] })
    group.make()
    // cpu.weight keeps the kernel's default, which is the same for all browsers.
    if (controllers.includes('pids')) group.set('pids.max', String(boundsLimits.sessionThreads))
    if (controllers.includes('memory')) boundMemory(group, memoryMib)
  }

  /** Removes the group of an earlier agent if this one dies. */
  adopt(): void {
    const { group, guard } = this.#options
    guard.hold(this.#guardKey, { paths: [group.path] })
  }

  overrun(): string | undefined {
    const { group, memoryMib } = this.#options
    if (group.count('memory.events', 'oom_kill') > 0) {
      return group.count('memory.events', 'oom') > 0 ? memoryOverrun(memoryMib) : hostOverrun
    }
    if (group.count('pids.events', 'max') === 0) return undefined
    // Kernels before 6.11 also count refusals caused by the limit of an outer group.
    const most = group.number('pids.peak') ?? boundsLimits.sessionThreads
    return most >= boundsLimits.sessionThreads ? threadsOverrun : undefined
  }

  async remove(): Promise<void> {
    const { group, guard, clock, log, id } = this.#options
    if (await killAndRemove(group, clock)) guard.release(this.#guardKey)
    else log.warn({ browser: id, path: group.path }, 'the control group of a browser remains')
  }

  get #guardKey(): string {
    return `${this.#options.id}.cgroup`
  }
}

/** Resolves to false if a process in the group cannot be killed. */
export async function killAndRemove(group: ControlGroup, clock: Clock): Promise<boolean> {
  for (let attempt = 0; attempt < boundsLimits.cgroupRemoveAttempts; attempt++) {
    if (group.remove()) return true
    killProcesses(group)
    await sleep(clock, boundsLimits.cgroupRemoveRetryMs)
  }
  return false
}

function boundMemory(group: ControlGroup, mib: number): void {
  // Also applies when the host runs out of memory: a browser that lost one process is unusable.
  group.set('memory.oom.group', '1')
  if (mib === 0) return
  group.set('memory.max', String((mib + boundsLimits.sessionMemoryMarginMib) * MiB))
  try {
    group.set('memory.swap.max', '0')
  } catch {
    // The kernel has no swap accounting for control groups.
  }
}

function killProcesses(group: ControlGroup): void {
  try {
    group.kill()
  } catch {
    // Kernels before 5.14 have no `cgroup.kill`.
    for (const pid of group.pids) killProcess(pid)
  }
}

function killProcess(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
