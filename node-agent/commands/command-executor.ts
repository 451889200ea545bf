/** Runs commands on the workbench of their session. */
import { defined } from '../../proto/defined.ts'
import type { CommandCall, CommandName } from '../../proto/commands/catalogue.ts'
import type { Reply } from '../../proto/envelope.ts'
import { ServiceError, toWireError } from '../../proto/errors.ts'
import type {
  IssuedByTask,
  FencedOrder,
  NodeVerbs,
  RestrictOrder,
} from '../../proto/browser-host/node.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { Logger } from 'pino'
import { activeTracer } from '../../runtime/tracing/tracer.ts'
import { browserCallError } from '../cdp/call-error.ts'
import { CdpError } from '../cdp/cdp.ts'
import { commandHandlers } from './handlers/handlers.ts'
import type { CommandTracer } from './command-tracer.ts'
import type { SessionEvents } from '../events/session-events.ts'
import { learnTexts } from '../masking/masked-page.ts'
import { TaskFence } from './task-fence.ts'
import type { CommandContext } from './command-context.ts'
import { targetOf } from './command-target.ts'

type Request = NodeVerbs['run']['request']
type Order = FencedOrder & IssuedByTask

export interface CommandExecutorOptions {
  /** The workbench of a session's browser. Throws for an unknown session and for an old epoch. */
  readonly benchOf: (request: Order) => CommandContext
  readonly traces: CommandTracer
  readonly events: Pick<SessionEvents, 'add'>
  readonly clock: Clock
  readonly log: Logger
}

export class CommandExecutor {
  readonly #options: CommandExecutorOptions
  /** The fence of the tasks that have used each workbench. */
  readonly #fences = new WeakMap<CommandContext, TaskFence>()

  constructor(options: CommandExecutorOptions) {
    this.#options = options
  }

  /**
   * Returns the answers up to and including the first failure. A list of actions runs in one turn.
   */
  async run(request: Request): Promise<readonly Reply[]> {
    const bench = this.#options.benchOf(request)
    const { actions, loginTickets = {} } = request
    const context = (await this.#fenced(bench, request)).withLoginTickets(loginTickets)
    const answer = (by: CommandContext, action: CommandCall) =>
      this.#traced(request, bench, action, () =>
        this.#logged(request, action, () => this.#answer(by, action)),
      )
    if (actions.length === 1) return [await answer(context, actions[0]!)]
    const untilMs = this.#options.clock.monotonic() + request.withinMs
    return context.inOneTurn(async (mine) => {
      const replies: Reply[] = []
      for (const action of actions) {
        const reply = this.#isLate(untilMs) ?? (await answer(mine, action))
        replies.push(reply)
        if (!reply.ok) break
      }
      return replies
    })
  }

  async restrict(request: Order & RestrictOrder) {
    const { network } = await this.#fenced(this.#options.benchOf(request), request)
    if (request.lingers) await network.liftWhenPagesAreGone()
    else await network.restrict(request.policy)
    return { restricted: request.policy !== null }
  }

  /**
   * For a newer epoch, waits for actions that the older one has started; actions of the older epoch
   * that have not started are refused.
   */
  async #fenced(context: CommandContext, { by }: IssuedByTask): Promise<CommandContext> {
    if (!by) return context
    const fence = this.#fences.get(context) ?? new TaskFence()
    this.#fences.set(context, fence)
    if (fence.enter(by)) await context.inOneTurn(async () => undefined)
    return context.guarded(() => fence.check(by))
  }

  #isLate(untilMs: number): Reply | undefined {
    if (this.#options.clock.monotonic() < untilMs) return undefined
    const message = 'Earlier actions used up the time; this one was not started.'
    return { ok: false, error: { type: 'timeout', message } }
  }

  #traced(
    { sessionId, by }: Order,
    context: CommandContext,
    call: CommandCall,
    work: () => Promise<Reply>,
  ): Promise<Reply> {
    if (!context.isTraced) return work()
    return this.#options.traces.record({ sessionId, context, call, task: by?.id }, work)
  }

  async #logged(
    { sessionId, by, keyId: key }: Request,
    call: CommandCall,
    work: () => Promise<Reply>,
  ): Promise<Reply> {
    const { clock, events } = this.#options
    const [at, sinceMs] = [new Date(clock.now()).toISOString(), clock.monotonic()]
    const reply = await work()
    const ms = Math.round(clock.monotonic() - sinceMs)
    const outcome = reply.ok ? 'done' : reply.error.type
    const known = defined({ target: targetOf(call), task: by?.id, step: by?.step, key })
    events.add(sessionId, { type: 'command', at, command: call.command, ms, outcome, ...known })
    return reply
  }

  #answer(context: CommandContext, call: CommandCall): Promise<Reply> {
    const tracer = activeTracer()
    if (!tracer) return this.#carryOut(context, call)
    return tracer.run(call.command, { kind: 'internal' }, async (span) => {
      const reply = await this.#carryOut(context, call)
      if (!reply.ok) span.fail(reply.error.type)
      return reply
    })
  }

  /**
   * Callers are told what failed; why it did stands in the log only. An error of a page may quote what the
   * page has.
   */
  #logFailure(context: CommandContext, command: string, error: unknown): void {
    const { log } = this.#options
    const { filled } = context.logins
    const { stack } = error instanceof Error ? error : {}
    const why = filled.begin().length === 0 ? { err: error } : { stack: filled.hide(stack) }
    if (!(error instanceof ServiceError)) log.error({ command, ...why }, 'command failed')
    else if (error.type === 'unavailable')
      log.warn({ command, ...why }, 'command failed: browser or display are not available')
  }

  async #carryOut(context: CommandContext, call: CommandCall): Promise<Reply> {
    if (verbatim.has(call.command)) return this.#attempt(context, call)
    const { filled } = context.logins
    await this.#learnMasked(context)
    const begun = filled.begin()
    const reply = await this.#attempt(context, call)
    await this.#learnMasked(context)
    return filled.mask(reply, begun)
  }

  /** What the page hides now, in a session with a mask. */
  async #learnMasked(context: CommandContext): Promise<void> {
    const { sensitive } = context.logins.filled
    if (!sensitive) return
    try {
      await learnTexts(await context.actionContext(), sensitive)
    } catch (error) {
      this.#options.log.debug({ err: error }, 'a page does not tell what its mask hides')
    }
  }

  async #attempt(context: CommandContext, { command, input }: CommandCall): Promise<Reply> {
    try {
      const handler = commandHandlers[command] as (
        context: CommandContext,
        input: unknown,
      ) => Promise<unknown>
      return { ok: true, value: await handler(context, input) }
    } catch (cause) {
      // The browser may end, or close a page, between any two calls.
      const error = cause instanceof CdpError ? browserCallError(cause) : cause
      this.#logFailure(context, command, error)
      return { ok: false, error: toWireError(error) }
    }
  }
}

/** Their output is passed on to other sessions. */
const verbatim: ReadonlySet<CommandName> = new Set<CommandName>(['storage_state'])
