/** What a task knows: plain data, small, and never the text of a page. */
import type {
  StepAction,
  TaskEnd,
  TaskInput,
  TaskQuestion,
  TaskState,
  TaskUsage,
} from '../../proto/task.ts'
import type { SessionTurn } from '../../proto/session-protocol.ts'
import type { ActorContext, EffectContext } from '../../runtime/actor-kind.ts'
import { emptyHistory } from './mind/history.ts'
import { emptyTrail } from './mind/circling.ts'
import type { ModelFailureKind } from './model.ts'
import type { Act, Decision, History, Observation, Result, Trail } from './thought.ts'

/** What is kept of a page that was read; its text goes from hand to hand in one process. */
export type Page = Pick<Observation, 'url' | 'title' | 'fingerprint' | 'visual' | 'ms'>

/** A decision on its way: `acts` from `actions.length` on are still to be done. */
export interface StepInHand {
  readonly n: number
  readonly page: Page
  readonly decision: Decision
  /** What became of the acts so far. */
  readonly actions: readonly StepAction[]
  /** A person has allowed the next act. */
  readonly isAllowed: boolean
  readonly model: string
  readonly tokens: { readonly input: number; readonly cached: number; readonly output: number }
  readonly decideMs: number
}

/** Where a picture's top left is for the hands, and its pixels for one of the page's. */
export interface Lens {
  readonly left: number
  readonly top: number
  readonly scale: number
}

export interface Outcome {
  readonly end: TaskEnd
  readonly result?: Result
  readonly error?: string
}

export interface TaskContext extends TaskInput, ActorContext {
  readonly sessionId: string
  readonly turn: SessionTurn | null
  /** Nobody can give it back any more. */
  readonly isSessionGone: boolean
  readonly startedAtMs: number | null
  readonly endedAtMs: number | null
  /** Where the session's page was when the task began: where its secrets belong, if nothing says. */
  readonly firstUrl: string | null
  readonly page: Page | null
  readonly step: StepInHand | null
  /** Steps that were begun. */
  readonly steps: number
  /** What the last step was to lead to, once its acts were done. */
  readonly then: Decision['then'] | null
  readonly history: History
  readonly trail: Trail
  readonly notices: readonly string[]
  readonly usage: TaskUsage
  readonly model: string | null
  /** Failures of the model in a row, by kind. */
  readonly failures: Readonly<Partial<Record<ModelFailureKind | 'bad_result', number>>>
  /** The model has asked for a picture beside the next page. */
  readonly wantsPicture: boolean
  /** Where places of the last picture that it was shown are. */
  readonly lens: Lens | null
  /** How often a prompt was too long: the page is told in half as much each time. */
  readonly squeezed: number
  readonly usedSecret: boolean
  readonly typed: boolean
  readonly wantsPause: boolean
  readonly question: TaskQuestion | null
  readonly questions: number
  /** Final checks that found something missing. */
  readonly checks: number
  readonly outcome: Outcome | null
  /** Records of its state that were asked for. */
  readonly announced: number
}

/** What an effect of a task is called with. */
export type TaskEffectContext = EffectContext<TaskContext>

/** The session made for a task has its name, so making it twice makes one. */
export const ownSessionId = (taskId: string): string => taskId.replace(/^tsk_/, 'ses_')

export const ownsSession = ({ order }: Pick<TaskInput, 'order'>): boolean =>
  order.sessionId === undefined

export function initialContext(input: TaskInput): TaskContext {
  return {
    ...input,
    sessionId: input.order.sessionId ?? ownSessionId(input.id),
    turn: null,
    isSessionGone: false,
    startedAtMs: null,
    endedAtMs: null,
    deadlines: { max: input.createdAtMs + input.order.timeoutMs },
    firstUrl: null,
    page: null,
    step: null,
    steps: 0,
    then: null,
    history: emptyHistory,
    trail: emptyTrail,
    notices: [],
    usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
    model: null,
    failures: {},
    wantsPicture: false,
    lens: null,
    squeezed: 0,
    usedSecret: false,
    typed: false,
    wantsPause: false,
    question: null,
    questions: 0,
    checks: 0,
    outcome: null,
    announced: 0,
  }
}

/** Making a session is part of being in line for it; `preparing` is nobody's concern. */
export function publicState(state: string, context: TaskContext): TaskState {
  if (state === 'preparing') return 'acquiring'
  if (state === 'queued') return ownsSession(context) ? 'acquiring' : 'queued'
  return state as TaskState
}

export const nextAct = ({ step }: TaskContext): Act | undefined =>
  step?.decision.acts[step.actions.length]
