/** The lines of traces: of a session, as recorded by its browser's host, and of a task. */
import type { NodeVerbs } from '../../proto/browser-host/node.ts'
import type { TraceLine } from '../../proto/browser-host/trace.ts'
import { isNotFound, ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { LoggedEvent } from '../../proto/session/session-event.ts'
import type { SessionView } from '../../proto/session/session.ts'
import type { StepRecord } from '../../proto/task/task.ts'
import type { TaskView } from '../../proto/task/task.ts'
import { askNode } from '../../runtime/browser-host/node-client.ts'
import { valuesOfLines } from '../../runtime/lib/text/json-lines.ts'
import type { Bus } from '../../runtime/store/bus.ts'
import { allEvents } from '../session-events/read-events.ts'
import { taskRow, type TaskJson } from '../tasks/json/task-json.ts'
import type { TaskRecords } from '../tasks/records.ts'
import { taskFeedLimits } from '../tasks/limits.ts'

/** The first line of a task's trace. */
export interface TaskTraceHead {
  readonly type: 'task'
  readonly version: 1
  readonly task: TaskJson
}

/** A step with the screenshot that its decision was based on: JPEG or PNG, in base64. */
export type TraceStep = StepRecord & { readonly picture?: string }

/** What has happened in a session besides its commands. */
export type OtherEvent = Exclude<LoggedEvent, { type: 'command' }>

export type SessionTraceLine = TraceLine | OtherEvent

export type AnyTraceLine = SessionTraceLine | TaskTraceHead | TraceStep

type Part = NodeVerbs['trace']['reply']

/**
 * The commands, and between them what else has happened. Throws `not_found` before the first line if
 * the session was not traced, or if nothing of it is left.
 */
export async function sessionTrace(
  bus: Bus,
  view: SessionView,
): Promise<AsyncIterable<SessionTraceLine>> {
  const lines = await commandLines(bus, view).catch((error: unknown) => {
    if (error instanceof ServiceError && isNotFound(error)) return error
    throw error
  })
  const events = besidesCommands(allEvents(bus, view))
  const first = await events.next()
  if (!(lines instanceof ServiceError)) return inOrder(lines, first, events)
  if (!view.options.tracing || first.done) throw lines
  return inOrder([headOf(view)], first, events)
}

/** Of a session in which no command has run. */
const headOf = ({ id, createdAtMs }: SessionView): TraceLine => ({
  ...{ type: 'trace', version: 1, session_id: id, at: new Date(createdAtMs).toISOString() },
})

async function* besidesCommands(events: AsyncIterable<LoggedEvent>): AsyncGenerator<OtherEvent> {
  for await (const event of events) if (event.type !== 'command') yield event
}

/** Both are in the order of their times; the head stays the first line. */
async function* inOrder(
  lines: AsyncIterable<TraceLine> | Iterable<TraceLine>,
  first: IteratorResult<OtherEvent>,
  events: AsyncGenerator<OtherEvent>,
): AsyncGenerator<SessionTraceLine> {
  let next = first
  for await (const line of lines) {
    while (line.type !== 'trace' && !next.done && next.value.at < line.at) {
      yield next.value
      next = await events.next()
    }
    yield line
  }
  for (; !next.done; next = await events.next()) yield next.value
}

async function commandLines(bus: Bus, view: SessionView): Promise<AsyncIterable<TraceLine>> {
  const { id: sessionId, nodeId, options } = view
  if (!options.tracing || nodeId === undefined) throw notTracedError()
  const partFrom = (from: number) =>
    askNode(bus, nodeId, 'trace', { sessionId, from }, limits.nodeCallMs)
  return linesOf(await partFrom(0), partFrom)
}

/** Splits the parts, which may end anywhere, into lines. Those that are incomplete are left out. */
async function* linesOf(
  first: Part,
  partFrom: (from: number) => Promise<Part>,
): AsyncGenerator<TraceLine> {
  let rest = Buffer.alloc(0)
  for (let part = first; ; part = await partFrom(part.next)) {
    const bytes = Buffer.concat([rest, part.bytes])
    const end = bytes.lastIndexOf(0x0a) + 1
    yield* valuesOfLines<TraceLine>(bytes.subarray(0, end).toString().split('\n'))
    rest = bytes.subarray(end)
    if (part.next === undefined) return
  }
}

export interface TaskTraceSources {
  readonly bus: Bus
  readonly records: TaskRecords
  /** The session of the task, if it is still known. */
  readonly session: SessionView | undefined
}

/** Each step with its screenshot; then the commands, if the session was traced. */
export async function* taskTrace(
  { bus, records, session }: TaskTraceSources,
  view: TaskView,
): AsyncGenerator<AnyTraceLine> {
  yield { type: 'task', version: 1, task: taskRow(view) }
  for (let since = 0; ;) {
    const steps = await records.steps(view.id, since, taskFeedLimits.stepsPerPage)
    for (const step of steps) yield { ...step, ...(await pictureOf(records, step)) }
    if (steps.length < taskFeedLimits.stepsPerPage) break
    since = steps.at(-1)!.n
  }
  if (!session?.options.tracing) return
  const lines = await commandLines(bus, session).catch((error: unknown) => {
    // The session's trace is kept for a shorter time than the task.
    if (isNotFound(error)) return []
    throw error
  })
  for await (const line of lines) {
    if (line.type !== 'command' || line.task === view.id) yield line
  }
}

async function pictureOf(records: TaskRecords, { task_id: id, n, screenshot }: StepRecord) {
  if (screenshot === undefined) return {}
  try {
    const { bytes } = await records.picture(id, n)
    return { picture: Buffer.from(bytes).toString('base64') }
  } catch (error) {
    if (isNotFound(error)) return {}
    throw error
  }
}

function notTracedError(): ServiceError {
  const message =
    'This session has no trace; create one with {"browser": {"tracing": {"active": true}}}.'
  return new ServiceError('not_found', message)
}
