/**
 * Reads chains for people. An entry knows where the one before it stands, and numbers have no gap,
 * so nothing is kept in memory for it: lists walk back, and a number is found by halving.
 */
import type { AuditEntry } from '../../../proto/access/audit.ts'
import { readAuditId } from '../../../proto/access/audit.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { SharedLog } from '../../store.ts'
import { decodeEntry } from './entry.ts'

export interface Found {
  readonly entry: AuditEntry
  readonly seq: number
}

export interface AuditQuery {
  /** One client, or all. */
  readonly client: string | undefined
  readonly matches: (entry: AuditEntry) => boolean
  /** Entries written before it end the search, in wall-clock ms. */
  readonly sinceMs: number
  /** The place in the stream at which to go on; the newest when absent. */
  readonly fromSeq?: number
  readonly rows: number
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  /** Where to go on; absent at the end. There may be more even after an empty page. */
  readonly nextSeq?: number
}

type Log = Pick<SharedLog, 'last' | 'read'>

export class AuditReader {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** Newest first. Undefined where `fromSeq` is no place of this chain. */
  async list({
    client,
    matches,
    sinceMs,
    fromSeq,
    rows,
  }: AuditQuery): Promise<AuditPage | undefined> {
    const subject = client === undefined ? subjects.auditAll : subjects.audit(client)
    const seq = fromSeq ?? (await this.#log.last(subject))?.seq ?? 0
    const entries: AuditEntry[] = []
    let next = seq
    for (let looked = 0; next > 0; looked++) {
      if (entries.length === rows || looked === limits.auditRowsScanned) {
        return { entries, nextSeq: next }
      }
      const found = await this.#at(subject, next)
      if (!found) return looked === 0 ? undefined : { entries }
      const { entry } = found
      if (entry.writtenAt < sinceMs) return { entries }
      if (matches(entry)) entries.push(entry)
      next = client === undefined ? next - 1 : entry.prevSeq
    }
    return { entries }
  }

  /** Of the id of an entry; undefined where there is none. */
  async get(id: string): Promise<AuditEntry | undefined> {
    const where = readAuditId(id)
    return where && (await this.find(where.client, where.n))?.entry
  }

  /** Entry `n`: numbers and places grow together. */
  async find(client: string, n: number): Promise<Found | undefined> {
    const subject = subjects.audit(client)
    const last = await this.#log.last(subject)
    let low = n
    let high = last?.seq ?? 0
    while (low <= high) {
      const middle = Math.floor((low + high) / 2)
      const found = await this.#from(subject, middle)
      if (!found) return undefined
      if (found.entry.n === n) return found
      if (found.entry.n > n) high = middle - 1
      else low = found.seq + 1
    }
    return undefined
  }

  async #at(subject: string, seq: number): Promise<Found | undefined> {
    const found = await this.#from(subject, seq)
    return found?.seq === seq ? found : undefined
  }

  async #from(subject: string, seq: number): Promise<Found | undefined> {
    for await (const record of this.#log.read(subject, seq)) {
      const entry = decodeEntry(record.data)
      return entry && { entry, seq: record.seq }
    }
    return undefined
  }
}
