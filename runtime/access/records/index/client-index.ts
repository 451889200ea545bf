/** All areas of one client, kept up to date by a watch on that client's keys. */
import type { Logger } from 'pino'
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import type { ClientId } from '../../../../proto/access/ids.ts'
import type { BucketWatch } from '../../../store/store.ts'
import { AreaIndex } from './area-index.ts'
import { RecordBytes } from './record-bytes.ts'
import type { RevisionedRecord, RecordUpdate, RecordStore } from '../record-store.ts'

export interface ClientIndexDeps {
  readonly records: RecordStore
  readonly log: Logger
  /** Called when a record was read or has changed. */
  readonly onHeld: (held: RevisionedRecord) => void
}

export class ClientIndex {
  readonly client: ClientId
  readonly #deps: ClientIndexDeps
  readonly #areas = new Map<AreaKey, AreaIndex>()
  readonly #stored = new RecordBytes()
  #watch: BucketWatch | undefined
  #isReady = false
  #isStopped = false

  constructor(client: ClientId, deps: ClientIndexDeps) {
    this.client = client
    this.#deps = deps
  }

  /** True once it contains everything that was stored. */
  get isReady(): boolean {
    return this.#isReady
  }

  get size(): number {
    return this.#sum(({ size }) => size)
  }

  get bytes(): number {
    return this.#sum(({ bytes }) => bytes)
  }

  /** What its records use in their bucket, with their past values. */
  storedBytes(nowMs: number): number {
    return this.#stored.at(nowMs)
  }

  async load(): Promise<void> {
    const watch = await this.#deps.records.watch(this.client, (news) => this.#apply(news))
    if (this.#isStopped) return watch.stop()
    this.#watch = watch
    this.#isReady = true
  }

  area(area: AreaKey): AreaIndex {
    const known = this.#areas.get(area)
    if (known) return known
    const index = new AreaIndex(areaDefinitions[area])
    this.#areas.set(area, index)
    return index
  }

  /** Adds a record that this process wrote, without waiting for the watch. */
  put(held: RevisionedRecord): void {
    const { record, revision } = held
    if (this.#isStopped) return
    if (!this.area(record.area).put(record, revision)) return
    this.#stored.set(held)
    this.#deps.onHeld(held)
  }

  stop(): void {
    this.#isStopped = true
    this.#watch?.stop()
  }

  #apply(news: RecordUpdate): void {
    if (news.type === 'put') this.put(news.held)
    else if (news.type === 'drop') this.#drop(news)
    else this.#deps.log.error({ err: news.error, client: this.client }, 'a record is misplaced')
  }

  #drop({ area, id, revision }: Extract<RecordUpdate, { type: 'drop' }>): void {
    if (this.area(area).drop(id, revision)) this.#stored.drop(id)
  }

  #sum(of: (area: AreaIndex) => number): number {
    let sum = 0
    for (const area of this.#areas.values()) sum += of(area)
    return sum
  }
}
