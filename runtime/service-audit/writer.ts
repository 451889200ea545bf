/** Writes entries of the service's audit, in the background: no request waits for its entry. */
import type { Logger } from 'pino'
import { noTenant, type ServiceAuditEntry } from '../../proto/service-audit.ts'
import { subjects } from '../../proto/subjects.ts'
import { StreamOutbox } from '../store/stream-outbox.ts'
import type { Clock } from '../lib/clock.ts'
import { Repeats } from '../lib/repeats.ts'
import type { SharedLog } from '../store/store.ts'
import { serviceAuditLimits as limits } from './limits.ts'

/** An entry before it has its time. */
export type NewAuditEntry = Omit<ServiceAuditEntry, 'at' | 'count'>

export interface ServiceAuditOptions {
  readonly stream: Pick<SharedLog, 'add'>
  readonly clock: Clock
  readonly log: Logger
}

export class ServiceAudit {
  readonly #clock: Clock
  readonly #outbox: StreamOutbox
  readonly #repeats: Repeats<NewAuditEntry>

  constructor(options: ServiceAuditOptions) {
    this.#clock = options.clock
    this.#outbox = new StreamOutbox({ ...options, what: 'service audit', encode: encodeJson })
    this.#repeats = new Repeats<NewAuditEntry>({
      clock: options.clock,
      everyMs: limits.repeatMs,
      keysMax: limits.repeatsTold,
      write: (entry, count) => this.#write({ ...entry, ...(count !== undefined && { count }) }),
    })
  }

  /** `id` names what may be told twice within two minutes, so that it is written once. */
  add(entry: NewAuditEntry, id?: string): void {
    this.#write(entry, id)
  }

  /** For refusals: of those with the same `key` the first is written, then once a minute a count. */
  addRepeated(key: string, entry: NewAuditEntry): void {
    this.#repeats.add(`${entry.action} ${key}`, `${entry.action} others`, entry)
  }

  /** Sends what waits, for a while. */
  async close(): Promise<void> {
    this.#repeats.flush()
    await this.#outbox.close()
  }

  #write(entry: Omit<ServiceAuditEntry, 'at'>, id?: string): void {
    const at = new Date(this.#clock.now()).toISOString()
    const subject = subjects.serviceAudit(entry.tenant ?? noTenant)
    this.#outbox.send(subject, { at, ...entry }, id)
  }
}

/** Writes one entry now. Throws {@link StoreFull} and {@link StoreUnavailable}. */
export async function writeEntry(
  stream: Pick<SharedLog, 'add'>,
  entry: NewAuditEntry,
  clock: Clock,
  id: string,
): Promise<void> {
  const at = new Date(clock.now()).toISOString()
  await stream.add(
    subjects.serviceAudit(entry.tenant ?? noTenant),
    encodeJson({ at, ...entry }),
    id,
  )
}

const encodeJson = (entry: unknown) => Buffer.from(JSON.stringify(entry))
