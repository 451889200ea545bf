/**
 * One running agent: its process, its ACP session, and its current turn. Every event calls
 * `onChange`, and waiting callers then check its state.
 */
import {
  client,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type ClientConnection,
  type ContentBlock,
  type InitializeResponse,
  type NewSessionResponse,
  type StopReason,
} from '@agentclientprotocol/sdk'
import { limits } from '../../../proto/limits.ts'
import { settleWithin, withDeadline, type Clock } from '../../../runtime/lib/clock.ts'
import { version } from '../../../runtime/lib/package.ts'
import { ModelFailure } from '../models/model.ts'
import { errorExcerpt } from '../models/faults/excerpt.ts'
import type { AgentProcess } from './agent-process.ts'
import { mcpServerFor, type McpAccess } from './mcp-access.ts'
import { answerForm, type AskPerson } from './session/elicitation.ts'
import { ToolPermissions } from './session/permission.ts'
import type { AgentSpec } from './registry.ts'
import { AgentOutput } from './session/agent-output.ts'
import { OutsideActs } from './session/outside-acts.ts'
import { taskRunLimits } from '../limits.ts'
import { taskLimits } from '../../../proto/task/task-limits.ts'

export type TurnEnd = { readonly stop: StopReason } | { readonly failed: unknown }

export interface AgentOptions {
  readonly name: string
  /** Agent-specific data for `session/new`. */
  readonly meta: AgentSpec['meta']
  readonly process: AgentProcess
  readonly clock: Clock
  /** Names of our tools. */
  readonly tools: ReadonlySet<string>
  /** Absent: no person can be asked. */
  readonly askPerson?: AskPerson
  /** Where the agent reaches its tools. */
  readonly access: McpAccess
  readonly onChange: () => void
}

export class AcpAgent {
  readonly output = new AgentOutput()
  readonly outside = new OutsideActs()
  readonly #options: AgentOptions
  readonly #connection: ClientConnection
  #hello: InitializeResponse | undefined
  #session: NewSessionResponse | undefined
  #model = ''
  /** Resolves when the turn has ended; undefined between turns. */
  #turn: Promise<void> | undefined
  #turnEnd: TurnEnd | undefined
  #isGone = false

  constructor(options: AgentOptions) {
    this.#options = options
    const { tools, askPerson, process, onChange } = options
    const permissions = new ToolPermissions(tools, (title) => {
      this.outside.recordRefusal(title)
      onChange()
    })
    this.#connection = client({ name: 'troupe' })
      // First, because handlers run in order, and a request must not overtake an earlier
      // notification.
      .onNotification(methods.client.session.update, ({ params }) => {
        permissions.observe(params.update)
        this.output.observe(params.update)
        this.outside.observe(params.update)
        onChange()
      })
      .onRequest(methods.client.session.requestPermission, ({ params }) =>
        permissions.answer(params),
      )
      .onRequest(methods.client.elicitation.create, ({ params, signal }) =>
        askPerson ? answerForm(params, askPerson, signal) : { action: 'decline' },
      )
      .connect(process.stream)
    const gone = () => {
      this.#isGone = true
      onChange()
    }
    void process.exited.then(gone)
    void this.#connection.closed.then(gone, gone)
  }

  /** True if its process or its connection has ended. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** True if no turn is in progress. */
  get isIdle(): boolean {
    return !this.#turn && !this.#turnEnd
  }

  get model(): string {
    return this.#model
  }

  get takesPictures(): boolean {
    return this.#hello?.agentCapabilities?.promptCapabilities?.image === true
  }

