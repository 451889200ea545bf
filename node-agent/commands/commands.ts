/** Runs commands on the workbench of their session. */
import type { Action } from '../../proto/commands/catalogue.ts'
import type { Reply } from '../../proto/envelope.ts'
import { ServiceError, toWireError } from '../../proto/errors.ts'
import type { ByTask, Fenced, NodeVerbs, RestrictOrder } from '../../proto/node.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from 'pino'
import { handlers } from './handlers/handlers.ts'
import { TaskFence } from './task-fence.ts'
import type { Workbench } from './workbench.ts'

type Request = NodeVerbs['run']['request']
type Order = Fenced & ByTask

export interface CommandsOptions {
  /** The workbench of a session's browser. Throws for an unknown session and for an old epoch. */
  readonly benchOf: (request: Order) => Workbench
  readonly clock: Clock
  readonly log: Logger
}

export class Commands {
  readonly #options: CommandsOptions
  /** The fence of the tasks that have used each workbench. */
  readonly #fences = new WeakMap<Workbench, TaskFence>()

  constructor(options: CommandsOptions) {
    this.#options = options
  }

  /**
   * Returns the answers up to and including the first failure. A list of actions runs in one turn.
   */
  async run(request: Request): Promise<readonly Reply[]> {
    const bench = await this.#fenced(this.#options.benchOf(request), request)
    const { actions } = request
    if (actions.length === 1) return [await this.#answer(bench, actions[0]!)]
    const untilMs = this.#options.clock.monotonic() + request.withinMs
    return bench.inOneTurn(async (mine) => {
      const replies: Reply[] = []
      for (const action of actions) {
        const reply = this.#isLate(untilMs) ?? (await this.#answer(mine, action))
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
  async #fenced(bench: Workbench, { by }: ByTask): Promise<Workbench> {
    if (!by) return bench
    const fence = this.#fences.get(bench) ?? new TaskFence()
    this.#fences.set(bench, fence)
    if (fence.enter(by)) await bench.inOneTurn(async () => undefined)
    return bench.guarded(() => fence.check(by))
  }

  #isLate(untilMs: number): Reply | undefined {
    if (this.#options.clock.monotonic() < untilMs) return undefined
    const message = 'The actions before took all the time there was; this one was not begun.'
    return { ok: false, error: { type: 'timeout', message } }
  }

  async #answer(bench: Workbench, { command, input }: Action): Promise<Reply> {
    try {
      const handler = handlers[command] as (bench: Workbench, input: unknown) => Promise<unknown>
      return { ok: true, value: await handler(bench, input) }
    } catch (error) {
      if (!(error instanceof ServiceError))
        this.#options.log.error({ command, err: error }, 'command failed')
      return { ok: false, error: toWireError(error) }
    }
  }
}
