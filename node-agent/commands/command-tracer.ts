/** Who is told of the commands of traced sessions. */
import type { CommandCall } from '../../proto/commands/catalogue.ts'
import type { Reply } from '../../proto/envelope.ts'
import type { CommandContext } from './command-context.ts'

export interface TracedCommand {
  readonly sessionId: string
  readonly context: CommandContext
  readonly call: CommandCall
  /** The task that gives it. */
  readonly task: string | undefined
}

export interface CommandTracer {
  /** Runs the command, and answers with its reply once it is recorded. */
  record(traced: TracedCommand, work: () => Promise<Reply>): Promise<Reply>
}
