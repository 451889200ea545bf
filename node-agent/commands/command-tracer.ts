/** The interface through which commands of traced sessions are recorded. */
import type { CommandCall } from '../../proto/commands/catalogue.ts'
import type { Reply } from '../../proto/envelope.ts'
import type { CommandContext } from './command-context.ts'

export interface TracedCommand {
  readonly sessionId: string
  readonly context: CommandContext
  readonly call: CommandCall
  /** The task that issued the command, if any. */
  readonly task: string | undefined
}

export interface CommandTracer {
  /** Runs the command, and returns its reply once it is recorded. */
  record(traced: TracedCommand, work: () => Promise<Reply>): Promise<Reply>
}
