/** Tasks that are brought into a certain state and held there, each with its own model. */
import { call, faults, type ModelScript } from '../models/answers.ts'
import { HeldModel } from '../models/held-model.ts'
import type { ChatRequest } from '../models/request.ts'
import { policyModel } from '../models/policy-model.ts'
import { headless } from '../service/service.ts'
import type { TaskPages, TaskRun } from '../pages/task-pages.ts'
import type { TaskClient } from './service.ts'
import { until } from '../lib/until.ts'

export interface Moment {
  readonly id: string
  readonly run: TaskRun
  /** Lets the task continue. */
  goOn(): unknown
}

/** A session’s id; a task without one makes its own. */
type Where = string | undefined

const isVerdict = ({ tools }: ChatRequest) => tools.some(({ name }) => name === 'verdict')
const isAtTheDoor = (request: ChatRequest) =>
  !isVerdict(request) && /^title: Door$/m.test(request.user)
const isAtTheEnd = (request: ChatRequest) =>
  !isVerdict(request) && /The locker is open/.test(request.user)
const runIn = ({ user }: ChatRequest) => /\/([a-z-]+-\d+)\//.exec(user)?.[1] ?? ''

export class TaskMoments {
  readonly #tasks: TaskClient
  readonly #pages: TaskPages
  readonly #scripts = new Map<string, ModelScript>()

  constructor(tasks: TaskClient, pages: TaskPages) {
    this.#tasks = tasks
    this.#pages = pages
  }

  /** For the model server: the run that a request belongs to determines which script answers. */
  readonly script: ModelScript = (request) => {
    return (this.#scripts.get(runIn(request)) ?? policyModel)(request)
  }

  /** By the name of a state. */
  readonly by: Readonly<Record<string, (sessionId: Where) => Promise<Moment>>> = {
    deciding: (sessionId) => this.#whenAsked(sessionId, isAtTheDoor),
    checking: (sessionId) => this.#whenAsked(sessionId, isVerdict),
    /** Its first page is loading. */
    preparing: (sessionId) => this.#whenLoading(sessionId, 'copy.html'),
    /** A link was clicked, and its target is loading. */
    acting: (sessionId) => this.#whenLoading(sessionId, 'copy-door.html'),
    waiting: (sessionId) => this.#whenWaiting(sessionId),
    asking: (sessionId) => this.#whenAsking(sessionId),
    paused: (sessionId) => this.#whenPaused(sessionId),
    queued: (sessionId) => this.#whenQueued(sessionId),
  }

  async start(run: TaskRun, sessionId: Where, script: ModelScript, order: object = {}) {
    this.#scripts.set(new URL(run.url).pathname.split('/')[1]!, script)
    const own = sessionId === undefined && { session_options: headless }
    const more = { prompt: run.goal, url: run.url, allow_private_network: true, ...own }
    return this.#tasks.start({ ...more, ...order }, sessionId)
  }

  /** Its last decision is held, with which it leaves its session. */
  ending(sessionId: Where): Promise<Moment> {
    return this.#whenAsked(sessionId, isAtTheEnd, { final_check: false })
  }

  async #whenAsked(
    sessionId: Where,
    which: (request: ChatRequest) => boolean,
    order: object = {},
  ): Promise<Moment> {
    const run = this.#pages.run('copy')
    const held = new HeldModel(policyModel, which)
    const id = await this.start(run, sessionId, held.script, order)
    await held.next()
    return { id, run, goOn: () => held.letAllGo() }
  }

  async #whenLoading(sessionId: Where, path: string): Promise<Moment> {
    const run = this.#pages.run('copy')
    const page = run.hold(path)
    const id = await this.start(run, sessionId, policyModel)
    await until(`${path} is asked for`, page.isAskedFor)
    return { id, run, goOn: page.letGo }
  }

  async #whenWaiting(sessionId: Where): Promise<Moment> {
    const run = this.#pages.run('copy')
    let isBusy = true
    const id = await this.start(run, sessionId, (request) => {
      const isRefused = isBusy && isAtTheDoor(request)
      return isRefused ? faults.rateLimited({ seconds: 4 }) : policyModel(request)
    })
    await this.#tasks.when(id, 'waits', ({ state }) => state === 'waiting')
    return { id, run, goOn: () => (isBusy = false) }
  }

  async #whenAsking(sessionId: Where): Promise<Moment> {
    const run = this.#pages.run('copy')
    let knows = false
    const script: ModelScript = (request) => {
      knows ||= /The person answers/.test(request.user)
      return knows ? policyModel(request) : call('ask_human', { question: 'Which locker?' })
    }
    const id = await this.start(run, sessionId, script, { human_intervention: true })
    await this.#tasks.when(id, 'asks', ({ question }) => question !== undefined)
    return { id, run, goOn: () => this.#tasks.tell(id, 'answer', { text: 'Mine.' }) }
  }

  async #whenPaused(sessionId: Where): Promise<Moment> {
    const { id, run, goOn } = await this.#whenAsked(sessionId, isAtTheDoor)
    await this.#tasks.tell(id, 'pause')
    await this.#tasks.when(id, 'is paused', ({ state }) => state === 'paused')
    const resume = () => {
      goOn()
      return this.#tasks.tell(id, 'resume')
    }
    return { id, run, goOn: resume }
  }

  /** Queued behind another task, whose model is held. */
  async #whenQueued(sessionId: Where): Promise<Moment> {
    const first = await this.#whenAsked(sessionId, () => true)
    const run = this.#pages.run('copy')
    const id = await this.start(run, sessionId, policyModel)
    return { id, run, goOn: first.goOn }
  }
}
