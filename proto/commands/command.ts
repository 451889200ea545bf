/**
 * The definition of a command: everything that can be done to a session's browser is defined once,
 * as data. REST routes, batches, `/openapi.json` and MCP tools are derived from the definitions;
 * the node agent has one handler for each.
 */
import type { z } from 'zod'

export interface Command<Input = unknown, Output = unknown> {
  /** For example `mouse_click`; the same name in batches, logs and everywhere else. */
  readonly name: string
  /** One line of help. */
  readonly help: string
  readonly input: z.ZodType<Input>
  readonly output: z.ZodType<Output>
  /** `os`: through X where the session has a display, else through CDP. `page`: through CDP. */
  readonly transport: 'os' | 'page'
  /** `safe`: repeating it has no further effect. `once`: it must not be repeated blindly. */
  readonly repeat: 'safe' | 'once'
  /** The input is a secret as a whole: traces leave it out. */
  readonly secretInput?: true
  /** Its own REST route. Every command is also reachable by `/commands/{name}` and in batches. */
  readonly rest?: RestForm
  /** The command as a tool; without it, agents do not get the command. */
  readonly tool?: ToolForm
  /** The tool in AI tasks, if it differs from `tool`; null: tasks do not have it. */
  readonly task?: TaskForm | null
}

/** How a command is reached over REST, below `/v1/sessions/{session_id}`. */
export interface RestForm {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** A segment in braces is a field of the input. */
  readonly path: string
  /**
   * `status`: bare `{status}`; `data`: `{data: output}`; `bare`: just the output; `image`: bytes.
   */
  readonly answer: 'status' | 'data' | 'bare' | 'image'
  /** Set if larger bodies than usual are accepted. */
  readonly bodyBytes?: number
}

/** A command as a tool of MCP and of AI tasks. */
export interface ToolForm {
  readonly name: string
  readonly title: string
  /** For a model: when and how to use it. `help` is for people. */
  readonly modelHelp: string
  /** It only reads and changes nothing. */
  readonly readOnly: boolean
  /** It changes something but is unlikely to destroy data: it opens, navigates or selects. */
  readonly additive?: boolean
  /** The part of the input that a model sees; absent: all of it. */
  readonly input?: z.ZodObject
  /** The part of the output that a model is told about; absent: all of it. */
  readonly output?: z.ZodObject
  /** Additional input that the service sets, so that the answer suits a model. */
  readonly extraInput?: (input: Readonly<Record<string, unknown>>) => object
}

/** The form of a tool in tasks, which get only tools whose commands have the transport `page`. */
export interface TaskForm extends ToolForm {
  /** Aimed by pixels of the last screenshot: offered only for pages with hardly any text. */
  readonly visual?: boolean
}

/** Infers the types of one definition. */
export function defineCommand<const Name extends string, Input, Output>(
  definition: Command<Input, Output> & { readonly name: Name },
): Command<Input, Output> & { readonly name: Name } {
  return definition
}

export type InputOf<C extends Command> = z.output<C['input']>
export type OutputOf<C extends Command> = z.output<C['output']>
