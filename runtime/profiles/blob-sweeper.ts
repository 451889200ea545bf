/**
 * Removes from this host's folder of blobs what no profile names: at once what a record no longer
 * names, and after a while what none has ever named, because its save was given up.
 */
import type { Logger } from 'pino'
import type { BlobId } from '../../proto/session/blob.ts'
import type { ProfileRecord } from '../../proto/session/profile.ts'
import type { BlobFolder } from '../blobs/blob-folder.ts'
import { blobLimits } from '../blobs/limits.ts'
import type { Clock, Timer } from '../lib/clock.ts'
import type { WatchedMap } from '../store/watched-map.ts'

export interface BlobSweeperDeps {
  readonly folder: Pick<BlobFolder, 'store' | 'list' | 'remove'>
  readonly records: Pick<WatchedMap<ProfileRecord>, 'entries' | 'onChange' | 'check'>
  /** Runs before each sweep. */
  readonly alsoSweep?: () => Promise<void>
  readonly clock: Clock
  readonly log: Logger
}

export class BlobSweeper {
  readonly #deps: BlobSweeperDeps
  /** By record: the blobs of this folder that it names. */
  readonly #named = new Map<string, ReadonlySet<BlobId>>()
  readonly #unwatch: () => void
  #timer: Timer | undefined
  #isStopped = false

  constructor(deps: BlobSweeperDeps) {
    this.#deps = deps
    for (const [key, record] of deps.records.entries()) this.#note(key, record)
    this.#unwatch = deps.records.onChange((key, record) => this.#changed(key, record))
    this.#arm(0)
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
    this.#unwatch()
  }

  #note(key: string, record: ProfileRecord | undefined): void {
    const { store } = this.#deps.folder
    const ours = record?.versions.filter(({ blob }) => blob.store === store) ?? []
    if (ours.length === 0) this.#named.delete(key)
    else this.#named.set(key, new Set(ours.map(({ blob }) => blob.id)))
  }

  #changed(key: string, record: ProfileRecord | undefined): void {
    const before = this.#named.get(key) ?? []
    this.#note(key, record)
    const now = this.#named.get(key)
    for (const id of before) if (!now?.has(id) && !this.#isNamed(id)) void this.#remove(id)
  }

  /** A copied profile names the blob of the other one. */
  #isNamed(id: BlobId): boolean {
    for (const ids of this.#named.values()) if (ids.has(id)) return true
    return false
  }

  async #sweep(): Promise<void> {
    const { folder, records, alsoSweep, clock, log } = this.#deps
    try {
      await alsoSweep?.()
      const kept = await folder.list()
      // After the list: a blob that was finished meanwhile has its record then.
      await records.check()
      const named = new Set([...this.#named.values()].flatMap((ids) => [...ids]))
      const oldMs = clock.now() - blobLimits.orphanKeptMs
      for (const { id, writtenAtMs } of kept) {
        if (!named.has(id) && writtenAtMs < oldMs) await this.#remove(id)
      }
      const there = new Set(kept.map(({ id }) => id))
      const missing = [...named].filter((id) => !there.has(id))
      if (missing.length > 0) log.error({ blobs: missing }, 'the contents of profiles are missing')
    } catch (error) {
      log.error({ err: error }, 'the folder of blobs could not be swept')
    }
  }

  async #remove(id: BlobId): Promise<void> {
    try {
      await this.#deps.folder.remove(id)
    } catch (error) {
      // The next sweep tries again.
      this.#deps.log.error({ blob: id, err: error }, 'a blob could not be removed')
    }
  }

  #arm(waitMs: number): void {
    this.#timer = this.#deps.clock.timer(waitMs, () => {
      void this.#sweep().finally(() => this.#isStopped || this.#arm(blobLimits.sweepMs))
    })
  }
}
