/** A service whose tasks use a scripted model, and a client of its task routes. */
import type { Test } from 'tap'
import type { StepRecord, TaskEnd, TaskState } from '../../../proto/task/task.ts'
import type { ModelScript, ScriptedAnswer } from '../models/answers.ts'
import { serveModel, type ModelServer } from '../models/server.ts'
import { finish } from '../models/obeying.ts'
import {
  startService,
  type ErrorJson,
  type Rest,
  type Service,
  type ServiceOptions,
} from '../service/service.ts'
import { until } from '../lib/until.ts'

/** The form of `GET /v1/tools/perform-web-task/{id}`. */
export interface TaskJson {
  readonly id: string
  readonly status: 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED'
  readonly state: TaskState
  readonly session_id?: string
  readonly steps: number
  readonly usage: { readonly calls: number; readonly input_tokens: number }
  readonly question?: { readonly id: string; readonly kind: string; readonly text: string }
  readonly result?: Readonly<Record<string, unknown>>
  readonly reason?: TaskEnd
  readonly error?: string
}

export type Order = Readonly<Record<string, unknown>> & { readonly prompt: string }

interface Answer<T> {
  readonly data: T
  readonly error?: ErrorJson
}

export interface Performed {
  readonly id: string
  readonly result: Readonly<Record<string, unknown>>
}

const path = '/v1/tools/perform-web-task'

export class TaskClient {
  readonly rest: Rest

  constructor(rest: Rest) {
    this.rest = rest
  }

  /** Waits for the result in a held request. */
  async perform(order: Order, sessionId?: string): Promise<Performed> {
    const { status, body } = await this.#order<Performed>(order, sessionId)
    if (status === 200) return body.data
    throw new Error(`${status} ${body.error?.message}`)
  }

  /** Returns the task's id without waiting for it. */
  async start(order: Order, sessionId?: string): Promise<string> {
    const { status, body } = await this.#order<{ id: string }>({ ...order, async: true }, sessionId)
    if (status === 200) return body.data.id
    throw new Error(`${status} ${body.error?.message}`)
  }

  async get(id: string): Promise<TaskJson> {
    const { status, body } = await this.rest<Answer<TaskJson>>('GET', `${path}/${id}`)
    if (status === 200) return body.data
    throw new Error(`${status} ${body.error?.message}`)
  }

  async steps(id: string): Promise<readonly StepRecord[]> {
    const all: StepRecord[] = []
    for (;;) {
      const at = `${path}/${id}/steps?since=${all.length}`
      const answer = await this.rest<Answer<{ steps: StepRecord[] }>>('GET', at)
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.error?.message}`)
      const { steps } = answer.body.data
      if (steps.length === 0) return all
      all.push(...steps)
    }
  }

  /** `cancel`, `pause`, `resume`, `answer`. */
  async tell(id: string, verb: string, body?: object): Promise<TaskJson> {
    const at = `${path}/${id}/${verb}`
    const answer = await this.rest<Answer<TaskJson>>('POST', at, body)
    if (answer.status === 200) return answer.body.data
    throw new Error(`${answer.status} ${answer.body.error?.message}`)
  }

  /** Resolves with the task once `look` is true of it. */
  when(id: string, what: string, look: (task: TaskJson) => boolean, withinMs?: number) {
    const see = async () => {
      const task = await this.get(id)
      return look(task) && task
    }
    return until(`task ${id} ${what}`, see, withinMs)
  }

  /** Tasks of one session take turns, and a slow machine takes its time. */
  ended(id: string, withinMs = 300_000): Promise<TaskJson> {
    return this.when(id, 'has ended', ({ status }) => status !== 'RUNNING', withinMs)
  }

  #order<T>(order: Order, sessionId?: string) {
    const query = sessionId === undefined ? '' : `?sessionId=${sessionId}`
    return this.rest<Answer<T>>('POST', `${path}${query}`, order)
  }
}

/** Settings that make a scripted model the default provider of a service. */
export const scripted = ({ baseUrl }: Pick<ModelServer, 'baseUrl'>) => ({
  AI_PROVIDER: 'compatible',
  AI_MODEL: 'scripted',
  COMPATIBLE_BASE_URL: baseUrl,
  COMPATIBLE_API_KEY: 'key-of-the-scripted-model',
})

export interface TaskService {
  readonly model: ModelServer
  readonly service: Service
  readonly tasks: TaskClient
}

/** Stopped when the test ends. */
export async function startTaskService(
  t: Test,
  script: ModelScript | ScriptedAnswer = finish(),
  options: ServiceOptions = {},
): Promise<TaskService> {
  const model = await serveModel(script)
  t.teardown(() => model.close())
  const env = { ...scripted(model), ...options.env }
  const service = await startService({ ...options, env })
  t.teardown(() => service.stop())
  return { model, service, tasks: new TaskClient(service.rest) }
}
