/**
 * The trace of a session: the commands it ran and their effects, as JSON lines. The node agent
 * writes it, gateways read it.
 */
import type { CommandOutput } from '../commands/catalogue.ts'

/** The first line. */
export interface TraceHead {
  readonly type: 'trace'
  readonly version: 1
  readonly session_id: string
  /** ISO time. */
  readonly at: string
}

/** One command that ran. */
export interface TraceCommand {
  readonly type: 'command'
  /** 1, 2, 3 … without gaps. */
  readonly n: number
  /** ISO time of its start. */
  readonly at: string
  readonly command: string
  /** Absent for commands of tasks, which may contain secrets; the task's steps have it. */
  readonly input?: unknown
  /** The id of the task that sent it. */
  readonly task?: string
  readonly ms: number
  /** `done`, or the type of the error. */
  readonly outcome: string
  /** The error's message. */
  readonly message?: string
  /** The page afterwards. */
  readonly url?: string
  readonly title?: string
  /** Lines of the snapshot that are new (+), changed (~) or gone (-). */
  readonly changes?: string
  /** The page afterwards, a JPEG in base64. */
  readonly picture?: string
  /** Lines that the page wrote to its console since the previous command. */
  readonly console?: CommandOutput<'console'>['lines']
  /** The requests that the page has started since the previous command. */
  readonly requests?: readonly Omit<CommandOutput<'network'>['requests'][number], 'id'>[]
  /** Why one of the fields above is missing, for example an open dialog. */
  readonly note?: string
}

/** The last line of a trace that has reached its largest size. */
export interface TraceFull {
  readonly type: 'full'
  readonly at: string
  readonly message: string
}

export type TraceLine = TraceHead | TraceCommand | TraceFull
