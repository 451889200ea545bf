/** What a task hears: commands from outside, words of its session, and what its effects came to. */
import type { StepAction } from '../../proto/task.ts'
import type { ActorCommand } from '../../proto/actor.ts'
import type { SessionTurn } from '../../proto/session-protocol.ts'
import type { taskActor } from '../../proto/task-protocol.ts'
import type { RuntimeEvent, Stamped } from '../../runtime/actor-kind.ts'
import type { Lens, Page } from './context.ts'
import type { ModelFailureKind, ModelUsage } from './model.ts'
import type { Decision, Verdict } from './thought.ts'

/** A failure of the model, or an answer of it that decides nothing. */
export interface Failure {
  readonly kind: ModelFailureKind | 'bad_result'
  /** For the owner of the task. */
  readonly message: string
  /** For the model, where asking it otherwise may help. */
  readonly notice?: string
  readonly retryAfterMs?: number
}

/** The session's epoch may have moved meanwhile: whoever reached the browser says how. */
type Reached = { readonly turn: SessionTurn }

export type Entered = { readonly type: 'entered'; readonly turn?: SessionTurn }
export type Prepared = Reached & {
  readonly type: 'prepared'
  readonly firstUrl: string
  /** What the model should know of it, such as that the address did not open. */
  readonly notice?: string
}
type Observed = Reached & { readonly type: 'observed'; readonly page: Page }
export type Decided = {
  readonly type: 'decided'
  readonly decision: Decision
  readonly model: string
  readonly usage: ModelUsage
  /** Of the picture that it was shown. */
  readonly lens?: Lens
  readonly ms: number
}
export type Faulted = {
  readonly type: 'faulted'
  readonly failure: Failure
  readonly usage?: ModelUsage
}
export type Acted = Reached & {
  readonly type: 'acted'
  readonly action: StepAction
  /** The page is not what the acts after it were decided upon. */
  readonly movedPage: boolean
}
export type Checked = {
  readonly type: 'checked'
  readonly verdict: Verdict
  readonly usage: ModelUsage
}

export type TaskEvent = Stamped<
  | ActorCommand<typeof taskActor>
  | Entered
  | Prepared
  | Observed
  | Decided
  | Faulted
  | Acted
  | Checked
  /** Another process read the page: it is read anew. */
  | { readonly type: 'forgotten' }
  | { readonly type: 'left' }
  | RuntimeEvent
>
