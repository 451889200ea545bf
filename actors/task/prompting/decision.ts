/**
 * The data between a task's machine and its prompting. Plain data; everything except screenshots
 * may be stored in the log, so all of it is limited in size.
 */
import { defined } from '../../../proto/defined.ts'
import type { CommandName } from '../../../proto/commands/catalogue.ts'
import type { KnownSiteLogin } from '../../../proto/session/site-login.ts'
import type { GatedAction } from '../../../proto/task/task.ts'

/** A page as it was read, masked and limited. */
export interface Observation {
  readonly url: string
  readonly title: string
  /** The snapshot; or what prevents one, such as an open dialog. */
  readonly text: string
  /** Number of lines that did not fit. */
  readonly more: number
  readonly tabs: readonly {
    readonly id: string
    readonly url: string
    readonly title: string
    readonly selected: boolean
  }[]
  /** The page is mostly canvas: text alone is not enough. */
  readonly visual: boolean
  /** The page shows a secret, so no screenshot may be stored or sent. */
  readonly showsSecret: boolean
  /** Equal for pages that look the same. */
  readonly fingerprint: string
  readonly ms: number
}

/** One act: a tool of the catalogue with its input, as the model gave it. */
export interface Act {
  /** The tool's name: `click`, `browser_navigate`. */
  readonly tool: string
  /** `screenshot` is not run: it requests a screenshot with the next page. */
  readonly command: CommandName
  /**
   * Parsed by the command's schema; secrets are placeholders, positions those of the last
   * screenshot.
   */
  readonly input: Readonly<Record<string, unknown>>
  /** The input as the model wrote it, for records; texts are truncated. */
  readonly given: RecordedInput
  /** The snapshot line with the target's ref. */
  readonly element?: string
  /** `safe`: repeating it has no further effect. */
  readonly repeat: 'safe' | 'once'
  /** A person must allow it first. */
  readonly gate?: GatedAction
}

/** An act as it is recorded, without its outcome. */
export const toActionRecord = ({ tool, given, element }: Act) => ({
  tool,
  input: given,
  ...defined({ element }),
  ms: 0,
})

/** The input of a tool as it appears in records. */
export type RecordedInput = Readonly<Record<string, unknown>>

/**
 * A decision: `acts` are to be done in order, followed by `then`. If an act fails, the page is read
 * again instead.
 */
export interface Decision {
  /** The model's own words: what it saw, and why it does this. */
  readonly note: string
  /** Facts that it wants to keep. */
  readonly facts: readonly string[]
  readonly acts: readonly Act[]
  readonly then:
    | { readonly kind: 'go_on' }
    | { readonly kind: 'done'; readonly success: boolean; readonly result: TaskResult }
    | { readonly kind: 'ask'; readonly question: string }
  /** Unusable calls with the reason; the model reads them with the next page. */
  readonly refused: readonly RefusedCall[]
}

export interface RefusedCall {
  readonly tool: string
  readonly given: RecordedInput
  /** For the model, which should do it differently. */
  readonly why: string
}

/** An answer without a usable decision, and the notice with which the model is asked again. */
export interface AnswerFault {
  /**
   * `bad_result`: the result does not fit the schema of the order. `overloaded`: it could not be
   * validated now.
   */
  readonly kind: 'malformed' | 'bad_result' | 'overloaded'
  readonly notice: string
}

/** The result of reading an answer. */
export type ParsedAnswer =
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'fault'; readonly fault: AnswerFault }

export type TaskResult = Readonly<Record<string, unknown>>

/** The result of the final check. */
export interface CheckVerdict {
  readonly accomplished: boolean
  readonly missing: string
}

/** One step as the prompt remembers it. Texts are limited and masked. */
export interface StepMemory {
  readonly n: number
  /** Its URL and title. */
  readonly page: string
  readonly note: string
  /** One line for each action, with its outcome. */
  readonly acts: readonly string[]
}

/** Everything before: the newest steps in full, older ones shortened. */
export interface TaskHistory {
  /** Facts that the model asked to keep. */
  readonly facts: readonly string[]
  /** One line for each of the older steps, and shorter ones for the oldest. */
  readonly folded: readonly string[]
  readonly steps: readonly StepMemory[]
}

/** State of the loop detection. */
export interface ProgressTrail {
  /** Hashes of the last actions and their pages, newest last. */
  readonly acts: readonly string[]
  /** Fingerprint of the page, and for how many steps it has been the same. */
  readonly page: string
  readonly unchanged: number
  /** Consecutive steps in which nothing was done. */
  readonly idle: number
}

/** The rest of a task's budget. */
export interface RemainingBudget {
  readonly of: 'steps' | 'seconds' | 'tokens' | 'US dollars'
  readonly left: number
  readonly whole: number
}

/** The input of a prompt. */
export interface PromptBrief {
  readonly goal: string
  /** Additional instructions of the task's owner. */
  readonly extra?: string
  /** The URL to start at, if the task has not opened it already. */
  readonly startUrl?: string
  readonly history: TaskHistory
  readonly observation: Observation
  /** Current notices: a warning, a person's answer, a failed check. Never text of a page. */
  readonly notices: readonly string[]
  readonly secretNames: readonly string[]
  /** Logins that may be filled in; absent: none. */
  readonly logins?: readonly KnownSiteLogin[]
  readonly allowedDomains?: readonly string[]
  /** True if a person may be asked. */
  readonly mayAsk: boolean
  /** True if screenshots may be requested. */
  readonly mayLook: boolean
  /** True if scripts may be run. */
  readonly mayScript?: boolean
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /**
   * True for an agent, which lists tools once: then tools that only other pages need are included.
   */
  readonly listsOnce?: boolean
  /** Only `done` is offered, because this is the last step. */
  readonly isLast: boolean
  readonly budgets: readonly RemainingBudget[]
  /** ISO date, for goals that say "tomorrow". */
  readonly today: string
}
