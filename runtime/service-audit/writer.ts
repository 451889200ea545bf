/** Writes entries of the service's audit, in the background: no request waits for its entry. */
import { defined } from '../../proto/defined.ts'
import type { Logger } from 'pino'
import { noTenant, type ServiceAuditEntry } from '../../proto/service-audit.ts'
import { subjects } from '../../proto/subjects.ts'
import { StreamOutbox } from '../store/stream-outbox.ts'
import type { Clock } from '../lib/clock.ts'
import { Repeats } from '../lib/repeats/repeats.ts'
import { truncateText } from '../lib/text/clean.ts'
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
      keysMax: limits.repeatKeysMax,
      write: (entry, count) => this.#send({ ...entry, ...defined({ count }) }),
    })
  }

  /** An entry with the same `id` within two minutes is written only once. */
  add(entry: NewAuditEntry, id?: string): void {
    this.#send(entry, id)
  }

  /**
   * For what a caller may cause without limit: writes the first one with this action, tenant and
   * `key`, then a count once a minute.
   */
  addRepeated(key: string, entry: NewAuditEntry): void {
    const { action, tenant = noTenant } = entry
    this.#repeats.add(`${action} ${tenant} ${key}`, `${action} ${tenant} others`, entry)
  }

  /** Sends the waiting entries, for a limited time. */
  async close(): Promise<void> {
    this.#repeats.flush()
    await this.#outbox.close()
  }

  #send(entry: Omit<ServiceAuditEntry, 'at'>, id?: string): void {
    this.#outbox.send(subjectOf(entry), timed(entry, this.#clock), id)
  }
}

/** Writes one entry now. Throws {@link StoreFull} and {@link StoreUnavailable}. */
export async function writeEntry(
  stream: Pick<SharedLog, 'add'>,
  entry: NewAuditEntry,
  clock: Clock,
  id: string,
): Promise<void> {
  await stream.add(subjectOf(entry), encodeJson(timed(entry, clock)), id)
}

/** The stream keeps a number of entries per subject, so refusals push out only refusals. */
const subjectOf = ({ outcome, tenant = noTenant }: NewAuditEntry) =>
  outcome === 'done' ? subjects.serviceAudit(tenant) : subjects.serviceRefusals(tenant)

const timed = (entry: Omit<ServiceAuditEntry, 'at'>, clock: Clock): ServiceAuditEntry => ({
  at: new Date(clock.now()).toISOString(),
  ...entry,
  ...(entry.detail && { detail: withShortTexts(entry.detail) }),
})

/** Some texts are a caller's, such as the name of a CDP method, and may be very long. */
const withShortTexts = (detail: NonNullable<ServiceAuditEntry['detail']>) =>
  Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === 'string' ? truncateText(value, limits.textChars) : value,
    ]),
  )

const encodeJson = (entry: unknown) => Buffer.from(JSON.stringify(entry))
