/** The events of a task: commands, messages of its session, and outcomes of its effects. */
import type { StepAction } from '../../../proto/task/task.ts'
import type { ActorCommand } from '../../../proto/actor.ts'
import type { SessionTurn } from '../../../proto/session/session-protocol.ts'
import type { taskActor } from '../../../proto/task/task-protocol.ts'
import type { RuntimeEvent, Timestamped } from '../../../runtime/actor/actor-kind.ts'
import type { PictureGeometry, ObservedPage, StoredBytes } from './context.ts'
import type { ModelFailureKind } from '../../../proto/task/model-failure.ts'
import type { ModelUsage } from '../models/model.ts'
import type { Decision, CheckVerdict } from '../prompting/decision.ts'

/** A failure of the model, or an answer without a usable decision. */
export interface StepFailure {
  readonly kind: ModelFailureKind | 'bad_result'
  /** For the task's owner. */
  readonly message: string
  /** For the model, if asking it again in another way may help. */
  readonly notice?: string
  readonly retryAfterMs?: number
}

/** The turn used, because the session's epoch may have changed meanwhile. */
type Reached = { readonly turn: SessionTurn }

export type EnteredEvent = { readonly type: 'entered'; readonly turn?: SessionTurn }
export type PreparedEvent = Reached & {
  readonly type: 'prepared'
  readonly firstUrl: string
  /** What the model should know, for example that the URL did not open. */
  readonly notice?: string
}
/** What was stored for the task since it was last told. */
type Tallied = { readonly stored?: StoredBytes }
type Observed = Reached & Tallied & { readonly type: 'observed'; readonly page: ObservedPage }
export type DecidedEvent = {
  readonly type: 'decided'
  readonly decision: Decision
  readonly model: string
  readonly usage: ModelUsage
  /** Maps positions in the screenshot that it saw. */
  readonly lens?: PictureGeometry
  readonly ms: number
}
export type FaultedEvent = {
  readonly type: 'faulted'
  readonly failure: StepFailure
  readonly usage?: ModelUsage
}
export type ActedEvent = Reached & {
  readonly type: 'acted'
  readonly action: StepAction
  /** The page has changed, so later acts were decided on another page. */
  readonly movedPage: boolean
}
export type CheckedEvent = {
  readonly type: 'checked'
  readonly verdict: CheckVerdict
  readonly usage: ModelUsage
}

export type TaskEvent = Timestamped<
  | ActorCommand<typeof taskActor>
  | EnteredEvent
  | PreparedEvent
  | Observed
  | DecidedEvent
  | FaultedEvent
  | ActedEvent
  | CheckedEvent
  /** The page was read by another process: it has to be read again. */
  | { readonly type: 'forgotten' }
  | (Tallied & { readonly type: 'left' })
  | RuntimeEvent
>
