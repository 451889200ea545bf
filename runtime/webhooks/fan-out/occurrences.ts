/** Derives events and their owner from a message of a stream. */
import { defined } from '../../../proto/defined.ts'
import { z } from 'zod'
import { isAreaKey } from '../../../proto/access/areas/areas.ts'
import type { WebhookEvent, WebhookSurface } from '../../../proto/access/webhooks/delivery.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { decode } from '../../../proto/codec.ts'
import type { StateRecord } from '../../../proto/task/task.ts'
import { decodeRecord } from '../../access/records/record-store.ts'
import type { LogEntry } from '../../actor/log.ts'
import type { LogRecord, LogStore } from '../../store/store.ts'
import { eventIdOf } from '../delivery/make.ts'
import type { ActorMoment, RecordMoment } from '../events/event-type.ts'
import { actorEvents, recordEvents } from '../events/registry.ts'
import { taskEvents } from '../events/service.ts'

export interface Occurrence {
  readonly tenant: string
  readonly event: WebhookEvent
  /** The record at the time of the event, for the conditions of a grant. */
  readonly record?: StoredRecord
}

export interface OccurrenceBatch {
  readonly happenings: readonly Occurrence[]
  /** A grant whose endpoints end with it. */
  readonly endedGrant?: { readonly tenant: string; readonly id: string }
}

const nothing: OccurrenceBatch = { happenings: [] }

const sourceOf = ({ subject, seq }: LogRecord, atMs: number) => `${subject} ${seq} ${atMs}`

/** `$KV.records.<client>.<area>.<id>`. `log`: the stream of the records, for previous values. */
export async function recordOccurrences(
  message: LogRecord,
  log: Pick<LogStore, 'read'>,
): Promise<OccurrenceBatch> {
  const [, , tenant = '', area = '', id = ''] = message.subject.split('.')
  // A bare deletion removes a tombstone, long after the deletion was reported.
  if (message.data.byteLength === 0 || !isAreaKey(area)) return nothing
  const record = decodeRecord(message.data)
  const { version, fields, _m: made } = record
  const rules = recordEvents.filter((rule) => rule.area === area)
  const before = rules.some(({ compares }) => compares) ? await previous(message, log) : undefined
  const moment: RecordMoment = {
    ...{ action: made.action, version, changed: made.changed, fields },
    ...(before && { before: before.fields }),
  }
  const happenings = rules
    .filter(({ when }) => when(moment))
    .map(({ type }): Occurrence => {
      const atMs = made.at
      const event = {
        id: eventIdOf(sourceOf(message, atMs), type, atMs),
        ...{ type, atMs, object: { area, id, version } },
      }
      return { tenant, event, record }
    })
  return { happenings }
}

/** The previous value, if the bucket still has it. */
async function previous(
  { subject, seq }: LogRecord,
  log: Pick<LogStore, 'read'>,
): Promise<StoredRecord | undefined> {
  let found: LogRecord | undefined
  for await (const earlier of log.read(subject)) {
    if (earlier.seq >= seq) break
    found = earlier
  }
  return found && found.data.byteLength > 0 ? decodeRecord(found.data) : undefined
}

const snapshot = z.object({
  value: z.string(),
  context: z.looseObject({ tenant: z.string(), version: z.number().optional() }),
})

/** Handles an entry in the log of an actor. */
export function actorOccurrences(surface: WebhookSurface, message: LogRecord): OccurrenceBatch {
  const entry = decode<LogEntry>(message.data)
  const { kind, id, at } = entry
  const { value: status, context } = snapshot.parse(entry.snapshot)
  const { tenant, version } = context
  const moment: ActorMoment = { event: entry.event.type, at, id, status, context }
  const happenings = actorEvents[surface]
    .filter((rule) => rule.kind === kind && rule.when(moment))
    .map(({ type, area, about, more }): Occurrence => {
      const recordId = about?.(moment)
      const own = { kind, id, ...defined({ version }) }
      const object = area && recordId !== undefined ? { area, id: recordId } : own
      const event = {
        id: eventIdOf(sourceOf(message, at), type, at),
        ...{ type, atMs: at, object },
        ...(more && { more: more(moment) }),
      }
      return { tenant, event }
    })
  const isOver = kind === 'grant' && (status === 'ended' || status === 'revoked')
  return { happenings, ...(isOver && { endedGrant: { tenant, id } }) }
}

/** Handles a public record of a task's state. The task's owner is read from its log. */
export async function taskOccurrences(
  message: LogRecord,
  tenantOf: (taskId: string) => Promise<string | undefined>,
): Promise<OccurrenceBatch> {
  const record = JSON.parse(Buffer.from(message.data).toString()) as StateRecord
  const rule = taskEvents.find(({ states }) => states.includes(record.state))
  const tenant = rule && (await tenantOf(record.task_id))
  if (!rule || tenant === undefined) return nothing
  const { type } = rule
  const atMs = Date.parse(record.at)
  const more = { status: record.status, ...(record.end && { reason: record.end }) }
  const object = { kind: 'task', id: record.task_id }
  const id = eventIdOf(`${message.subject} ${record.n}`, type, atMs)
  return { happenings: [{ tenant, event: { id, type, atMs, object, more } }] }
}
