/** `/ws`: decides who may follow which tasks, and manages its sockets. */
import { defined } from '../../../proto/defined.ts'
import { noKeyId } from '../../../proto/accounts/key.ts'
import { limits } from '../../../proto/limits.ts'
import { subjects } from '../../../proto/subjects.ts'
import { isTaskOver, type TaskRecord, type TaskView } from '../../../proto/task/task.ts'
import type { LogStore } from '../../../runtime/store/store.ts'
import {
  whenWatching,
  type Authenticator,
  type SocketGrant,
  type WatchGrant,
} from '../../routing/auth/auth.ts'
import type { KeylessWatch } from './keyless-watch.ts'
import type { KeyValidity } from '../../routing/auth/key-validity.ts'
import { badField } from '../../routing/schemas/validate.ts'
import { socketCodes } from '../../server/closing.ts'
import type { HttpRequest } from '../../server/http.ts'
import { StandingSockets } from '../../sessions/sockets/standing-sockets.ts'
import type { SessionService } from '../../sessions/sessions.ts'
import type { KnownRecord } from './backlog.ts'
import { TaskFeeds, type FeedDeps } from './feeds.ts'
import { RecordSocket } from './socket.ts'
import { TaskTail } from './tail.ts'
import { noSuchTask, type TaskService } from '../tasks.ts'
import type { SessionViews } from '../../sessions/session-views.ts'
import type { RunningTasks, TaskViews } from '../task-views.ts'
import { taskFeedLimits } from '../limits.ts'

export interface RecordsEndpointDeps extends FeedDeps {
  readonly auth: Pick<Authenticator, 'byWatcher' | 'keyMissing'>
  readonly sessions: Pick<SessionService, 'usable'>
  readonly tasks: Pick<TaskService, 'get'>
  readonly views: SessionViews
  readonly keyValidity: KeyValidity
  readonly keyless: KeylessWatch
  readonly taskViews: TaskViews
  readonly runningTasks: RunningTasks
}

/** What a socket follows; `key` groups the sockets of one target. */
type Target = TaskTarget | LiveTarget
interface TaskTarget {
  readonly kind: 'task'
  readonly key: string
  readonly known: KnownRecord | 'from now'
}
interface LiveTarget {
  readonly kind: 'session' | 'tenant'
  readonly key: string
  readonly tenant: string
}

export const isRecordsPath = (path: string) => path === '/ws'

export class RecordsEndpoint {
  /** Also for the console, so that a task has one follower. */
  readonly feeds: TaskFeeds
  readonly #deps: RecordsEndpointDeps
  readonly #sockets: StandingSockets<RecordSocket>
  readonly #unwatch: () => void
  #isDraining = false

  constructor(deps: RecordsEndpointDeps) {
    this.#deps = deps
    this.feeds = new TaskFeeds(deps)
    this.#sockets = new StandingSockets(deps)
    this.#unwatch = deps.taskViews.onChange((view) => view && this.#seen(view))
  }

  get sockets(): number {
    return this.#sockets.size
  }

  /** Throws the error that refuses the upgrade. */
  async connect(request: HttpRequest) {
    const grant = this.#deps.auth.byWatcher(request)
    if ('sessionId' in grant && grant.keyId === noKeyId) await this.#admitKeyless(grant, request)
    const target = await this.#target(grant, request.query)
    const { key } = target
    const { clock, log } = this.#deps
    const socket = new RecordSocket({
      log,
      nowMs: clock.now(),
      onOver: (over, last) => {
        if (target.kind === 'task' && !this.#isDraining) over.end(socketCodes.done, lastWords(last))
      },
      onClosed: (closed) => void this.#sockets.delete(key, closed),
    })
    this.#sockets.add(key, socket, grant, taskFeedLimits.feedSocketsPerTarget)
    try {
      if (target.kind === 'task') await this.#followOne(socket, target)
      else await this.#followLive(socket, target)
      return { handler: socket, keyId: grant.keyId }
    } catch (error) {
      socket.closed()
      throw error
    }
  }

  async drain(): Promise<void> {
    this.#isDraining = true
    this.#unwatch()
    // Stopped first, so that no socket waits for a task's last record.
    await this.feeds.stop()
    this.#sockets.drain()
  }

  async #admitKeyless(grant: SocketGrant, request: HttpRequest): Promise<void> {
    const { auth, views, sessions, keyless } = this.#deps
    const { sessionId } = grant
    const session = views.get(sessionId) ?? (await sessions.usable(grant, sessionId))
    if (!keyless.admits(request, session)) throw auth.keyMissing(request, whenWatching)
  }

