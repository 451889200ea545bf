/** The events of a task: commands, messages of its session, and outcomes of its effects. */
import type { StepAction } from '../../proto/task.ts'
import type { ActorCommand } from '../../proto/actor.ts'
import type { SessionTurn } from '../../proto/session-protocol.ts'
import type { taskActor } from '../../proto/task-protocol.ts'
import type { RuntimeEvent, Stamped } from '../../runtime/actor-kind.ts'
import type { Lens, Page } from './context.ts'
import type { ModelFailureKind, ModelUsage } from './model.ts'
import type { Decision, Verdict } from './thought.ts'

/** A failure of the model, or an answer without a usable decision. */
export interface Failure {
  readonly kind: ModelFailureKind | 'bad_result'
  /** For the task's owner. */
  readonly message: string
  /** For the model, if asking it again in another way may help. */
  readonly notice?: string
  readonly retryAfterMs?: number
}

/** The turn used, because the session's epoch may have changed meanwhile. */
type Reached = { readonly turn: SessionTurn }

export type Entered = { readonly type: 'entered'; readonly turn?: SessionTurn }
export type Prepared = Reached & {
  readonly type: 'prepared'
  readonly firstUrl: string
  /** What the model should know, for example that the URL did not open. */
  readonly notice?: string
}
type Observed = Reached & { readonly type: 'observed'; readonly page: Page }
export type Decided = {
  readonly type: 'decided'
  readonly decision: Decision
  readonly model: string
  readonly usage: ModelUsage
  /** Maps positions in the screenshot that it saw. */
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
  /** The page has changed, so later acts were decided on another page. */
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
  /** The page was read by another process: it has to be read again. */
  | { readonly type: 'forgotten' }
  | { readonly type: 'left' }
  | RuntimeEvent
>
