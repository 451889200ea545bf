/**
 * The sources of events. Events are derived from stored messages and never announced separately, so
 * none is lost. Each source is read in order from a position, and only while its surface has
 * endpoints.
 */
import type { WebhookSurface } from '../../../proto/access/webhooks/delivery.ts'
import { buckets, streams, subjects } from '../../../proto/subjects.ts'
import { readLastEntry } from '../../actor/log.ts'
import type { NatsStore } from '../../store/nats/buckets.ts'
import { bucketStream } from '../../store/nats/stream-plan.ts'
import type { LogRecord, LogStore } from '../../store/store.ts'
import {
  actorOccurrences,
  recordOccurrences,
  taskOccurrences,
  type OccurrenceBatch,
} from './occurrences.ts'

export interface WebhookSource {
  /** Its name among the positions; it never changes. */
  readonly name: string
  readonly surface: WebhookSurface
  readonly stream: string
  readonly subject: string
  readonly log: Pick<LogStore, 'read'>
  /** Throws if the message cannot be read. */
  occurrences(message: LogRecord): Promise<OccurrenceBatch>
}

export function webhookSources(
  store: Pick<NatsStore, 'log' | 'steps' | 'changes'>,
): readonly WebhookSource[] {
  const records = store.changes(buckets.records)
  return [
    {
      ...{ name: 'records', surface: 'access', stream: bucketStream(buckets.records) },
      ...{ subject: `$KV.${buckets.records}.>`, log: records },
      occurrences: (message) => recordOccurrences(message, records),
    },
    actorSource(store.log, 'access', 'request'),
    actorSource(store.log, 'access', 'grant'),
    actorSource(store.log, 'access', 'change'),
    actorSource(store.log, 'service', 'session'),
    {
      ...{ name: 'tasks', surface: 'service', stream: streams.steps },
      ...{ subject: subjects.taskStates, log: store.steps },
      occurrences: (message) => taskOccurrences(message, (id) => tenantOfTask(store.log, id)),
    },
  ]
}

const actorSource = (log: LogStore, surface: WebhookSurface, kind: string): WebhookSource => ({
  ...{ name: kind, surface, stream: streams.log, subject: subjects.logsOf(kind), log },
  occurrences: async (message) => actorOccurrences(surface, message),
})

/** Undefined if retention has removed the task. */
async function tenantOfTask(log: LogStore, id: string): Promise<string | undefined> {
  const last = await readLastEntry(log, 'task', id)
  const { context } = (last?.entry.snapshot ?? {}) as { readonly context?: { tenant?: unknown } }
  return typeof context?.tenant === 'string' ? context.tenant : undefined
}
