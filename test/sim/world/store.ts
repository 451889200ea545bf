/**
 * The store as one process sees it over its link: answers come late or not at all, and a write
 * whose answer was lost has still landed. Reading a whole bucket is not a snapshot, and watches
 * lag.
 */
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import type { MemoryStore } from '../../helpers/runtime/memory-store.ts'
import {
  StoreUnavailable,
  type Bucket,
  type BucketChange,
  type BucketEntry,
  type BucketWatch,
  type LogRecord,
  type LogStore,
  type Store,
} from '../../../runtime/store/store.ts'
import type { SimProcess } from './clock.ts'
import type { SimLink } from './link.ts'

/** The broker's side: the stored data, and a switch that makes it unavailable to all. */
export interface StoreServer {
  readonly memory: MemoryStore
  isDown: boolean
  /** A key or subject that this many single reads do not find although it exists. */
  hidden?: { readonly key: string; reads: number }
  /** Called when a log entry has just become durable. */
  appended(by: SimProcess, subject: string): void
}

function isHidden({ hidden }: StoreServer, key: string): boolean {
  if (hidden?.key !== key || hidden.reads === 0) return false
  hidden.reads--
  return true
}

/** The same as limits.watchCatchUpMs of the real store. */
const watchCatchUpMs = 5_000

export class SimStore implements Store {
  readonly log: LogStore
  readonly #caller: StoreCaller

  constructor(server: StoreServer, link: SimLink, timeoutMs: number) {
    this.#caller = new StoreCaller(server, link, timeoutMs)
    this.log = new SimLog(this.#caller)
  }

  bucket(name: string): Bucket {
    return new SimBucket(this.#caller, name)
  }
}

class StoreCaller {
  readonly server: StoreServer
  readonly link: SimLink
  readonly #timeoutMs: number

  constructor(server: StoreServer, link: SimLink, timeoutMs: number) {
    this.server = server
    this.link = link
    this.#timeoutMs = timeoutMs
  }

  /**
   * `operate` runs at the server in one step; a caller without an answer can't tell whether it ran.
   */
  call<T>(what: string, operate: () => Promise<T>): Promise<T> {
    const { server, link } = this
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new StoreUnavailable(what))
      const timer = link.process.clock.timer(this.#timeoutMs, giveUp)
      const answer = (settle: () => void) =>
        link.receive('store', () => {
          timer.cancel()
          settle()
        })
      link.send('store', () => {
        if (server.isDown) return
        operate().then(
          (value) => answer(() => resolve(value)),
          (error: unknown) => answer(() => reject(error as Error)),
        )
      })
    })
  }
}

class SimLog implements LogStore {
  readonly #caller: StoreCaller
  readonly #log: LogStore

  constructor(caller: StoreCaller) {
    this.#caller = caller
    this.#log = caller.server.memory.log
  }

  append(subject: string, data: Uint8Array, expectedSeq: number): Promise<number> {
    const { server, link } = this.#caller
    return this.#caller.call(subject, async () => {
      const seq = await this.#log.append(subject, data, expectedSeq)
      server.appended(link.process, subject)
      return seq
    })
  }

  last(subject: string): Promise<LogRecord | undefined> {
    return this.#caller.call(subject, async () => {
      return isHidden(this.#caller.server, subject) ? undefined : this.#log.last(subject)
    })
  }

  async *read(subject: string, fromSeq = 0): AsyncIterable<LogRecord> {
    yield* await this.#caller.call(subject, async () => {
      const records: LogRecord[] = []
      for await (const record of this.#log.read(subject, fromSeq)) records.push(record)
      return records
    })
  }

  purge(subject: string): Promise<void> {
    return this.#caller.call(subject, () => this.#log.purge(subject))
  }

  trim(subject: string, beforeSeq: number): Promise<void> {
    return this.#caller.call(subject, () => this.#log.trim(subject, beforeSeq))
  }
}

class SimBucket implements Bucket {
  readonly #caller: StoreCaller
  readonly #bucket: Bucket
  readonly #name: string

