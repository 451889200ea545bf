/**
 * Prepares each page, pop-up, frame or worker of a browser before its first script runs: it is paused
 * when it appears, and goes on when its calls have been answered. Whatever a client attaches meanwhile
 * stays as it is.
 */
import type { CdpPipe } from '../../cdp/cdp.ts'
import type { CallArguments, CdpEvent, CdpMethod, CdpResult } from '../../cdp/protocol.ts'

export interface TargetPreparation {
  /** `page`, `service_worker`, `shared_worker`. */
  readonly types: readonly string[]
  /** Also frames in processes of their own, and workers of pages; other frames are part of their page. */
  readonly frames: boolean
  /** Makes its calls at once, since the target waits for them. */
  prepare(call: TargetCall, target: PreparedTarget): readonly Promise<unknown>[]
}

export interface PreparedTarget {
  /** One of the types above, `iframe` or `worker`. */
  readonly type: string
  readonly browserContextId?: string
}

export type TargetCall = <M extends CdpMethod>(
  method: M,
  ...rest: CallArguments<M, []>
) => Promise<CdpResult<M>>

/** Resolves when the targets of now are prepared. `onError`: one went before it was reached. */
export async function prepareTargets(
  cdp: CdpPipe,
  preparation: TargetPreparation,
  onError: (error: unknown) => void,
): Promise<void> {
  // A session of its own, which ends with the agent's: its events are those of these targets alone.
  const { sessionId } = await cdp.send('Target.attachToBrowserTarget')
  const targets = new PreparedTargets(cdp, preparation, onError)
  await targets.follow(sessionId, preparation.types)
  await targets.settled()
}

class PreparedTargets {
  readonly #cdp: CdpPipe
  readonly #preparation: TargetPreparation
  readonly #onError: (error: unknown) => void
  readonly #deaf = new Map<string, () => void>()
  readonly #pending = new Set<Promise<void>>()

  constructor(cdp: CdpPipe, preparation: TargetPreparation, onError: (error: unknown) => void) {
    this.#cdp = cdp
    this.#preparation = preparation
    this.#onError = onError
  }

  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  async follow(parent: string, types: readonly string[]): Promise<void> {
    this.#deaf.set(
      parent,
      this.#cdp.onEvent((event) => this.#onEvent(event), parent),
    )
    const filter = [...types.map((type) => ({ type })), { exclude: true }]
    const auto = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter }
    await this.#cdp.send('Target.setAutoAttach', auto, { sessionId: parent })
  }

  #onEvent({ method, params }: CdpEvent): void {
    if (method === 'Target.detachedFromTarget') {
      this.#deaf.get(params.sessionId)?.()
      this.#deaf.delete(params.sessionId)
    }
    if (method !== 'Target.attachedToTarget') return
    const { sessionId, targetInfo } = params
    const preparing = this.#prepare(sessionId, targetInfo).catch(this.#onError)
    this.#pending.add(preparing)
    void preparing.then(() => this.#pending.delete(preparing))
  }

  async #prepare(sessionId: string, target: PreparedTarget): Promise<void> {
    const { type } = target
    const call: TargetCall = (method, ...rest) => {
      const [params = {}] = rest as readonly [object?]
      return this.#cdp.send(method, params as never, { sessionId })
    }
    const calls = [...this.#preparation.prepare(call, target)]
    const hasFrames = type === 'page' || type === 'iframe'
    // Workers of a page are paused whether they are asked for or not.
    if (this.#preparation.frames && hasFrames)
      calls.push(this.follow(sessionId, ['iframe', 'worker']))
    const outcomes = await Promise.allSettled(calls)
    // Whatever was refused, the target does not wait for ever.
    await call('Runtime.runIfWaitingForDebugger')
    const failed = outcomes.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }
}
