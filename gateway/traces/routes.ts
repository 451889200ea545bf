/** Traces for callers of REST: of a session and of a task, as a page or as JSON lines. */
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Bus } from '../../runtime/store/bus.ts'
import { rawRoute, type Route } from '../routing/route.ts'
import type { HttpReply } from '../server/http.ts'
import type { SessionViews } from '../sessions/session-views.ts'
import type { SessionService } from '../sessions/sessions.ts'
import type { TaskRecords } from '../tasks/records.ts'
import type { TaskService } from '../tasks/tasks.ts'
import { sessionTrace, taskTrace, type AnyTraceLine } from './trace-lines.ts'
import { tracePage } from './trace-page.tsx'

export interface TraceRouteDeps {
  readonly bus: Bus
  readonly sessions: Pick<SessionService, 'get'>
  readonly views: Pick<SessionViews, 'get'>
  readonly tasks: Pick<TaskService, 'get'>
  readonly records: TaskRecords
}

const formats = ['html', 'jsonl'] as const
type TraceFormat = (typeof formats)[number]

const types = { html: 'text/html; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' }

const query = z.object({
  format: z
    .enum(formats)
    .default('html')
    .describe('html: one file that opens without the service. jsonl: one JSON object per line.'),
})

export function traceRoutes(deps: TraceRouteDeps): readonly Route[] {
  return [sessionTraceRoute(deps), taskTraceRoute(deps)]
}

function sessionTraceRoute({ bus, sessions }: TraceRouteDeps): Route {
  return rawRoute({
    method: 'GET',
    path: '/v1/sessions/{session_id}/trace',
    summary:
      'Get a trace of a session: the changes, picture, timing, console and requests of each ' +
      'command.',
    description:
      'Only for sessions created with `browser.tracing.active`. Available while the session ' +
      'runs and for a day after its last command, as long as its host is up. It contains ' +
      'typed text, but not the inputs of web tasks. With `format=jsonl`, the `type` of each ' +
      'line is `trace`, `command` or `full`.',
    auth: 'key',
    scope: 'drive',
    params: z.object({ session_id: z.string() }),
    query,
    contentType: Object.values(types),
    async handler({ caller, params, query: { format } }) {
      const view = await sessions.get(caller, params.session_id)
      return reply(`trace-${view.id}`, format, await sessionTrace(bus, view))
    },
  })
}

function taskTraceRoute({ bus, views, tasks, records }: TraceRouteDeps): Route {
  return rawRoute({
    method: 'GET',
    path: '/v1/tools/perform-web-task/{workflow_id}/trace',
    summary: 'Get a trace of a task: each step with its page, reason, actions and picture.',
    description:
      'Kept as long as the task. If its session was created with `browser.tracing.active`, ' +
      'its commands follow, with changes, pictures, console and requests. With ' +
      '`format=jsonl`, the `type` of each line is `task`, `step`, `trace`, `command` or ' +
      '`full`.',
    auth: 'key',
    scope: 'tasks',
    params: z.object({ workflow_id: z.string() }),
    query,
    contentType: Object.values(types),
    async handler({ caller, params, query: { format } }) {
      const view = await tasks.get(caller, params.workflow_id)
      const session = view.sessionId === undefined ? undefined : views.get(view.sessionId)
      return reply(`trace-${view.id}`, format, taskTrace({ bus, records, session }, view))
    },
  })
}

/**
 * Sent as a download: the page contains texts of other sites, and must not be shown in our origin.
 */
function reply(name: string, format: TraceFormat, lines: AsyncIterable<AnyTraceLine>): HttpReply {
  const parts = format === 'html' ? tracePage(name, lines) : jsonLines(lines)
  return {
    status: 200,
    headers: {
      'content-type': types[format],
      'content-disposition': `attachment; filename="${name}.${format}"`,
      'content-security-policy':
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
      'cache-control': 'no-store',
    },
    body: { stream: Readable.from(parts, { objectMode: false }) },
  }
}

async function* jsonLines(lines: AsyncIterable<AnyTraceLine>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
}
