/**
 * The type of a handler, which carries out one command of the catalogue in a session's command
 * context.
 */
import type { CommandInput, CommandName, CommandOutput } from '../../../proto/commands/catalogue.ts'
import type { CommandContext } from '../command-context.ts'

type Handler<N extends CommandName> = (
  context: CommandContext,
  input: CommandInput<N>,
) => Promise<CommandOutput<N>>

export type HandlersOf<N extends CommandName> = { readonly [K in N]: Handler<K> }

export const noResult = {}
