/**
 * The audit chains, one per client. Each entry is appended by compare-and-set on the chain's last
 * entry, and says how far every source had been read. So several sequencers may write at once and
 * each message is still recorded once: the loser of a race reads the new head, which shows whether
 * its message is recorded already.
 */
import type { AuditEntry } from '../../../../proto/access/audit/audit.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { subjects } from '../../../../proto/subjects.ts'
import type { Clock } from '../../../lib/clock.ts'
import { retryConflicts } from '../../../store/retry-conflicts.ts'
import type { LogStore } from '../../../store/store.ts'
import {
  decodeEntry,
  emptyChainHead,
  encodeEntry,
  nextEntry,
  type ChainHead,
  type SourcedFacts,
} from './entry.ts'

/**
 * The last message of a chain is not a valid entry: nothing may be appended until a person has
 * examined it.
 */
class ChainBroken extends Error {
  constructor(client: string, seq: number) {
    super(
      `message ${seq} of the audit of ${client} is not a valid entry; run \`npm run troupe -- audit verify\``,
    )
    this.name = 'ChainBroken'
  }
}

export class AuditChain {
  readonly #log: LogStore
  readonly #clock: Pick<Clock, 'now'>
  /** Known heads, the most recently used last. An outdated head costs one more attempt. */
  readonly #heads = new Map<string, ChainHead>()

  constructor(log: LogStore, clock: Pick<Clock, 'now'>) {
    this.#log = log
    this.#clock = clock
  }

  async head(client: string): Promise<ChainHead> {
    return this.#heads.get(client) ?? this.#remember(client, await this.#read(client))
  }

  /**
   * Appends an entry, or returns undefined if the chain already has it. Messages of one source must
   * come in their order. Throws StoreUnavailable if it is unknown whether the append succeeded;
   * then the same call may be repeated.
   */
  async append(sourced: SourcedFacts): Promise<{ entry: AuditEntry; seq: number } | undefined> {
    const { client } = sourced.facts
    return retryConflicts(limits.auditAppendAttempts, async () => {
      const head = await this.head(client)
      if ((head.positions[sourced.source] ?? 0) >= sourced.src.seq) return undefined
      const entry = nextEntry(head, sourced, this.#clock.now())
      try {
        const seq = await this.#log.append(subjects.audit(client), encodeEntry(entry), head.seq)
        this.#remember(client, headOf(entry, seq))
        return { entry, seq }
      } catch (error) {
        this.#heads.delete(client)
        throw error
      }
    })
  }

  async #read(client: string): Promise<ChainHead> {
    const record = await this.#log.last(subjects.audit(client))
    if (record === undefined) return emptyChainHead(client)
    const entry = decodeEntry(record.data)
    if (!entry) throw new ChainBroken(client, record.seq)
    return headOf(entry, record.seq)
  }

  #remember(client: string, head: ChainHead): ChainHead {
    this.#heads.delete(client)
    this.#heads.set(client, head)
    const [oldest] = this.#heads.keys()
    if (this.#heads.size > limits.auditHeadsKept && oldest !== undefined) this.#heads.delete(oldest)
    return head
  }
}

const headOf = ({ n, hash, positions }: AuditEntry, seq: number): ChainHead => ({
  n,
  hash,
  positions,
  seq,
})
