/**
 * A control group for each browser and its display, if this agent may create control groups. All of
 * them are in one parent group of this agent, beside the group of the service's own processes, so
 * under load the service gets as much processor time as all browsers together.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { BrowserId } from '../../proto/ids.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { ControlGroup } from '../../runtime/process/cgroups/control-group.ts'
import {
  describeDelegation,
  findDelegation,
  type Delegation,
} from '../../runtime/process/cgroups/delegation.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { Guard } from '../../runtime/process/guard.ts'
import { BrowserGroup, killAndRemove, type BrowserCgroup } from './browser-group.ts'
import { boundsLimits } from './limits.ts'

export interface BrowserGroupsOptions {
  readonly config: Pick<Config, 'SESSION_MEMORY_MB'>
  /** The folder that contains this agent's browser folders, each named by the browser's id. */
  readonly root: string
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Logger
}

/** Undefined if control groups cannot be created. The log says whether they are used. */
export async function findBrowserGroups(
  options: BrowserGroupsOptions,
): Promise<BrowserGroups | undefined> {
  // Under a supervisor, which is connected by an IPC channel, the supervisor's processes are
  // included.
  const firstPid = process.send ? process.ppid : process.pid
  const found = findDelegation({ pid: process.pid, firstPid })
  if (found.type === 'none') {
    options.log.info(describeDelegation(found))
    return undefined
  }
  try {
    const groups = await BrowserGroups.open(found, options)
    options.log.info(describeDelegation({ ...found, controllers: groups.controllers }))
    return groups
  } catch (error) {
    options.log.warn({ err: error }, 'the kernel does not bound browsers: it refuses the groups')
    return undefined
  }
}

export class BrowserGroups {
  readonly controllers: readonly string[]
  readonly #outer: ControlGroup
  /** The parent group of all browsers of this agent. */
  readonly #all: ControlGroup
  readonly #options: BrowserGroupsOptions

  private constructor({ group, controllers }: Usable, options: BrowserGroupsOptions) {
    this.#outer = group
    this.#all = group.inner(`troupe-browsers-${shortHash(options.root)}`)
    this.#options = options
    this.controllers = this.#prepare(controllers)
  }

  /**
   * Moves the service's processes into their own group, and removes browser groups of dead agents.
   * Throws if the kernel refuses all controllers.
   */
  static async open(usable: Usable, options: BrowserGroupsOptions): Promise<BrowserGroups> {
    if (!usable.group.isHostRoot) moveProcesses(usable.group, usable.service)
    const groups = new BrowserGroups(usable, options)
    await groups.#sweep()
    return groups
  }

  /** Undefined if the kernel refuses to create the group; the browser then starts without one. */
  make(id: BrowserId): BrowserCgroup | undefined {
    const made = this.#of(this.#all.inner(id), id)
    try {
      // An earlier agent with the same folder, which was draining, may have removed the group.
      if (!this.#all.exists) this.#prepare(this.controllers)
      made.open(this.controllers)
      return made
    } catch (error) {
      this.#options.log.warn(
        { browser: id, err: error },
        'a browser starts without a control group',
      )
      void made.remove()
      return undefined
    }
  }

  /** The group that an earlier agent has made; undefined if it made none. */
  adopt(id: BrowserId): BrowserCgroup | undefined {
    const group = this.#all.inner(id)
    if (!group.exists) return undefined
    const adopted = this.#of(group, id)
    adopted.adopt()
    return adopted
  }

  /** Called after the last browser has ended. */
  close(): void {
    this.#all.remove()
  }

  #of(group: ControlGroup, id: BrowserId): BrowserGroup {
    const { config, guard, clock, log } = this.#options
    const memoryMib = config.SESSION_MEMORY_MB
    return new BrowserGroup({ group, id, guard, clock, log, memoryMib })
  }

  /** Returns the controllers that the kernel enables for browser groups. */
  #prepare(controllers: readonly string[]): readonly string[] {
    this.#all.make()
    let refusal: unknown
    const given = controllers.filter((controller) => {
      try {
        for (const group of [this.#outer, this.#all]) group.enable(controller)
        return true
      } catch (error) {
        refusal = error
        return false
      }
    })
    if (refusal !== undefined && given.length === 0) throw refusal
    return given
  }

  /**
   * Removes groups whose browser folder is gone: living browsers of other agents still have theirs.
   */
  async #sweep(): Promise<void> {
    const { root, clock, log } = this.#options
    const left = this.#all.inners().filter(({ name }) => !existsSync(join(root, name)))
    await Promise.all(
      left.map(async (group) => {
        const isGone = await killAndRemove(group, clock)
        const text = isGone ? 'swept a control group of' : 'could not remove a control group of'
        log.warn({ path: group.path }, `${text} an earlier agent`)
      }),
    )
  }
}

type Usable = Pick<Delegation, 'group' | 'service' | 'controllers'>

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)

/** A group that enables controllers for its children must not contain processes itself. */
function moveProcesses(from: ControlGroup, to: ControlGroup): void {
  to.make()
  for (let round = 0; round < boundsLimits.cgroupMoveRounds; round++) {
    const pids = from.pids.filter((pid) => pid > 0)
    // Children that a process started before it was moved are moved in the next round.
    if (pids.length === 0) return
    for (const pid of pids) {
      try {
        to.move(pid)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
  }
}
