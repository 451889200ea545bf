/**
 * Removes from this host's folder of blobs what no record names: at once what a record no longer
 * names, and after a while what none has ever named, because its save was given up.
 */
import type { Logger } from 'pino'
import type { BlobId, BlobPlace } from '../../proto/session/blob.ts'
import type { Clock, Timer } from '../lib/clock.ts'
import type { WatchedMap } from '../store/watched-map.ts'
import type { BlobFolder } from './blob-folder.ts'
import { blobLimits } from './limits.ts'

/** Records of one kind that name blobs. */
export interface BlobNames {
  /** Calls `note` for each record, and again for each change, without blobs for one that is gone. */
  watch(note: (key: string, blobs: readonly BlobPlace[]) => void): () => void
  /** Reads what the watch may have missed. */
  check(): Promise<void>
}

/** `kind` tells keys of one bucket from those of another. */
export function blobNamesIn<R>(
  kind: string,
  records: Pick<WatchedMap<R>, 'entries' | 'onChange' | 'check'>,
  blobsOf: (record: R) => readonly BlobPlace[],
): BlobNames {
  return {
    watch(note) {
      const tell = (key: string, record: R | undefined) =>
        note(`${kind} ${key}`, record === undefined ? [] : blobsOf(record))
      for (const [key, record] of records.entries()) tell(key, record)
      return records.onChange(tell)
    },
    check: () => records.check(),
  }
}

export interface BlobSweeperDeps {
  readonly folder: Pick<BlobFolder, 'store' | 'list' | 'remove'>
  readonly names: readonly BlobNames[]
  /** Runs before each sweep. */
  readonly alsoSweep?: () => Promise<void>
  readonly clock: Clock
  readonly log: Logger
}

export class BlobSweeper {
  readonly #deps: BlobSweeperDeps
  /** By record: the blobs of this folder that it names. */
  readonly #named = new Map<string, ReadonlySet<BlobId>>()
  readonly #unwatch: readonly (() => void)[]
  #timer: Timer | undefined
  #isStopped = false

  constructor(deps: BlobSweeperDeps) {
    this.#deps = deps
    this.#unwatch = deps.names.map((names) => names.watch((...named) => this.#changed(...named)))
    this.#arm(0)
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
    for (const unwatch of this.#unwatch) unwatch()
  }

  #changed(key: string, blobs: readonly BlobPlace[]): void {
    const before = this.#named.get(key) ?? []
    const { store } = this.#deps.folder
    const now = new Set(blobs.filter((blob) => blob.store === store).map(({ id }) => id))
    if (now.size === 0) this.#named.delete(key)
    else this.#named.set(key, now)
    for (const id of before) if (!this.#isNamed(id)) void this.#remove(id)
  }

  /** A copied profile names the blob of the other one. */
  #isNamed(id: BlobId): boolean {
    for (const ids of this.#named.values()) if (ids.has(id)) return true
    return false
  }

  async #sweep(): Promise<void> {
    const { folder, names, alsoSweep, clock, log } = this.#deps
    try {
      await alsoSweep?.()
      const kept = await folder.list()
      // After the list: a blob that was finished meanwhile has its record then.
      await Promise.all(names.map((each) => each.check()))
      const named = new Set([...this.#named.values()].flatMap((ids) => [...ids]))
      const oldMs = clock.now() - blobLimits.orphanKeptMs
      for (const { id, writtenAtMs } of kept) {
        if (!named.has(id) && writtenAtMs < oldMs) await this.#remove(id)
      }
      const there = new Set(kept.map(({ id }) => id))
      const missing = [...named].filter((id) => !there.has(id))
      if (missing.length > 0) log.error({ blobs: missing }, 'blobs that records name are missing')
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
