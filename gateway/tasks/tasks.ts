/**
 * Operations on tasks for REST: writes are commands to the task's actor, lists are read from views.
 */
import { defined } from '../../proto/defined.ts'
import type { Logger } from 'pino'
import type { MessageTo } from '../../proto/actor.ts'
import { isNotFound, ServiceError } from '../../proto/errors.ts'
import { idLike, isId, newId } from '../../proto/ids.ts'
import { isTaskOver, type TaskBody, type TaskInput, type TaskView } from '../../proto/task/task.ts'
import { taskActor } from '../../proto/task/task-protocol.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { AskOptions, Directory } from '../../runtime/actor/directory.ts'
import type { Principal } from '../routing/auth/auth.ts'
import { requirePrivateScope } from '../routing/auth/key-scope.ts'
import { currentView, ofTenant, type ViewOwner } from '../routing/current-view.ts'
import type { Attempt } from '../routing/route.ts'
import type { SessionAdmission, PendingSession } from '../sessions/admission.ts'
import type { SessionService } from '../sessions/sessions.ts'
import type { TasksBySession } from './by-session.ts'
import type { TaskOrders } from './orders.ts'
import type { TaskViews } from './task-views.ts'
import { taskFeedLimits } from './limits.ts'
import { taskLimits } from '../../proto/task/task-limits.ts'

export interface TasksDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly sessions: SessionService
  readonly admission: SessionAdmission
  readonly taskViews: TaskViews
  readonly tasksBySession: TasksBySession
  readonly orders: TaskOrders
  readonly clock: Clock
  readonly log: Logger
}

/** The commands to a task that REST callers may send. */
export type PublicVerb = 'get' | 'cancel' | 'pause' | 'resume' | 'answer'

interface Created {
  readonly id: string
  readonly createdAtMs: number
  readonly sessionId?: string
}

export interface QuestionAnswer {
  readonly questionId?: string | undefined
  readonly text?: string | undefined
  readonly approve?: boolean | undefined
}

export class TaskService {
  readonly #deps: TasksDeps
  /** The owners of tasks that will create a session and that no view shows yet, by task id. */
  readonly #ordered = new Map<string, Pick<Principal, 'keyId' | 'tenant'>>()
  /** Called for each held request when this gateway stops. */
  readonly #held = new Set<() => void>()
  #isDraining = false

  constructor(deps: TasksDeps) {
    this.#deps = deps
  }

