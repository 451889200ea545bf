/**
 * Lists the service's audit, newest first. A stream can only be read forward, so a page reads windows
 * of sequence numbers, going backwards from window to window, until it has enough rows.
 */
import { serviceAuditEntry, type ServiceAuditEntry } from '../../proto/service-audit.ts'
import { subjects } from '../../proto/subjects.ts'
import { sleep, type Clock } from '../lib/clock.ts'
import type { LogRecord, LogStore } from '../store/store.ts'
import { serviceAuditLimits as limits } from './limits.ts'

export interface ServiceAuditQuery {
  /** All tenants when absent. */
  readonly tenant?: string | undefined
  readonly matches: (entry: ServiceAuditEntry) => boolean
  /** ISO time: the search ends at older entries. */
  readonly since?: string | undefined
  /** Entries before this sequence number; the newest when absent. */
  readonly before?: number | undefined
  readonly rows: number
}

/** `n` is the sequence number in the stream: increasing, with gaps. */
export type NumberedEntry = ServiceAuditEntry & { readonly n: number }

export interface ServiceAuditPage {
  readonly entries: readonly NumberedEntry[]
  /** `before` of the next page; absent at the end. A page may be empty and still have a next one. */
  readonly next?: number
}

type Log = Pick<LogStore, 'last' | 'read'>

/** Fields that an entry must have; undefined ones may be anything. */
export type WantedFields = { readonly [F in keyof ServiceAuditEntry]?: unknown }

/** True if the entry has the same value as `wanted` in every defined field. */
export const isWanted = (entry: ServiceAuditEntry, wanted: WantedFields): boolean =>
  (Object.keys(wanted) as (keyof ServiceAuditEntry)[]).every(
    (name) => wanted[name] === undefined || entry[name] === wanted[name],
  )

export async function listServiceAudit(
  log: Log,
  { tenant, matches, since = '', before, rows }: ServiceAuditQuery,
): Promise<ServiceAuditPage> {
  const wanted = subjectsOf(tenant)
  const newest = await newestOf(log, wanted)
  let end = Math.min(before ?? Infinity, newest + 1)
  let size: number = limits.windowEntries
  let scanned = 0
  const entries: NumberedEntry[] = []
  for (let windows = 0; end > 1; windows++) {
    if (scanned > limits.scannedEntries || windows === limits.scannedWindows) break
    const start = Math.max(1, end - size)
    const found = await windowOf(log, wanted, start, end)
    scanned += found.length
    for (const entry of found.toReversed()) {
      if (entry.at < since) return { entries }
      if (matches(entry)) entries.push(entry)
      if (entries.length === rows) return { entries, ...nextPage(entry.n) }
    }
    end = start
    size = Math.min(size * 2, limits.windowEntriesMax)
  }
  return { entries, ...nextPage(end) }
}

interface Follow extends Pick<ServiceAuditQuery, 'tenant' | 'matches'> {
  /** Starts after this number; absent: only new entries. */
  readonly after: number | undefined
  readonly clock: Clock
}

/** Calls back for each new entry, oldest first, until `stop` aborts. */
export async function followServiceAudit(
  log: Log,
  { tenant, matches, after, clock }: Follow,
  tell: (entry: NumberedEntry) => void,
  stop: AbortSignal,
): Promise<void> {
  const wanted = subjectsOf(tenant)
  let seen = after ?? (await newestOf(log, wanted))
  while (!stop.aborted) {
    for await (const { seq, entry } of entriesAfter(log, wanted, seen)) {
      seen = seq
      if (entry && matches(entry)) tell(entry)
    }
    await sleep(clock, limits.followMs, stop)
  }
}

/** The first page, kept up to date: each read adds the entries that were written since. */
export class ServiceAuditTail {
  readonly #log: Log
  readonly #query: ServiceAuditQuery
  #seen: number | undefined
  #page: ServiceAuditPage = { entries: [] }

  constructor(log: Log, query: Omit<ServiceAuditQuery, 'before'>) {
    this.#log = log
    this.#query = query
  }

  /** Returns the current first page. Must not be called again before it has resolved. */
  async read(): Promise<ServiceAuditPage> {
    const wanted = subjectsOf(this.#query.tenant)
    if (this.#seen === undefined) {
      const newest = await newestOf(this.#log, wanted)
      this.#page = await listServiceAudit(this.#log, this.#query)
      // Entries that came during the listing may be in it already.
      this.#seen = Math.max(newest, this.#page.entries[0]?.n ?? 0)
      return this.#page
    }
    const added: NumberedEntry[] = []
    for await (const { seq, entry } of entriesAfter(this.#log, wanted, this.#seen)) {
      this.#seen = seq
      if (entry && this.#query.matches(entry)) added.push(entry)
    }
    if (added.length > 0) this.#page = this.#with(added)
    return this.#page
  }

  #with(added: readonly NumberedEntry[]): ServiceAuditPage {
    const { rows } = this.#query
    const entries = [...added.toReversed(), ...this.#page.entries]
    const last = entries[rows - 1]
    return entries.length > rows && last
      ? { entries: entries.slice(0, rows), next: last.n }
      : { ...this.#page, entries }
  }
}

/** Ends at the number that is the newest now: what is written meanwhile would come out of order. */
async function* entriesAfter(log: Log, wanted: readonly string[], seq: number) {
  const newest = await newestOf(log, wanted)
  for await (const record of recordsFrom(log, wanted, seq + 1)) {
    if (record.seq > newest) return
    yield { seq: record.seq, entry: readEntry(record) }
  }
}

const subjectsOf = (tenant: string | undefined): readonly string[] =>
  tenant === undefined
    ? [subjects.serviceAuditAll]
    : [subjects.serviceAudit(tenant), subjects.serviceRefusals(tenant)]

async function newestOf(log: Log, wanted: readonly string[]): Promise<number> {
  const last = await Promise.all(wanted.map((subject) => log.last(subject)))
  return Math.max(0, ...last.map((record) => record?.seq ?? 0))
}

/** The records of all subjects, oldest first. */
async function* recordsFrom(log: Log, wanted: readonly string[], from: number) {
  const sources = wanted.map((subject) => log.read(subject, from)[Symbol.asyncIterator]())
  const heads = await Promise.all(sources.map((source) => source.next()))
  for (;;) {
    const seqs = heads.map((head) => (head.done ? Infinity : head.value.seq))
    const first = seqs.indexOf(Math.min(...seqs))
    const head = heads[first]!
    if (head.done) return
    yield head.value
    heads[first] = await sources[first]!.next()
  }
}

const nextPage = (before: number) => (before > 1 ? { next: before } : {})

async function windowOf(log: Log, wanted: readonly string[], start: number, end: number) {
  const found: NumberedEntry[] = []
  for await (const record of recordsFrom(log, wanted, start)) {
    if (record.seq >= end) break
    const entry = readEntry(record)
    if (entry) found.push(entry)
  }
  return found
}

/** Undefined if it is not a known form of entry, such as one of a later version. */
function readEntry({ data, seq }: LogRecord): NumberedEntry | undefined {
  try {
    const read = serviceAuditEntry.safeParse(JSON.parse(Buffer.from(data).toString()))
    return read.success ? { ...read.data, n: seq } : undefined
  } catch {
    // Not JSON.
    return undefined
  }
}
