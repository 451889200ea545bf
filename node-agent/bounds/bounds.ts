/**
 * Keeps each session within its share of the machine's memory, processes and disk. A page can
 * request any amount of them, and only this agent knows which process belongs to which browser. A
 * browser that exceeds a limit is ended, with a sentence that names the limit. This needs no
 * privileges; where the agent may create control groups, the kernel enforces limits too
 * (`browser-groups.ts`).
 */
import { statfs } from 'node:fs/promises'
import type { Logger } from 'pino'
import { MiB } from '../../proto/units.ts'
import { limits } from '../../proto/limits.ts'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import type { Config } from '../../runtime/config/config.ts'
import type { ProcessGroup } from '../../runtime/process/guard.ts'
import type { BrowserCgroup } from './browser-group.ts'
import { folderBytes } from './folder-size.ts'
import { diskOverrun, memoryOverrun, processesOverrun } from './overruns.ts'
import { proportionalBytes, ProcessTable } from './processes.ts'
import { boundsLimits } from './limits.ts'

/** The browser of a session. */
export interface BoundedBrowser {
  readonly id: string
  readonly groups: readonly ProcessGroup[]
  /** All files that it writes are below `dir`. */
  readonly scratch: { readonly dir: string }
  /** Set if the kernel enforces limits too. */
  readonly cgroup?: Pick<BrowserCgroup, 'overrun'> | undefined
  /** Ends the browser; `why` is a sentence for the session's owner. */
  overrun(why: string): void
}

export interface ResourceBoundsOptions {
  readonly config: Pick<Config, 'SESSION_MEMORY_MB' | 'SESSION_DISK_MB'>
  /** The folder that contains the folders of all browsers; they are on one disk. */
  readonly root: string
  /** The browsers that sessions hold. */
  readonly held: () => readonly BoundedBrowser[]
  readonly clock: Clock
  readonly log: Logger
}

/** The size of the browser's folder at the last count, and the free space of the disk then. */
interface DiskReading {
  readonly bytes: number
  readonly freeBytes: number
  readonly atMs: number
}

export class ResourceBounds {
  readonly #options: ResourceBoundsOptions
  readonly #disk = new WeakMap<BoundedBrowser, DiskReading>()
  #timer: Timer | undefined
  #stopped = false

  constructor(options: ResourceBoundsOptions) {
    this.#options = options
    this.#arm()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  async look(): Promise<void> {
    const held = this.#options.held()
    if (held.length === 0) return
    const table = new ProcessTable()
    const { bavail, bsize } = await statfs(this.#options.root)
    const freeBytes = bavail * bsize
    for (const browser of held) {
      const why =
        browser.cgroup?.overrun() ??
        (await this.#crowded(browser, table)) ??
        (await this.#filling(browser, freeBytes))
      if (why === undefined) continue
      this.#options.log.warn({ browser: browser.id, why }, 'a session is out of resources')
      browser.overrun(why)
    }
  }

  #arm(): void {
    this.#timer = this.#options.clock.timer(limits.boundsLookMs, () => {
      void this.look()
        .catch((error: unknown) => {
          this.#options.log.warn({ err: error }, 'what browsers use is not known')
        })
        .finally(() => this.#stopped || this.#arm())
    })
  }

  async #crowded({ groups }: BoundedBrowser, table: ProcessTable): Promise<string | undefined> {
    const { SESSION_MEMORY_MB: mib } = this.#options.config
    const { pids, residentBytes } = table.of(groups)
    if (pids.length > boundsLimits.sessionProcesses) return processesOverrun
    if (mib === 0 || residentBytes <= mib * MiB) return undefined
    if ((await proportionalBytes(pids)) <= mib * MiB) return undefined
    return memoryOverrun(mib)
  }

  /**
   * The folder is counted only if the disk has lost enough space for the browser to exceed its
   * bound.
   */
  async #filling(browser: BoundedBrowser, freeBytes: number): Promise<string | undefined> {
    const { config, clock } = this.#options
    const mostBytes = config.SESSION_DISK_MB * MiB
    if (mostBytes === 0) return undefined
    const last = this.#disk.get(browser)
    if (last) {
      const isRecent = clock.monotonic() - last.atMs < boundsLimits.diskLookMs
      if (isRecent && last.freeBytes - freeBytes <= mostBytes - last.bytes) return undefined
    }
    const bytes = await folderBytes(browser.scratch.dir)
    this.#disk.set(browser, { bytes, freeBytes, atMs: clock.monotonic() })
    if (bytes <= mostBytes) return undefined
    return diskOverrun(config.SESSION_DISK_MB)
  }
}
