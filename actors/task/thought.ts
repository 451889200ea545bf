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
  readonly command: CommandName
  /** Parsed by the command's schema; secrets are placeholders. */
  readonly input: Readonly<Record<string, unknown>>
  /** What the model wrote, for records. */
  readonly given: Readonly<Record<string, unknown>>
  /** The line of the observation that has the target's ref. */
  readonly element?: string
  /** Doing it twice is doing it once. */
  readonly repeat: 'safe' | 'once'
  /** A person must allow it first. */
  readonly gate?: GatedAction
}

/** What was decided: `acts` are to be done in order, then what `then` says. */
export interface Decision {
  /** The model's own words: what it saw, why it does this, what it must remember. */
  readonly note: string
  readonly acts: readonly Act[]
  readonly then:
    | { readonly kind: 'go_on' }
    | { readonly kind: 'done'; readonly success: boolean; readonly result: Result }
    | { readonly kind: 'ask'; readonly question: string }
  /** Calls that could not be used, each with the reason; the model reads them with the next page. */
  readonly refused: readonly { readonly tool: string; readonly why: string }[]
}

export type Result = Readonly<Record<string, unknown>>

/** How the final check went. */
export interface Verdict {
  readonly accomplished: boolean
  readonly missing: string
}

/** One step as it is remembered for the prompt. Texts are bounded and masked. */
export interface Memory {
  readonly n: number
  readonly page: string
  readonly note: string
  /** One line for each action, with its outcome. */
  readonly acts: readonly string[]
}

/** All that was before: the newest steps in full, older ones folded into fewer words. */
export interface History {
  readonly folded: string
  readonly steps: readonly Memory[]
}

/** What is watched for going round in circles. */
export interface Trail {
  /** Hashes of the last actions, newest last. */
  readonly acts: readonly string[]
  /** Fingerprints of the last pages, newest last. */
  readonly pages: readonly string[]
}

/** What a prompt is made of. */
export interface Brief {
  readonly goal: string
  readonly url?: string
  readonly extra?: string
  readonly history: History
  readonly observation: Observation
  /** Things of the moment: a nudge, an answer of a person, a budget that runs out, a failed check. */
  readonly notices: readonly string[]
  readonly secretNames: readonly string[]
  readonly allowedDomains?: readonly string[]
  readonly mayAsk: boolean
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /** Nothing but `done` is offered: it is the last step there is. */
  readonly isLast: boolean
  readonly stepsLeft: number
  /** Milliseconds until the time is up. */
  readonly leftMs: number
  /** ISO date, for goals that say "tomorrow". */
  readonly today: string
}
