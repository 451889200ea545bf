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
import { folderUse, type DiskUse } from './folder-size.ts'
import { diskOverrun, memoryOverrun, processesOverrun } from './overruns.ts'
import { proportionalBytes, ProcessTable } from './processes.ts'
import { unlinkedUse } from './unlinked-files.ts'
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

/** The disk space of the browser's files at the last count, and the free space of the disk then. */
interface DiskReading {
  readonly bytes: number
  readonly freeBytes: number
  readonly atMs: number
}

export class ResourceBounds {
  readonly #options: ResourceBoundsOptions
  readonly #disk = new WeakMap<BoundedBrowser, DiskReading>()
  #timer: Timer | undefined
  #counting: Promise<void> | undefined
  #stopped = false

  constructor(options: ResourceBoundsOptions) {
    this.#options = options
    this.#arm()
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  /** Resolves when every browser has been measured. */
  async look(): Promise<void> {
    await this.#look()
    await this.#counting
  }

  /** Files are counted meanwhile, because a browser with many of them must not delay the next look. */
  async #look(): Promise<void> {
    const held = this.#options.held()
    if (held.length === 0) return
    const table = new ProcessTable()
    for (const browser of held) {
      const why = browser.cgroup?.overrun() ?? (await this.#crowded(browser, table))
      if (why !== undefined) this.#end(browser, why)
    }
    if (this.#options.config.SESSION_DISK_MB === 0) return
    this.#counting ??= this.#count(held)
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'the disk space that browsers use is not known')
      })
      .finally(() => (this.#counting = undefined))
  }

  async #count(held: readonly BoundedBrowser[]): Promise<void> {
    for (const browser of held) {
      const why = await this.#filling(browser)
      if (why !== undefined) this.#end(browser, why)
    }
  }

  #end(browser: BoundedBrowser, why: string): void {
    this.#options.log.warn({ browser: browser.id, why }, 'a session is out of resources')
    browser.overrun(why)
  }

  #arm(): void {
    this.#timer = this.#options.clock.timer(limits.boundsLookMs, () => {
      void this.#look()
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
   * The files are counted only if the disk has lost enough space for the browser to exceed its
   * bound.
   */
  async #filling(browser: BoundedBrowser): Promise<string | undefined> {
    const { config, clock, root } = this.#options
    const { bavail, bsize } = await statfs(root)
    const freeBytes = bavail * bsize
    const mostBytes = config.SESSION_DISK_MB * MiB
    const last = this.#disk.get(browser)
    if (last) {
      const isRecent = clock.monotonic() - last.atMs < boundsLimits.diskLookMs
      if (isRecent && last.freeBytes - freeBytes <= mostBytes - last.bytes) return undefined
    }
    const use = await this.#diskUse(browser)
    if ('overrun' in use) return use.overrun
    this.#disk.set(browser, { bytes: use.bytes, freeBytes, atMs: clock.monotonic() })
    if (use.bytes <= mostBytes) return undefined
    return diskOverrun(config.SESSION_DISK_MB)
  }

  async #diskUse({ scratch, groups }: BoundedBrowser): Promise<DiskUse> {
    const named = await folderUse(scratch.dir)
    if ('overrun' in named) return named
    const unlinked = await unlinkedUse(new ProcessTable().of(groups).pids, this.#options.root)
    return 'overrun' in unlinked ? unlinked : { bytes: named.bytes + unlinked.bytes }
  }
}
