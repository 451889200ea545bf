/**
 * The store in memory: exactly what JetStream guarantees, without its faults. For tests and the
 * simulation.
 */
import {
  StoreConflict,
  type Bucket,
  type BucketChange,
  type BucketEntry,
  type BucketWatch,
  type LogRecord,
  type SharedLog,
  type Store,
} from '../../../runtime/store/store.ts'

export class MemoryStore implements Store {
  readonly log: SharedLog = new MemoryLog()
  readonly archive = new MemoryLog()
  readonly #buckets = new Map<string, MemoryBucket>()

  archiveSpan() {
    return this.archive.span
  }

  bucket(name: string): Bucket {
    const known = this.#buckets.get(name)
    if (known) return known
    const bucket = new MemoryBucket(name)
    this.#buckets.set(name, bucket)
    return bucket
  }
}

/** One sequence for the whole stream, as in JetStream: subjects have no sequences of their own. */
export class MemoryLog implements SharedLog {
  readonly #records = new Map<string, LogRecord[]>()
  readonly #ids = new Map<string, number>()
  #seq = 0

  /** The first and the last sequence. */
  get span() {
    const seqs = this.#matching('>').map(({ seq }) => seq)
    return { firstSeq: seqs[0] ?? this.#seq + 1, lastSeq: this.#seq }
  }

  async append(subject: string, data: Uint8Array, expectedSeq: number): Promise<number> {
    const records = this.#records.get(subject) ?? []
    if ((records.at(-1)?.seq ?? 0) !== expectedSeq) throw new StoreConflict(subject)
    const seq = ++this.#seq
    records.push({ subject, seq, data: Uint8Array.from(data) })
    this.#records.set(subject, records)
    return seq
  }

  async last(subject: string): Promise<LogRecord | undefined> {
    return this.#matching(subject).at(-1)
  }

  async *read(subject: string, fromSeq = 0): AsyncIterable<LogRecord> {
    for (const record of this.#matching(subject)) {
      if (record.seq >= fromSeq) yield record
    }
  }

  async add(subject: string, data: Uint8Array, id: string): Promise<number> {
    const known = this.#ids.get(id)
    if (known !== undefined) return known
    const seq = await this.append(subject, data, this.#records.get(subject)?.at(-1)?.seq ?? 0)
    this.#ids.set(id, seq)
    return seq
  }

  async subjects(filter: string): Promise<readonly string[]> {
    return [...this.#records.keys()].filter((subject) => matches(filter, subject))
  }

  async purge(subject: string): Promise<void> {
    this.#records.delete(subject)
  }

  async trim(subject: string, beforeSeq: number): Promise<void> {
    const records = this.#records.get(subject) ?? []
    this.#records.set(
      subject,
      records.filter(({ seq }) => seq >= beforeSeq),
    )
  }

  #matching(filter: string): readonly LogRecord[] {
    if (!/[*>]/.test(filter)) return this.#records.get(filter) ?? []
    const found = [...this.#records].filter(([subject]) => matches(filter, subject))
    return found.flatMap(([, records]) => records).sort((a, b) => a.seq - b.seq)
  }
}

/** With NATS wildcards: `*` for one token and `>` for the rest. */
function matches(filter: string, subject: string): boolean {
  const wanted = filter.split('.')
  const tokens = subject.split('.')
  const rest = wanted.at(-1) === '>'
  if (rest ? tokens.length < wanted.length : tokens.length !== wanted.length) return false
  const exact = rest ? wanted.slice(0, -1) : wanted
  return exact.every((token, i) => token === '*' || token === tokens[i])
}

class MemoryBucket implements Bucket {
  readonly #name: string
  readonly #entries = new Map<string, BucketEntry>()
  readonly #watchers = new Set<(change: BucketChange) => void>()
  #revision = 0

  constructor(name: string) {
    this.#name = name
  }

  async get(key: string): Promise<BucketEntry | undefined> {
    return this.#entries.get(key)
  }

  async create(key: string, value: Uint8Array): Promise<number> {
    return this.#replace(key, value, 0)
  }

  async update(key: string, value: Uint8Array, revision: number): Promise<number> {
    return this.#replace(key, value, revision)
  }

  async put(key: string, value: Uint8Array): Promise<number> {
    return this.#replace(key, value, this.#revisionOf(key))
  }

  async delete(key: string): Promise<void> {
    if (!this.#entries.delete(key)) return
    this.#tell({ type: 'delete', key, revision: ++this.#revision })
  }

  async *scan(prefix = ''): AsyncIterable<BucketEntry> {
    for (const entry of [...this.#entries.values()]) if (entry.key.startsWith(prefix)) yield entry
  }

  /** Changes are delivered in order, in a microtask: never inside the call that made them. */
  async watch(onChange: (change: BucketChange) => void, prefix = ''): Promise<BucketWatch> {
    const watcher = (change: BucketChange) => {
      if (!change.key.startsWith(prefix)) return
      queueMicrotask(() => {
        if (this.#watchers.has(watcher)) onChange(change)
      })
    }
    for (const entry of this.#entries.values()) {
      if (entry.key.startsWith(prefix)) onChange({ type: 'put', ...entry })
    }
    this.#watchers.add(watcher)
    // Microtasks run in order, so what was told before is delivered before.
    return { stop: () => void this.#watchers.delete(watcher), confirm: async () => {} }
  }

  #revisionOf(key: string): number {
    return this.#entries.get(key)?.revision ?? 0
  }

  #replace(key: string, value: Uint8Array, expected: number): number {
    if (this.#revisionOf(key) !== expected) throw new StoreConflict(`${this.#name}/${key}`)
    const entry = { key, value: Uint8Array.from(value), revision: ++this.#revision }
    this.#entries.set(key, entry)
    this.#tell({ type: 'put', ...entry })
    return entry.revision
  }

  #tell(change: BucketChange): void {
    for (const watcher of this.#watchers) watcher(change)
  }
}
