/**
 * Reads all sources and appends their messages to the chains: in order for each client, and each
 * message once. Positions only say where to start reading: the heads of the chains show which
 * messages are recorded already, so starting too early only costs time.
 */
import type { Logger } from 'pino'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { platformTenant } from '../../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { AuditEntry, AuditFacts } from '../../../../proto/access/audit/audit.ts'
import type { LogRecord } from '../../../store/store.ts'
import type { AuditChain } from './chain.ts'
import type { SourcedFacts } from './entry.ts'
import type { AuditSource, SourceMessage } from '../sources/sources.ts'

export interface AuditSequencerOptions {
  readonly chain: AuditChain
  readonly sources: readonly AuditSource[]
  readonly log: Logger
  /** For each source: every message up to this sequence is in the chains. */
  readonly positions: Readonly<Record<string, number>>
  /** Called for each entry that this sequencer appended. */
  readonly onEntry?: (entry: AuditEntry, seq: number) => Promise<void> | void
}

export interface SequencerRound {
  /** Number of messages read, by source. */
  readonly read: Readonly<Record<string, number>>
  /** True if every source was read to its end. */
  readonly isDrained: boolean
  /** When the newest message that was read happened: waiting messages are not older. */
  readonly reachedMs: number | undefined
}

interface Batch {
  readonly source: AuditSource
  readonly messages: readonly SourceMessage[]
  readonly isLast: boolean
}

export class AuditSequencer {
  readonly #options: AuditSequencerOptions
  #positions: Record<string, number>
  /** The last number read of each actor's log, the most recently used last. */
  readonly #numbers = new Map<string, number>()

  constructor(options: AuditSequencerOptions) {
    this.#options = options
    this.#positions = { ...options.positions }
  }

  get positions(): Readonly<Record<string, number>> {
    return this.#positions
  }

  /**
   * Reads one batch of every source. If it throws, positions are unchanged and the round is
   * repeated.
   */
  async round(): Promise<SequencerRound> {
    const batches = await Promise.all(this.#options.sources.map((source) => this.#batch(source)))
    const numbers = new Map<string, number>()
    const chains = new Map<string, SourcedFacts[]>()
    for (const placed of inOrder(batches)) {
      for (const sourced of await this.#sourcedFacts(placed, numbers)) {
        const { client } = sourced.facts
        chains.set(client, [...(chains.get(client) ?? []), sourced])
      }
    }
    await this.#appendAll([...chains.values()])
    for (const [id, n] of numbers) this.#remember(id, n)
    const read: Record<string, number> = {}
    for (const { source, messages } of batches) {
      read[source.name] = messages.length
      const last = messages.at(-1)
      if (last) this.#positions[source.name] = last.src.seq
    }
    const times = batches.flatMap(({ messages, isLast }) => (isLast ? [] : [messages.at(-1)?.at]))
    const reached = times.filter((at) => at !== undefined)
    return {
      read,
      isDrained: batches.every(({ isLast }) => isLast),
      reachedMs: reached.length > 0 ? Math.min(...reached) : undefined,
    }
  }

  /** Chains are appended to independently of each other. */
  async #appendAll(chains: readonly (readonly SourcedFacts[])[]): Promise<void> {
    const waiting = chains.values()
    const workers = Array.from({ length: limits.auditChainsAtOnce }, async () => {
      for (const entries of waiting) for (const sourced of entries) await this.#append(sourced)
    })
    await Promise.all(workers)
  }

