/** Commands of sessions, carried out on the bench of each. */
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
  /** The bench of a session's browser. Throws for a session that is not here, or an old epoch. */
  readonly benchOf: (request: Order) => Workbench
  readonly clock: Clock
  readonly log: Logger
}

export class Commands {
  readonly #options: CommandsOptions
  /** Of the tasks that have worked on each bench. */
  readonly #fences = new WeakMap<Workbench, TaskFence>()

  constructor(options: CommandsOptions) {
    this.#options = options
  }

  /** Answers up to and with the first failure. Several in a row have the hands to themselves. */
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

  /** What an older epoch has begun is waited for; what it has not begun, it will not. */
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