  constructor(caller: StoreCaller, name: string) {
    this.#caller = caller
    this.#bucket = caller.server.memory.bucket(name)
    this.#name = name
  }

  get(key: string): Promise<BucketEntry | undefined> {
    return this.#call(key, async () => {
      return isHidden(this.#caller.server, key) ? undefined : this.#bucket.get(key)
    })
  }

  create(key: string, value: Uint8Array): Promise<number> {
    return this.#call(key, () => this.#bucket.create(key, value))
  }

  update(key: string, value: Uint8Array, revision: number): Promise<number> {
    return this.#call(key, () => this.#bucket.update(key, value, revision))
  }

  put(key: string, value: Uint8Array): Promise<number> {
    return this.#call(key, () => this.#bucket.put(key, value))
  }

  delete(key: string): Promise<void> {
    return this.#call(key, () => this.#bucket.delete(key))
  }

  /**
   * First the keys, then the value of each at that time: what JetStream can give without a
   * consumer.
   */
  async *scan(prefix = ''): AsyncIterable<BucketEntry> {
    const listed = await this.#call('keys', () => entriesOf(this.#bucket))
    const present = await this.#call('entries', () =>
      Promise.all(listed.map(({ key }) => this.#bucket.get(key))),
    )
    for (const entry of present) if (entry?.key.startsWith(prefix)) yield entry
  }

  async watch(onChange: (change: BucketChange) => void, prefix?: string): Promise<BucketWatch> {
    const watch = new SimWatch(this.#caller, onChange)
    const source = await this.#call('watch', () =>
      this.#bucket.watch((change) => watch.offer(change), prefix),
    )
    await watch.settled()
    return {
      stop: () => {
        watch.stop()
        source.stop()
      },
      confirm: () => watch.confirm(),
    }
  }

  #call<T>(key: string, operate: () => Promise<T>): Promise<T> {
    return this.#caller.call(`${this.#name}/${key}`, operate)
  }
}

/**
 * In order and complete, but late: a message that the link lost, or that met a cut, waits for the
 * watcher's catch-up.
 */
class SimWatch {
  readonly #caller: StoreCaller
  readonly #onChange: (change: BucketChange) => void
  #waiting: BucketChange[] = []
  #delivering = false
  #stopped = false
  #settled: (() => void) | undefined

  constructor(caller: StoreCaller, onChange: (change: BucketChange) => void) {
    this.#caller = caller
    this.#onChange = onChange
  }

  offer(change: BucketChange): void {
    this.#waiting.push(change)
    if (!this.#delivering) this.#deliverSoon()
  }

  /** Delivers what the store had told until it answered, without waiting for its messages. */
  async confirm(): Promise<void> {
    await this.#caller.call('confirm', async () => undefined)
    const changes = this.#waiting
    this.#waiting = []
    for (const change of changes) if (!this.#stopped) this.#onChange(change)
  }

  /** Resolves when everything offered so far was delivered. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.length === 0) resolve()
      else this.#settled = resolve
    })
  }

  stop(): void {
    this.#stopped = true
    this.#waiting = []
  }

  #deliverSoon(): void {
    const { link } = this.#caller
    const { timeline } = link.process
    this.#delivering = true
    const isLost = link.random.chance(link.faults.lost)
    timeline.after(isLost ? watchCatchUpMs : link.delayMs(), () => this.#deliver())
  }

  #deliver(): void {
    const { link, server } = this.#caller
    if (this.#stopped || link.process.state === 'dead') return
    if (link.isCut('store') || server.isDown) {
      link.process.timeline.after(watchCatchUpMs, () => this.#deliver())
      return
    }
    link.process.enter(() => {
      const changes = this.#waiting
      this.#waiting = []
      this.#delivering = false
      for (const change of changes) if (!this.#stopped) this.#onChange(change)
      if (this.#waiting.length > 0 && !this.#delivering) this.#deliverSoon()
      this.#settled?.()
    })
  }
}
