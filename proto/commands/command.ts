/**
 * What a command is: everything that can be done to a session's browser is defined once, as data.
 * REST routes, batches, `/openapi.json` and the tools of MCP are read off the definitions; the node
 * agent has one handler for each.
 */
import type { z } from 'zod'

export interface Command<Input = unknown, Output = unknown> {
  /** `mouse_click`; the same in a batch, in logs and wherever else it is named. */
  readonly name: string
  /** One line of help. */
  readonly help: string
  readonly input: z.ZodType<Input>
  readonly output: z.ZodType<Output>
  /** `os`: through X where the session has a display, else through CDP. `page`: through CDP. */
  readonly travels: 'os' | 'page'
  /** `safe`: doing it twice is doing it once. `once`: it must not be repeated blindly. */
  readonly repeat: 'safe' | 'once'
  /** A route of its own, beside `/commands/{name}` and batches, which all have. */
  readonly rest?: RestForm
  /** How agents know it; commands without are not for them. */
  readonly tool?: ToolForm
  /** How AI tasks know it, where that is not as `tool` has it; null: they do without. */
  readonly task?: TaskForm | null
}

/** How a command is reached over REST, below `/v1/sessions/{session_id}`. */
export interface RestForm {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** A segment in braces is a field of the input. */
  readonly path: string
  /** `status`: bare `{status}`; `data`: `{data: output}`; `bare`: the output itself; `image`: bytes. */
  readonly answer: 'status' | 'data' | 'bare' | 'image'
  /** Where more than a common body is taken. */
  readonly bodyBytes?: number
}

/** A command as a tool of MCP and of AI tasks. */
export interface ToolForm {
  readonly name: string
  readonly title: string
  /** When to use it and how, for a model; `help` is for people. */
  readonly teaches: string
  /** It looks and changes nothing. */
  readonly reads: boolean
  /** It changes something, but hardly loses anything: looks elsewhere, opens, moves on. */
  readonly adds?: boolean
  /** What a model is shown of the input, when that is less than all of it. */
  readonly input?: z.ZodObject
  /** What else is asked for, so that the answer suits a model. */
  readonly besides?: (input: Readonly<Record<string, unknown>>) => object
}

/** Of the tools with a form like this, tasks have those that travel to the page. */
export interface TaskForm extends ToolForm {
  /** Aimed by pixels of the last picture: only offered where a page is hardly text. */
  readonly visual?: boolean
}

/** Keeps the types of one definition together. */
export function command<const Name extends string, Input, Output>(
  definition: Command<Input, Output> & { readonly name: Name },
): Command<Input, Output> & { readonly name: Name } {
  return definition
}

export type InputOf<C extends Command> = z.output<C['input']>
export type OutputOf<C extends Command> = z.output<C['output']>
