/**
 * The control group of one browser: made before its first process, entered by each of them before it
 * starts any other, asked what the kernel refused, and removed after the last.
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
  /** 0: no bound. */
  readonly memoryMib: number
}

/** What the start and the end of a browser need of it. */
export interface BrowserCgroup {
  /** Comes before all else on the command line of each process of the browser. */
  readonly enter: readonly string[]
  /** What the kernel refused the browser, or ended it for: a sentence for the session's owner. */
  overrun(): string | undefined
  /** Kills what is left in it. May be called twice. */
  remove(): Promise<void>
}

export class BrowserGroup implements BrowserCgroup {
  readonly enter: readonly string[]
  readonly #options: BrowserGroupOptions

  constructor(options: BrowserGroupOptions) {
    this.enter = ['sh', '-c', 'echo 0 >"$0" && exec "$@"', options.group.entry]
    this.#options = options
  }

  /** Makes the group, with the bounds of those controllers. */
  open(controllers: readonly string[]): void {
    const { group, guard, memoryMib } = this.#options
    guard.hold(this.#guardKey, { paths: [group.path] })
    group.make()
    // All have the kernel's default cpu.weight, hence the same.
    if (controllers.includes('pids')) group.set('pids.max', String(boundsLimits.sessionThreads))
    if (controllers.includes('memory')) boundMemory(group, memoryMib)
  }

  overrun(): string | undefined {
    const { group, memoryMib } = this.#options
    if (group.count('memory.events', 'oom_kill') > 0) {
      return group.count('memory.events', 'oom') > 0 ? memoryOverrun(memoryMib) : hostOverrun
    }
    if (group.count('pids.events', 'max') === 0) return undefined
    // Kernels before 6.11 also count what an outer group's bound refused.
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

/** Resolves to false if something in it cannot be killed. */
export async function killAndRemove(group: ControlGroup, clock: Clock): Promise<boolean> {
  for (let attempt = 0; attempt < boundsLimits.cgroupRemoveAttempts; attempt++) {
    if (group.remove()) return true
    killProcesses(group)
    await sleep(clock, boundsLimits.cgroupRemoveRetryMs)
  }
  return false
}

function boundMemory(group: ControlGroup, mib: number): void {
  // If the host's own memory runs out, too: a browser that lost a part is of no use.
  group.set('memory.oom.group', '1')
  if (mib === 0) return
  group.set('memory.max', String((mib + boundsLimits.sessionMemoryMarginMib) * MiB))
  try {
    group.set('memory.swap.max', '0')
  } catch {
    // The kernel does not count swap by groups.
  }
}

function killProcesses(group: ControlGroup): void {
  try {
    group.kill()
  } catch {
    // A kernel before 5.14 cannot.
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
