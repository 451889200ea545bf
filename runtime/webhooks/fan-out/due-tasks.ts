/**
 * Tasks whose due date passes. The date is stored in the record; here it is only watched, for
 * clients whose endpoints subscribe to `task.overdue`. Progress is a time: everything that was due
 * before it has been sent.
 */
import { isAccessId, type ClientId } from '../../../proto/access/ids.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import type {
  RevisionedRecord,
  RecordUpdate,
  RecordStore,
} from '../../access/records/record-store.ts'
import type { BucketWatch } from '../../store/store.ts'
import { eventIdOf } from '../delivery/make.ts'
import { taskOverdueEvent } from '../events/client-context.ts'
import { isEventTypeNamed } from '../events/registry.ts'
import type { WebhookViews } from '../views.ts'
import type { Occurrence } from './occurrences.ts'

export interface DueTasksDeps {
  readonly records: Pick<RecordStore, 'get' | 'watch'>
  readonly views: Pick<WebhookViews, 'endpoints' | 'onEndpoint'>
}

interface Due {
  readonly dueMs: number
  readonly revision: number
}

interface Watched {
  readonly tasks: Map<string, Due>
  readonly watch: BucketWatch
}

export interface DueBatch {
  readonly happenings: readonly Occurrence[]
  /** True if more may follow. */
  readonly isFull: boolean
  /** Called once the events are shared out, so that they are not returned again. */
  settle(): void
}

const area = 'tasks'
/** Deferred, completed or cancelled tasks do not become overdue. */
const closed = ['completed', 'deferred', 'cancelled']

export class DueTasks {
  readonly #deps: DueTasksDeps
  readonly #watched = new Map<ClientId, Watched>()
  #isStale = true
  #handledUntilMs = 0

  constructor(deps: DueTasksDeps) {
    this.#deps = deps
    deps.views.onEndpoint(() => {
      this.#isStale = true
    })
  }

  /** `handledUntilMs`: a previous host has handled everything that was due until then. */
  begin(handledUntilMs: number): void {
    this.stop()
    this.#handledUntilMs = handledUntilMs
  }

  /**
   * Everything due before this time is handled. Reduced by a margin, because a repeat has no
   * effect.
   */
  get handledUntilMs(): number {
    return this.#handledUntilMs - limits.dueMarginMs
  }

  get isWatching(): boolean {
    return this.#watched.size > 0
  }

  /** Another host may take over from now on. */
  stop(): void {
    for (const client of [...this.#watched.keys()]) this.#stopWatching(client)
    this.#isStale = true
  }

  /** Tasks whose due date has passed, in their current state. */
  async passed(nowMs: number): Promise<DueBatch> {
    if (this.#isStale) await this.#follow()
    const candidates = [...this.#watched].flatMap(([client, { tasks }]) =>
      [...tasks]
        .filter(([, { dueMs }]) => dueMs <= nowMs)
        .map(([id, due]) => ({ client, id, due })),
    )
    const some = candidates.slice(0, limits.fanOutBatch)
    const happenings: Occurrence[] = []
    for (const { client, id, due } of some) {
      const held = await this.#deps.records.get(client, area, id)
      if (held && dueOf(held.record) === due.dueMs)
        happenings.push(overdueOf(held.record, due.dueMs))
    }
    const isFull = candidates.length > some.length
    return {
      happenings,
      isFull,
      settle: () => {
        for (const { client, id, due } of some) {
          const tasks = this.#watched.get(client)?.tasks
          // It may have changed meanwhile and have another date.
          if (tasks?.get(id) === due) tasks.delete(id)
        }
        if (!isFull) this.#handledUntilMs = Math.max(this.#handledUntilMs, nowMs)
      },
    }
  }

  /** Watches the tasks of the clients that subscribe, and no others. */
  async #follow(): Promise<void> {
    this.#isStale = false
    const asking = new Set<ClientId>()
    for (const { tenant, status, events } of this.#deps.views.endpoints()) {
      const isAsked = events.some((name) => isEventTypeNamed(name, taskOverdueEvent.type))
      const isLive = status !== 'removed' && status !== 'pending'
      if (isAsked && isLive && isAccessId('client', tenant)) asking.add(tenant)
    }
    for (const client of [...this.#watched.keys()])
      if (!asking.has(client)) this.#stopWatching(client)
    try {
      for (const client of asking) if (!this.#watched.has(client)) await this.#watch(client)
    } catch (error) {
      this.#isStale = true
      throw error
    }
  }

  async #watch(client: ClientId): Promise<void> {
    const tasks = new Map<string, Due>()
    let isLive = false
    const onUpdate = (news: RecordUpdate) => {
      if (news.type === 'put') this.#note(tasks, news.held, isLive)
      else if (news.type === 'drop') tasks.delete(news.id)
    }
    const watch = await this.#deps.records.watch(client, onUpdate, area)
    isLive = true
    this.#watched.set(client, { tasks, watch })
  }

  #note(tasks: Map<string, Due>, { record, revision }: RevisionedRecord, isLive: boolean): void {
    const { id, updatedAtMs } = record
    const known = tasks.get(id)
    if (known && known.revision > revision) return
    tasks.delete(id)
    const dueMs = dueOf(record)
    if (dueMs === undefined) return
    // A task that was overdue when it was written was handled then, or needs no event.
    const isAhead = dueMs > this.handledUntilMs || (isLive && dueMs > updatedAtMs)
    if (isAhead) tasks.set(id, { dueMs, revision })
  }

  #stopWatching(client: ClientId): void {
    this.#watched.get(client)?.watch.stop()
    this.#watched.delete(client)
  }
}

/** Wall-clock ms; undefined for a task without a due date. */
function dueOf({ fields, deletedAtMs }: StoredRecord): number | undefined {
  const { due_at: due, status } = fields
  if (deletedAtMs !== undefined || typeof due !== 'string') return undefined
  if (closed.includes(String(status))) return undefined
  const dueMs = Date.parse(due)
  return Number.isNaN(dueMs) ? undefined : dueMs
}

/** The same event for the same task and date, on every host. */
function overdueOf(record: StoredRecord, atMs: number): Occurrence {
  const { client: tenant, id, version } = record
  const eventId = eventIdOf(`${tenant} ${id} due`, taskOverdueEvent.type, atMs)
  const event = {
    id: eventId,
    type: taskOverdueEvent.type,
    atMs,
    object: { area, id, version },
  } as const
  return { tenant, event, record }
}