  async #append(sourced: SourcedFacts): Promise<void> {
    const appended = await this.#options.chain.append(sourced)
    if (appended) await this.#options.onEntry?.(appended.entry, appended.seq)
  }

  async #batch(source: AuditSource): Promise<Batch> {
    const messages: SourceMessage[] = []
    const from = (this.#positions[source.name] ?? 0) + 1
    for await (const record of source.log.read(source.subject, from)) {
      messages.push(this.#parse(source, record))
      if (messages.length >= limits.auditBatchEntries) return { source, messages, isLast: false }
    }
    return { source, messages, isLast: true }
  }

  /**
   * A message that cannot be read is recorded as unreadable and does not block the following ones.
   */
  #parse(source: AuditSource, record: LogRecord): SourceMessage {
    try {
      return source.parse(record)
    } catch (error) {
      const { subject, seq, atMs = 0 } = record
      this.#options.log.error({ err: error, subject, seq }, 'audit: a message cannot be read')
      const src = { stream: source.stream, seq }
      const object = { kind: 'message', id: subject }
      const facts = ownFacts('unreadable', platformTenant, atMs, object)
      return { client: platformTenant, at: atMs, src, facts }
    }
  }

  async #sourcedFacts(
    { source, message }: Placed,
    numbers: Map<string, number>,
  ): Promise<readonly SourcedFacts[]> {
    const { src, facts } = message
    const gap = await this.#gap(source, message, numbers)
    const sourced = facts ? [{ source: source.name, src, facts }] : []
    return gap ? [{ source: `${source.name}.gap`, src, facts: gap }, ...sourced] : sourced
  }

  /**
   * An actor numbers its entries without gaps, so a missing number was removed before it was read.
   */
  async #gap(
    source: AuditSource,
    { actor, client, at, src }: SourceMessage,
    numbers: Map<string, number>,
  ): Promise<AuditFacts | undefined> {
    if (!actor) return undefined
    const { kind, id, n } = actor
    const seen = numbers.get(id) ?? this.#numbers.get(id)
    const known = seen ?? (await this.#before(source, src.seq, actor))
    numbers.set(id, Math.max(n, known ?? 0))
    if (known !== undefined && n <= known + 1) return undefined
    const which = known === undefined ? `before ${n}` : `${known + 1} to ${n - 1}`
    const reason = `entries ${which} of its log were dropped before they were read`
    this.#options.log.error({ kind, id, n, known }, 'audit: entries of a log are missing')
    return { ...ownFacts('gap', client, at, { kind, id }), reason }
  }

  /**
   * The number before this entry, for an actor not seen yet; undefined if it cannot be determined.
   */
  async #before(
    source: AuditSource,
    seq: number,
    { kind, id, n }: NonNullable<SourceMessage['actor']>,
  ): Promise<number | undefined> {
    if (n === 1) return 0
    // A log has no gaps, so if its first entry is older than this one, entry n - 1 existed.
    const subject = source.subject.replace('*', id)
    for await (const first of source.log.read(subject)) return first.seq < seq ? n - 1 : undefined
    this.#options.log.debug({ kind, id }, 'audit: a log was removed while it was read')
    return undefined
  }

  #remember(id: string, n: number): void {
    this.#numbers.delete(id)
    this.#numbers.set(id, n)
    const [oldest] = this.#numbers.keys()
    if (this.#numbers.size > limits.auditActorsKnown && oldest !== undefined) {
      this.#numbers.delete(oldest)
    }
  }
}

interface Placed {
  readonly source: AuditSource
  readonly message: SourceMessage
}

/** Sorted by time within the order of each source, because hosts' clocks differ. */
function* inOrder(batches: readonly Batch[]): Generator<Placed> {
  const queues = batches.map(({ source, messages }) => ({ source, messages, next: 0 }))
  for (;;) {
    let first:
      { readonly queue: (typeof queues)[number]; readonly message: SourceMessage } | undefined
    for (const queue of queues) {
      const message = queue.messages[queue.next]
      if (message && (!first || message.at < first.message.at)) first = { queue, message }
    }
    if (!first) return
    first.queue.next++
    yield { source: first.queue.source, message: first.message }
  }
}

function ownFacts(
  what: string,
  client: string,
  at: number,
  object: AuditFacts['object'],
): AuditFacts {
  const { kind, id } = systemAuthor('audit')
  return {
    client,
    at,
    actor: { kind, id },
    action: `audit.${what}`,
    object,
    outcome: 'failed',
  }
}
