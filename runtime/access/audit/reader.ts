/**
 * Reads chains for people. An entry contains the place of the previous one, and numbers have no
 * gap, so nothing is cached: lists walk backwards, and a number is found by bisection.
 */
import type { AuditEntry } from '../../../proto/access/audit/audit.ts'
import { readAuditId } from '../../../proto/access/audit/audit.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { SharedLog } from '../../store/store.ts'
import { decodeEntry } from './chain/entry.ts'

export interface FoundEntry {
  readonly entry: AuditEntry
  readonly seq: number
}

export interface AuditQuery {
  /** One client's id; undefined: all clients. */
  readonly client: string | undefined
  readonly matches: (entry: AuditEntry) => boolean
  /** The search ends at entries that are older than this, in wall-clock ms. */
  readonly sinceMs: number
  /** The stream sequence to continue at; absent: the newest entry. */
  readonly fromSeq?: number
  readonly rows: number
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  /** Where the next page starts; absent at the end. More may follow even after an empty page. */
  readonly nextSeq?: number
}

type Log = Pick<SharedLog, 'last' | 'read'>

export class AuditReader {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  /** Newest first. Undefined if `fromSeq` is not a place of this chain. */
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

  /** Finds an entry by its id; undefined if it does not exist. */
  async get(id: string): Promise<AuditEntry | undefined> {
    const where = readAuditId(id)
    return where && (await this.find(where.client, where.n))?.entry
  }

  /** Finds entry `n` by bisection: numbers grow with stream sequences. */
  async find(client: string, n: number): Promise<FoundEntry | undefined> {
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

  async #at(subject: string, seq: number): Promise<FoundEntry | undefined> {
    const found = await this.#from(subject, seq)
    return found?.seq === seq ? found : undefined
  }

  async #from(subject: string, seq: number): Promise<FoundEntry | undefined> {
    for await (const record of this.#log.read(subject, seq)) {
      const entry = decodeEntry(record.data)
      return entry && { entry, seq: record.seq }
    }
    return undefined
  }
}
