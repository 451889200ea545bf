/**
 * Records the commands of sessions that were created with `browser.tracing`. The page is captured
 * after each command and before its answer, so that the trace shows the effect of the command;
 * other sessions have no overhead.
 */
import type { TraceCommand, TraceLine } from '../../proto/browser-host/trace.ts'
import { commandCatalogue } from '../../proto/commands/catalogue.ts'
import type { Command } from '../../proto/commands/command.ts'
import { defined } from '../../proto/defined.ts'
import type { Reply } from '../../proto/envelope.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import type { CommandContext } from '../commands/command-context.ts'
import type { CommandTracer, TracedCommand } from '../commands/command-tracer.ts'
import { readingHandlers } from '../commands/handlers/reading.ts'
import { traceLimits } from './limits.ts'
import { PageLooks, type PageLook } from './page-looks.ts'
import type { TraceFiles } from './trace-files.ts'

/** The trace of one session while it runs. */
interface OpenTrace {
  readonly looks: PageLooks
  readonly lines: SerialQueue
  bytes: number
  commands: number
  isFull: boolean
}

type Outcome = Pick<TraceCommand, 'at' | 'ms' | 'outcome' | 'message'>

export interface SessionTracesDeps {
  readonly files: Pick<TraceFiles, 'append'>
  /** Whose share of the room for traces is used; empty for a session whose tenant is unknown. */
  readonly tenantOf: (sessionId: string) => string
  readonly clock: Clock
}

export class SessionTraces implements CommandTracer {
  readonly #deps: SessionTracesDeps
  readonly #open = new WeakMap<CommandContext, OpenTrace>()

  constructor(deps: SessionTracesDeps) {
    this.#deps = deps
  }

  /** Runs the command and writes its effect to the trace. */
  async record(traced: TracedCommand, work: () => Promise<Reply>): Promise<Reply> {
    const trace = await this.#traceOf(traced)
    if (trace.isFull) return work()
    const isReading = Object.hasOwn(readingHandlers, traced.call.command)
    if (!isReading) await trace.lines.run(() => trace.looks.begin())
    const begun = traced.context.logins.filled.begin()
    const [atMs, sinceMs] = [this.#deps.clock.now(), this.#deps.clock.monotonic()]
    const reply = await work()
    const outcome: Outcome = {
      at: new Date(atMs).toISOString(),
      ms: Math.round(this.#deps.clock.monotonic() - sinceMs),
      ...(reply.ok
        ? { outcome: 'done' }
        : { outcome: reply.error.type, message: reply.error.message }),
    }
    const mask = <T>(seen: T) => traced.context.logins.filled.mask(seen, begun)
    await trace.lines.run(() => this.#write(trace, traced, outcome, isReading ? undefined : mask))
    return reply
  }

  async #traceOf({ sessionId, context }: TracedCommand): Promise<OpenTrace> {
    const known = this.#open.get(context)
    if (known) return known
    const lines = new SerialQueue()
    const looks = new PageLooks(context)
    const trace = { looks, lines, bytes: 0, commands: 0, isFull: false }
    this.#open.set(context, trace)
    await lines.run(async () => {
      const at = new Date(this.#deps.clock.now()).toISOString()
      const head = { type: 'trace', version: 1, session_id: sessionId, at } as const
      trace.bytes += await this.#append(sessionId, head)
    })
    return trace
  }

  /** `mask` is absent for commands that only read: the page is as it was. */
  async #write(
    trace: OpenTrace,
    traced: TracedCommand,
    outcome: Outcome,
    mask: ((seen: PageLook) => PageLook) | undefined,
  ) {
    if (trace.isFull) return
    const { sessionId, call, task } = traced
    const { command } = call
    const seen = mask ? mask(await trace.looks.look()) : {}
    const isTold = task === undefined && !secretInputs.has(command)
    const input = isTold ? boundedInput(call.input) : undefined
    const n = ++trace.commands
    trace.bytes += await this.#append(sessionId, {
      ...{ type: 'command', n, command, ...defined({ input, task }) },
      ...outcome,
      ...seen,
    })
    if (trace.bytes < traceLimits.traceBytes) return
    trace.isFull = true
    const at = new Date(this.#deps.clock.now()).toISOString()
    const message = `The trace is full (${trace.bytes} bytes); nothing after this is recorded.`
    await this.#append(sessionId, { type: 'full', at, message })
  }

  #append(sessionId: string, line: TraceLine): Promise<number> {
    const { files, tenantOf } = this.#deps
    return files.append(sessionId, tenantOf(sessionId), [line])
  }
}

const secretInputs: ReadonlySet<string> = new Set(
  commandCatalogue.flatMap((entry: Command) => (entry.secretInput ? [entry.name] : [])),
)

/** Truncates a long input to its beginning. */
function boundedInput(input: unknown): unknown {
  const text = JSON.stringify(input)
  const max = traceLimits.inputChars
  return text.length <= max ? input : `${text.slice(0, max)} … (${text.length} characters)`
}
