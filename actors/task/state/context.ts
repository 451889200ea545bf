/** The state of a task: plain data, small, and never the text of a page. */
import type {
  StepAction,
  TaskEnd,
  TaskInput,
  TaskQuestion,
  TaskState,
  TaskUsage,
  TaskWait,
} from '../../../proto/task/task.ts'
import type { SessionTurn } from '../../../proto/session/session-protocol.ts'
import type { ActorContext, EffectContext } from '../../../runtime/actor/actor-kind.ts'
import { emptyHistory } from '../prompting/history.ts'
import { emptyTrail } from '../prompting/answer/loop-detection.ts'
import type { ModelFailureKind } from '../../../proto/task/model-failure.ts'
import type {
  Act,
  Decision,
  TaskHistory,
  Observation,
  TaskResult,
  ProgressTrail,
} from '../prompting/decision.ts'

/** The stored part of a page that was read; its text is only passed on within one process. */
export type ObservedPage = Pick<Observation, 'url' | 'title' | 'fingerprint' | 'visual' | 'ms'>

/** A decision in progress: `acts` from `actions.length` on are still to be done. */
export interface CurrentStep {
  readonly n: number
  readonly page: ObservedPage
  readonly decision: Decision
  /** Outcomes of the acts so far. */
  readonly actions: readonly StepAction[]
  /** True if a person has allowed the next act. */
  readonly isAllowed: boolean
  readonly model: string
  readonly tokens: { readonly input: number; readonly cached: number; readonly output: number }
  /** Absent while the cost is unknown, and in steps that an older version has started. */
  readonly costUsd?: number
  readonly decideMs: number
}

/**
 * Maps positions in a screenshot to the screen: its top left corner, and its pixels per page pixel.
 */
export interface PictureGeometry {
  readonly left: number
  readonly top: number
  readonly scale: number
}

/** Bytes in other streams than LOG. */
export interface StoredBytes {
  readonly steps: number
  readonly pictures: number
}

export interface TaskOutcome {
  readonly end: TaskEnd
  readonly result?: TaskResult
  readonly error?: string
}

export interface TaskContext extends TaskInput, ActorContext {
  readonly sessionId: string
  readonly turn: SessionTurn | null
  /** True if the session no longer exists and need not be left. */
  readonly isSessionGone: boolean
  readonly startedAtMs: number | null
  readonly endedAtMs: number | null
  /**
   * URL of the session's page when the task began: secrets belong to its domain unless the order
   * names others.
   */
  readonly firstUrl: string | null
  readonly page: ObservedPage | null
  readonly step: CurrentStep | null
  /** Number of steps started. */
  readonly steps: number
  /** What the task does after the acts of the last step. */
  readonly then: Decision['then'] | null
  readonly history: TaskHistory
  readonly trail: ProgressTrail
  readonly notices: readonly string[]
  readonly usage: TaskUsage
  readonly model: string | null
  /** Consecutive failures of the model, by kind. */
  readonly failures: Readonly<Partial<Record<ModelFailureKind | 'bad_result', number>>>
  /** The model has requested a screenshot with the next page. */
  readonly wantsPicture: boolean
  /** Maps positions in the last screenshot that it saw. */
  readonly lens: PictureGeometry | null
  /** Number of prompts that were too long; each time, the page text is halved. */
  readonly squeezed: number
  readonly usedSecret: boolean
  readonly typed: boolean
  readonly wantsPause: boolean
  readonly question: TaskQuestion | null
  readonly questions: number
  /** Absent in tasks that an older host has recorded. */
  readonly waiting?: TaskWait | null
  /** Number of final checks that found something missing. */
  readonly checks: number
  readonly outcome: TaskOutcome | null
  /** Absent in tasks that an older host has recorded. */
  readonly stored?: StoredBytes
  /** Number of state records requested. */
  readonly announced: number
}

/** The context of a task's effect. */
export type TaskEffectContext = EffectContext<TaskContext>

/** A task's own session has an id derived from the task's, so creating it twice creates one. */
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
    waiting: null,
    checks: 0,
    outcome: null,
    announced: 0,
    stored: { steps: 0, pictures: 0 },
  }
}

/** Creating a session counts as being queued; `preparing` is not public. */
export function publicState(state: string, context: TaskContext): TaskState {
  if (state === 'preparing') return 'acquiring'
  if (state === 'queued') return ownsSession(context) ? 'acquiring' : 'queued'
  return state as TaskState
}

/** States in which the task needs its model. */
const asksModel: ReadonlySet<string> = new Set(['deciding', 'checking', 'waiting'])

export const waitIn = (state: string, { waiting }: TaskContext): TaskWait | undefined =>
  waiting && asksModel.has(state) ? waiting : undefined

export const nextAct = ({ step }: TaskContext): Act | undefined =>
  step?.decision.acts[step.actions.length]

export const isLastStep = ({ steps, order }: TaskContext): boolean => steps + 1 >= order.maxSteps

type Done = Extract<Decision['then'], { kind: 'done' }>

export const doneWith = ({ then }: TaskContext): Done | undefined =>
  then?.kind === 'done' ? then : undefined