  /** Must be called first. Throws a {@link ModelFailure}. */
  async open(model: string | undefined, listed: Promise<void>): Promise<void> {
    const { name, askPerson, access, meta, process } = this.#options
    this.#hello = await this.#ask('initialize', taskRunLimits.agentHandshakeMs, (agent) =>
      agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          ...(askPerson && { elicitation: { form: {} } }),
        },
        clientInfo: { name: 'troupe', version },
      }),
    )
    const speaksHttp = this.#hello.agentCapabilities?.mcpCapabilities?.http === true
    this.#session = await this.#ask('session/new', taskRunLimits.agentHandshakeMs, (agent) =>
      agent.request(methods.agent.session.new, {
        cwd: process.folder,
        mcpServers: [mcpServerFor(access, speaksHttp)],
        ...(meta && { _meta: meta }),
      }),
    )
    const { title, name: ownName } = this.#hello.agentInfo ?? {}
    this.#model = (title ?? ownName ?? name).slice(0, taskLimits.modelChars)
    await this.#setMode()
    if (model !== undefined) await this.#setModel(model)
    // A session may be ready before its tools, and a turn without tools would be useless.
    await this.#bounded(listed, 'asking for its tools', taskRunLimits.agentToolsMs)
  }

  /** Starts a turn; its end is returned by {@link takeTurnEnd}. */
  prompt(prompt: ContentBlock[]): void {
    const { sessionId } = this.#session!
    const ended = (end: TurnEnd) => {
      this.#turn = undefined
      this.#turnEnd = end
      this.#options.onChange()
    }
    this.#turn = this.#connection.agent
      .request(methods.agent.session.prompt, { sessionId, prompt })
      .then(
        ({ stopReason }) => ended({ stop: stopReason }),
        (error: unknown) => ended({ failed: error }),
      )
  }

  takeTurnEnd(): TurnEnd | undefined {
    const end = this.#turnEnd
    this.#turnEnd = undefined
    return end
  }

  /** Why the agent has exited: the end of its stderr if there is any, otherwise the end of its turn. */
  async exitReason(end?: TurnEnd): Promise<string> {
    const { process, clock, access } = this.#options
    await settleWithin(clock, limits.stderrFlushMs, process.exited)
    const said = this.#stderrText()
    if (said !== '') return said
    return end && 'failed' in end ? ` ${errorExcerpt(reasonOf(end.failed), access.token)}` : ''
  }

  /** The failure of an agent that does too much besides calling our tools; undefined if it may go on. */
  outsideProblem(stepsLeft: number): ModelFailure | undefined {
    const { name, access } = this.#options
    const text = this.outside.problem(name, stepsLeft, access.token)
    return text === undefined ? undefined : this.#final(text)
  }

  /** The failure of an agent that has been silent for too long. */
  silentProblem(ms: number): ModelFailure {
    const text = `${this.#options.name} has been silent for ${ms / 1000} s.`
    return this.#final(text + this.#stderrText())
  }

  #final(text: string): ModelFailure {
    return new ModelFailure('rejected', text, { usage: this.output.takeUsage() })
  }

  /** The error of a turn, or of an earlier step. */
  failure(what: string, error: unknown): ModelFailure {
    if (error instanceof ModelFailure) return error
    const { name, access } = this.#options
    const words = errorExcerpt(reasonOf(error), access.token)
    if (error instanceof RequestError && error.code === authRequired) {
      const ways = this.#hello?.authMethods?.map((method) => method.name).join(', ') ?? ''
      const how = ways === '' ? '' : ` (${errorExcerpt(ways, access.token)})`
      const hint = `log in with it once, as the user that runs the service${how}`
      return new ModelFailure('auth', `${name} is not logged in (${words}): ${hint}.`)
    }
    const text = `${name} failed during ${what}: ${words}`
    return new ModelFailure('overloaded', text, { cause: error })
  }

  /** The end of its stderr as a sentence; empty if there is none. */
  #stderrText(): string {
    const { process, access } = this.#options
    const said = errorExcerpt(
      process.stderrTail.slice(-taskRunLimits.modelExcerptChars),
      access.token,
    )
    return said === '' ? '' : ` It said: ${said}`
  }

  /** Cancels the turn, waits a moment for the confirmation, and ends the process. */
  async end(): Promise<void> {
    const { clock, process } = this.#options
    if (this.#turn && !this.#isGone) {
      const { sessionId } = this.#session!
      const notified = this.#connection.agent.notify(methods.agent.session.cancel, { sessionId })
      await settleWithin(clock, taskRunLimits.agentCancelMs, Promise.all([notified, this.#turn]))
    }
    this.#connection.close()
    await process.end()
  }

  /**
   * Selects a mode that asks before acting, if the agent has one: some allow everything by default.
   */
  async #setMode(): Promise<void> {
    const { sessionId, modes } = this.#session!
    const offered = modes?.availableModes.map(({ id }) => id) ?? []
    const modeId = carefulModes.find((mode) => offered.includes(mode))
    if (modeId === undefined || modeId === modes?.currentModeId) return
    await this.#ask('session/set_mode', taskRunLimits.agentSettingMs, (agent) =>
      agent.request(methods.agent.session.setMode, { sessionId, modeId }),
    )
  }

  async #setModel(model: string): Promise<void> {
    const { name } = this.#options
    const { sessionId, configOptions } = this.#session!
    const choice = configOptions?.find(({ category, type }) => {
      return category === 'model' && type === 'select'
    })
    if (!choice) {
      throw new ModelFailure('not_found', `${name} does not let you choose a model: omit model.`)
    }
    try {
      await this.#ask('session/set_config_option', taskRunLimits.agentSettingMs, (agent) =>
        agent.request(methods.agent.session.setConfigOption, {
          sessionId,
          configId: choice.id,
          value: model,
        }),
      )
    } catch (error) {
      throw new ModelFailure('not_found', `${name} has no model ${model}.`, { cause: error })
    }
    this.#model = model
  }

  async #ask<T>(
    what: string,
    ms: number,
    work: (agent: ClientConnection['agent']) => Promise<T>,
  ): Promise<T> {
    return this.#bounded(work(this.#connection.agent), what, ms)
  }

  /** Resolves with the work; fails with a message that names `what` at the time limit or the agent's end. */
  async #bounded<T>(work: Promise<T>, what: string, ms: number): Promise<T> {
    const { name, clock, process } = this.#options
    const late = () => {
      const text = `${name} did not finish ${what} within ${ms / 1000} s.`
      return new ModelFailure('rejected', text + this.#stderrText())
    }
    const gone = process.exited.then(async () => {
      throw new ModelFailure('network', `${name} ended during ${what}.${await this.exitReason()}`)
    })
    try {
      return await withDeadline(clock, ms, Promise.race([work, gone]), late)
    } catch (error) {
      throw this.failure(what, error)
    }
  }
}

/** The reason is often in the error's data; the message only names the code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { details } = ((error as { data?: unknown }).data ?? {}) as { details?: unknown }
  return typeof details === 'string' ? `${error.message}: ${details}` : error.message
}

/** Reserved by JSON-RPC for implementations; in ACP it means that a login is needed. */
const authRequired = -32_000

/** Known modes, the most careful first, in which MCP tools can still be requested. */
const carefulModes = ['default', 'ask', 'manual', 'read-only'] as const