  async #target(grant: WatchGrant, query: URLSearchParams): Promise<Target> {
    const taskId = query.get('taskId')
    const since = numberOf(query, 'since')
    const sinceState = numberOf(query, 'since_state')
    if (taskId === null && (since ?? sinceState) !== undefined) {
      throw badField('since', 'since counts the steps of one task: name the task with taskId.')
    }
    if (taskId !== null) return this.#task(grant, taskId, since, sinceState)
    if (!('sessionId' in grant)) {
      return { kind: 'tenant', key: tenantKey(grant.tenant), tenant: grant.tenant }
    }
    const { id, tenant } = await this.#deps.sessions.usable(grant, grant.sessionId)
    return { kind: 'session', key: id, tenant }
  }

  /** Without a number to start from, the client gets the task's current state and what follows. */
  async #task(grant: WatchGrant, taskId: string, since?: number, state?: number): Promise<Target> {
    // The tenant and session of a task never change, so an old view is good enough.
    const view = this.#deps.taskViews.get(taskId) ?? (await this.#deps.tasks.get(grant, taskId))
    if (!covers(grant, view)) throw noSuchTask()
    const isFromNow = since === undefined && state === undefined
    const known = { step: since ?? 0, ...defined({ state }) }
    return { kind: 'task', key: taskId, known: isFromNow ? 'from now' : known }
  }

  /** Reads the task's current position only after the client was admitted. */
  async #followOne(socket: RecordSocket, { key, known }: TaskTarget): Promise<void> {
    await this.#follow(socket, key, known === 'from now' ? await this.#newest(key) : known)
  }

  async #newest(taskId: string): Promise<KnownRecord | undefined> {
    const { steps } = this.#deps
    const step = await newestRecord(steps, subjects.taskStep(taskId))
    const state = await newestRecord(steps, subjects.taskState(taskId))
    return state && { step: step?.n ?? 0, state: state.n - 1, fromSeq: state.seq }
  }

  /** Follows running tasks from now on, and tasks that start later from their beginning. */
  async #followLive(socket: RecordSocket, target: LiveTarget): Promise<void> {
    const running = this.#deps.runningTasks.ofTenant(target.tenant)
    const views = running.filter((view) => keysOf(view).includes(target.key))
    await Promise.all(views.map(({ id }) => this.#follow(socket, id)))
  }

  #seen(view: TaskView): void {
    const keys = keysOf(view)
    const sockets = [view.id, ...keys].flatMap((key) => [...this.#sockets.of(key)])
    if (isTaskOver(view.state)) for (const each of sockets) each.tailOf(view.id)?.expectEnd()
    // A socket that follows one task is not in these groups; it started at the position it asked
    // for.
    for (const socket of keys.flatMap((key) => [...this.#sockets.of(key)])) {
      // The end time is from another host's clock.
      const earliestMs = socket.sinceMs - limits.clockSkewMs
      if ((view.endedAtMs ?? Infinity) >= earliestMs) void this.#followNew(socket, view.id)
    }
  }

  async #followNew(socket: RecordSocket, taskId: string): Promise<void> {
    try {
      await this.#follow(socket, taskId, { step: 0 })
    } catch (error) {
      socket.failed(error)
    }
  }

  async #follow(socket: RecordSocket, taskId: string, known?: KnownRecord): Promise<void> {
    if (!socket.begin(taskId)) return
    const { steps, clock, taskViews } = this.#deps
    const options = { feeds: this.feeds, steps, clock, taskId, reader: socket }
    const tail = await TaskTail.open(known ? { ...options, known } : options)
    socket.follow(tail)
    const view = taskViews.get(taskId)
    if (!view || isTaskOver(view.state)) tail.expectEnd()
  }
}

const tenantKey = (tenant: string) => `tenant:${tenant}`

/** The keys of the sockets that follow this task as one of several. */
const keysOf = ({ tenant, sessionId }: TaskView) => [
  tenantKey(tenant),
  ...(sessionId ? [sessionId] : []),
]

function covers(grant: WatchGrant, { tenant, sessionId }: TaskView): boolean {
  if (!('sessionId' in grant)) return grant.tenant === tenant
  return grant.sessionId === sessionId && (grant.tenant ?? tenant) === tenant
}

async function newestRecord(steps: LogStore, subject: string) {
  const last = await steps.last(subject)
  return (
    last && { n: (JSON.parse(Buffer.from(last.data).toString()) as TaskRecord).n, seq: last.seq }
  )
}

function lastWords(last: TaskRecord | undefined): string {
  return `${last?.type === 'state' ? last.state : 'over'}: the task has ended.`
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw badField(name, `${name} must be a whole number.`)
}
