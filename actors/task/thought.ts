/**
 * What passes between the machine of a task and its mind. Plain data: all of it but pictures may
 * stand in the log, so all of it is bounded.
 */
import type { CommandName } from '../../proto/commands/catalogue.ts'
import type { GatedAction } from '../../proto/task.ts'

/** A page as it was read, masked and bounded. */
export interface Observation {
  readonly url: string
  readonly title: string
  /** The snapshot; or what stands in the way of one, such as an open dialog. */
  readonly text: string
  /** Lines that did not fit. */
  readonly more: number
  readonly tabs: readonly {
    readonly id: string
    readonly url: string
    readonly title: string
    readonly selected: boolean
  }[]
  /** The page is mostly a picture (canvas): text alone will not do. */
  readonly visual: boolean
  /** It shows a secret, so no picture of it may be kept or sent. */
  readonly showsSecret: boolean
  /** Equal for pages that look the same. */
  readonly fingerprint: string
  readonly ms: number
}

/** One thing to do: a tool of the catalogue with its input, as the model gave it. */
export interface Act {
  /** Of the tool: `click`, `browser_navigate`. */
  readonly tool: string
  /** `screenshot` is not run: it asks for a picture beside the next page. */
  readonly command: CommandName
  /** Parsed by the command's schema; secrets are placeholders, places those of the last picture. */
  readonly input: Readonly<Record<string, unknown>>
  /** What the model wrote, for records; its texts are cut. */
  readonly given: Given
  /** The line of the observation that has the target's ref. */
  readonly element?: string
  /** Doing it twice is doing it once. */
  readonly repeat: 'safe' | 'once'
  /** A person must allow it first. */
  readonly gate?: GatedAction
}

/** Input of a tool as it stands in records. */
export type Given = Readonly<Record<string, unknown>>

/**
 * What was decided: `acts` are to be done in order, then what `then` says, unless one of them came
 * to nothing: then the page is read anew.
 */
export interface Decision {
  /** The model's own words: what it saw, why it does this. */
  readonly note: string
  /** Facts that it wants to keep in sight. */
  readonly facts: readonly string[]
  readonly acts: readonly Act[]
  readonly then:
    | { readonly kind: 'go_on' }
    | { readonly kind: 'done'; readonly success: boolean; readonly result: Result }
    | { readonly kind: 'ask'; readonly question: string }
  /** Calls that could not be used, each with the reason; the model reads them with the next page. */
  readonly refused: readonly Refusal[]
}

export interface Refusal {
  readonly tool: string
  readonly given: Given
  /** For the model, which is to do it otherwise. */
  readonly why: string
}

/** An answer that decides nothing, and the notice with which the model is asked once more. */
export interface Fault {
  /**
   * `bad_result`: what it was done with does not fit the schema of the order. `overloaded`: that
   * cannot be told now.
   */
  readonly kind: 'malformed' | 'bad_result' | 'overloaded'
  readonly notice: string
}

/** What an answer was found to be. */
export type Reading =
  | { readonly kind: 'decision'; readonly decision: Decision }
  | { readonly kind: 'fault'; readonly fault: Fault }

export type Result = Readonly<Record<string, unknown>>

/** How the final check went. */
export interface Verdict {
  readonly accomplished: boolean
  readonly missing: string
}

/** One step as it is remembered for the prompt. Texts are bounded and masked. */
export interface Memory {
  readonly n: number
  /** Its address and title. */
  readonly page: string
  readonly note: string
  /** One line for each action, with its outcome. */
  readonly acts: readonly string[]
}

/** All that was before: the newest steps in full, older ones folded into fewer words. */
export interface History {
  /** What the model asked to keep in sight. */
  readonly facts: readonly string[]
  /** One line for each of the older steps, and fewer for the oldest. */
  readonly folded: readonly string[]
  readonly steps: readonly Memory[]
}

/** What is watched for going round in circles. */
export interface Trail {
  /** Hashes of the last actions and of the pages they were done on, newest last. */
  readonly acts: readonly string[]
  /** Fingerprint of the page, and for how many steps it has been the same. */
  readonly page: string
  readonly unchanged: number
  /** Steps in a row in which nothing was done. */
  readonly idle: number
}

/** What is left of what a task may take. */
export interface Budget {
  readonly of: 'steps' | 'seconds' | 'tokens' | 'US dollars'
  readonly left: number
  readonly whole: number
}

/** What a prompt is made of. */
export interface Brief {
  readonly goal: string
  /** More of what the owner of the task wants to be heeded. */
  readonly extra?: string
  /** Where it is to begin, when nobody has opened that page for it. */
  readonly startUrl?: string
  readonly history: History
  readonly observation: Observation
  /** Things of the moment: a nudge, an answer of a person, a failed check. Not the page's words. */
  readonly notices: readonly string[]
  readonly secretNames: readonly string[]
  readonly allowedDomains?: readonly string[]
  /** A person may be asked. */
  readonly mayAsk: boolean
  /** Pictures may be asked for. */
  readonly mayLook: boolean
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /** It is shown its tools once (an agent): those that another page may call for are among them. */
  readonly listsOnce?: boolean
  /** Nothing but `done` is offered: it is the last step there is. */
  readonly isLast: boolean
  readonly budgets: readonly Budget[]
  /** ISO date, for goals that say "tomorrow". */
  readonly today: string
}