  /** Resolves when the task exists, long before it has done anything. */
  async create(
    caller: Principal,
    body: TaskBody,
    sessionId?: string,
    attempt?: Attempt,
  ): Promise<TaskView> {
    const { allow_private_network: allowPrivate, session_options: options } = body
    requirePrivateScope(caller, allowPrivate || options?.session?.network?.allow_private)
    const { clock, sessions, admission } = this.#deps
    const createdAtMs = clock.now()
    const id = attempt ? idLike('tsk', attempt.id) : newId('tsk', createdAtMs)
    if (sessionId !== undefined) {
      admission.admitToStore(caller.tenant)
      await sessions.usable(caller, sessionId)
      return this.#create(caller, body, { id, createdAtMs, sessionId })
    }
    admission.admit(caller, this.#sessionsToCome(caller.tenant))
    this.#ordered.set(id, caller)
    try {
      return await this.#create(caller, body, { id, createdAtMs })
    } finally {
      this.#ordered.delete(id)
    }
  }

  /**
   * The task that an earlier attempt of the same request created, which continues without its
   * gateway.
   */
  async findStarted(
    caller: Principal,
    attempt: Attempt | undefined,
  ): Promise<TaskView | undefined> {
    if (attempt === undefined || attempt.after === 'nothing') return undefined
    try {
      return await this.get(caller, idLike('tsk', attempt.id))
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  async #create(
    { keyId, keyName, tenant }: Principal,
    body: TaskBody,
    { id, createdAtMs, ...given }: Created,
  ): Promise<TaskView> {
    const { directory, orders, taskViews } = this.#deps
    const order = await orders.make(body, { id, tenant, ...given })
    const input: TaskInput = { id, tenant, keyId, keyName, createdAtMs, order }
    const { view } = await directory.create(taskActor, id, input)
    taskViews.learn(view)
    return view
  }

  /**
   * Resolves with the view of the finished task. When `gone` aborts because the client left, the
   * task is cancelled.
   */
  async outcome({ id, tenant, expiresAtMs }: TaskView, gone: AbortSignal): Promise<TaskView> {
    const { clock } = this.#deps
    const leftMs = (expiresAtMs ?? clock.now() + taskLimits.taskSecondsMax * 1_000) - clock.now()
    const cancel = () => void this.#abandon(id, tenant)
    if (gone.aborted) cancel()
    gone.addEventListener('abort', cancel, { once: true })
    const timeoutMs = leftMs + taskFeedLimits.taskHeldSlackMs
    const over = this.tell(tenant, id, { type: 'get' }, { timeoutMs, untilSettled: true })
    let letGo = () => {}
    const drained = new Promise<never>((_, reject) => (letGo = () => reject(stillRunningError(id))))
    this.#held.add(letGo)
    if (this.#isDraining) letGo()
    try {
      return await Promise.race([over, drained])
    } finally {
      this.#held.delete(letGo)
      gone.removeEventListener('abort', cancel)
    }
  }

  get(whose: ViewOwner, id: string): Promise<TaskView> {
    return currentView({
      known: ofTenant(this.#deps.taskViews.get(id), whose),
      isOver: ({ state }) => isTaskOver(state),
      ask: () => this.tell(whose.tenant, id, { type: 'get' }),
    })
  }

  async tell(
    tenant: string | undefined,
    id: string,
    message: MessageTo<typeof taskActor, PublicVerb>,
    options: AskOptions = {},
  ): Promise<TaskView> {
    if (!isId('tsk', id)) throw noSuchTask()
    try {
      const { directory } = this.#deps
      return (await directory.ask(taskActor, id, message, { ...options, tenant })).view
    } catch (error) {
      throw isNotFound(error) ? noSuchTask() : error
    }
  }

  /** Has no effect on a finished task. Returns when the task is over, or after a time limit. */
  async cancel({ tenant }: Pick<Principal, 'tenant'>, id: string): Promise<TaskView> {
    const view = await this.tell(tenant, id, { type: 'cancel' })
    if (isTaskOver(view.state)) return view
    try {
      const options = { timeoutMs: taskFeedLimits.cancelMs, untilSettled: true }
      return await this.tell(tenant, id, { type: 'get' }, options)
    } catch (error) {
      if (error instanceof ServiceError && error.type === 'timeout') return view
      throw error
    }
  }

  /** Throws `conflict` if the task asks nothing, or something else. */
  async answer(
    { tenant }: Pick<Principal, 'tenant'>,
    id: string,
    { questionId, text, approve }: QuestionAnswer,
  ): Promise<TaskView> {
    const asked = questionId ?? (await this.get({ tenant }, id)).question?.id
    if (asked === undefined) throw new ServiceError('conflict', 'The task has no open question.')
    return this.tell(tenant, id, {
      type: 'answer',
      questionId: asked,
      ...defined({ text, approve }),
    })
  }

  /** The unfinished tasks of a session, oldest first; the first one is being worked on. */
  ofSession(tenant: string, sessionId: string): readonly TaskView[] {
    return this.#deps.tasksBySession
      .of(sessionId)
      .filter((view) => view.tenant === tenant && !isTaskOver(view.state))
  }

  /** Tells waiting callers that their tasks continue without this gateway. */
  drain(): void {
    this.#isDraining = true
    for (const letGo of this.#held) letGo()
  }

  /** Sessions that tasks of this tenant will create, or whose creation is not visible yet. */
  #sessionsToCome(tenant: string): readonly PendingSession[] {
    const { taskViews } = this.#deps
    const known = taskViews
      .list(tenant)
      .filter((view) => view.ownsSession && !isTaskOver(view.state))
      .flatMap(({ sessionId, keyId }) => (sessionId === undefined ? [] : { id: sessionId, keyId }))
    const unseen = [...this.#ordered]
      .filter(([id, by]) => by.tenant === tenant && taskViews.get(id) === undefined)
      .map(([id, { keyId }]) => ({ id, keyId }))
    return [...known, ...unseen]
  }

  async #abandon(id: string, tenant: string): Promise<void> {
    try {
      await this.tell(tenant, id, { type: 'cancel' })
    } catch (error) {
      // The task will end at its own time limit.
      if (!isNotFound(error)) this.#deps.log.warn({ err: error, id }, 'task not abandoned')
    }
  }
}

function stillRunningError(id: string): ServiceError {
  const message = 'This gateway is shutting down. The task continues: poll its status.'
  return new ServiceError('draining', message, { task_id: id })
}

/** The same answer for unknown ids, malformed ids and those of other tenants. */
export function noSuchTask(): ServiceError {
  return new ServiceError('not_found', 'There is no task with this id.')
}
