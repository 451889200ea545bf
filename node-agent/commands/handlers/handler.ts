/**
 * The type of a handler, which carries out one command of the catalogue on a session's workbench.
 */
import type { CommandInput, CommandName, CommandOutput } from '../../../proto/commands/catalogue.ts'
import type { Workbench } from '../workbench.ts'

type Handler<N extends CommandName> = (
  bench: Workbench,
  input: CommandInput<N>,
) => Promise<CommandOutput<N>>

export type HandlersOf<N extends CommandName> = { readonly [K in N]: Handler<K> }

export const done = {}
