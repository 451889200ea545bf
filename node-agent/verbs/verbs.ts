/**
 * What an agent is asked: over the bus, with one subject per verb, and for commands over connections
 * of gateways as well. Answers have the common reply format.
 */
import type { Logger } from 'pino'
import { decode, encode } from '../../proto/codec.ts'
import type { Reply } from '../../proto/envelope.ts'
import { ServiceError, toWireError } from '../../proto/errors.ts'
import type {
  NodeRequest,
  NodeReply,
  NodeVerb,
  NodeVerbs,
  SavedProfile,
} from '../../proto/browser-host/node.ts'
import { subjects } from '../../proto/subjects.ts'
import type { Bus, BusService } from '../../runtime/store/bus.ts'
import { tooLong } from '../../runtime/browser-host/node-client.ts'
import { toReply } from '../../runtime/store/reply.ts'
import { activeTracer } from '../../runtime/tracing/tracer.ts'
import { AgentReplyCache } from './agent-reply-cache.ts'
import type { SessionCommandRunner } from '../data-port/command-channel.ts'
import type { CommandExecutor } from '../commands/command-executor.ts'
import type { SessionEvents } from '../events/session-events.ts'
import type { SessionExchanges } from '../events/session-exchanges.ts'
import type { TraceFiles } from '../traces/trace-files.ts'
import type { Excerpts } from '../video/excerpts/excerpts.ts'
import type { SessionVideos } from '../video/session-videos.ts'
import type { Glances } from '../sessions/glances.ts'
import type { AgentSessions } from '../sessions/sessions.ts'

type Handlers = {
  readonly [V in NodeVerb]: (
    request: NodeVerbs[V]['request'],
  ) => NodeVerbs[V]['reply'] | Promise<NodeVerbs[V]['reply']>
}

export interface VerbsOptions {
  readonly bus: Bus
  readonly nodeId: string
  readonly sessions: AgentSessions
  readonly saveRunning: (request: NodeVerbs['save_profile']['request']) => Promise<SavedProfile>
  readonly commands: CommandExecutor
  readonly glances: Pick<Glances, 'of'>
  readonly traces: Pick<TraceFiles, 'read'>
  readonly events: Pick<SessionEvents, 'add' | 'read' | 'journalOf'>
  readonly exchanges: Pick<SessionExchanges, 'read'>
  readonly videos: Pick<SessionVideos, 'info' | 'order'> & {
    readonly excerpts: Pick<Excerpts, 'clip' | 'frame' | 'read'>
  }
  /** Takes no new sessions any more; those that run go on. */
  readonly close: () => Promise<void>
  /** Takes them again. */
  readonly reopen: () => Promise<void>
  /**
   * False while this agent may have been declared dead, so that others may act on its sessions. It
   * waits a moment for the lease of an agent that stood still.
   */
  readonly mayAct: () => boolean | Promise<boolean>
  readonly log: Logger
}

/** `run`: answers commands that came over a connection for one session. */
export interface ServedVerbs extends BusService, SessionCommandRunner {}

export function serveVerbs(options: VerbsOptions): ServedVerbs {
  const { bus, nodeId, sessions, mayAct, log } = options
  const handlers = handlersOf(options)
  const handle = async (verb: string, request: unknown): Promise<unknown> => {
    if (!(await mayAct())) {
      throw new ServiceError(
        'unavailable',
        'This host has temporarily lost contact with the service.',
      )
    }
    if (!Object.hasOwn(handlers, verb)) {
      throw new ServiceError('not_found', `A node agent has no verb ${verb}.`)
    }
    return (handlers[verb as NodeVerb] as (request: unknown) => unknown)(request)
  }
  const answer = (verb: string, request: unknown) =>
    toReply(
      () => handle(verb, request),
      (error) => log.error({ verb, err: error }, 'verb failed'),
    )
  const asks = new AgentReplyCache()
  /**
   * Whether a repeated request that is not known here has never been started. A session that is held
   * here was so when the request was first sent, unless an earlier agent held it.
   */
  const mayBegin = (verb: string, { id, request }: NodeRequest) =>
    repeatable.has(verb) ||
    (!asks.wasAnswered(id) &&
      'sessionId' in request &&
      sessions.holdsBrowser(request.sessionId) &&
      !sessions.isInherited(request.sessionId))
  const answerOnce = async (verb: string, asked: NodeRequest) => {
    const { id, again, request, trace } = asked
    const known = asks.known(id)
    if (known) return known
    if (again && !mayBegin(verb, asked)) return encode({ forgotten: true } satisfies NodeReply)
    const work = async () => fitting(encode(await answer(verb, request)), bus.messageBytes)
    return asks.once(id, () => traced(verb, trace, work))
  }
  const { stop } = bus.serve(subjects.nodeAll(nodeId), (payload, subject) =>
    answerOnce(subject.slice(subject.lastIndexOf('.') + 1), decode<NodeRequest>(payload)),
  )
  return {
    stop,
    messageBytes: bus.messageBytes,
    async run(sessionId, payload) {
      const asked = decode<NodeRequest<'run'>>(payload)
      if (asked.request.sessionId === sessionId) return answerOnce('run', asked)
      const text = `This connection only accepts commands of session ${sessionId}.`
      return encode(refusal(new ServiceError('forbidden', text)))
    },
  }
}

function handlersOf(options: VerbsOptions): Handlers {
  const { sessions, saveRunning, commands, glances, traces, events, exchanges, videos } = options
  const { close, reopen } = options
  return {
    claim: (request) => sessions.claim(request),
    release: (request) => sessions.release(request),
    save_profile: (request) =>
      request.runsOn ? saveRunning(request) : sessions.saveProfile(request),
    holds: (request) => sessions.holds(request),
    pages: (request) => sessions.pages(request),
    events: (request) => events.read(request),
    exchanges: (request) => exchanges.read(request),
    note({ sessionId, events: told }) {
      for (const event of told) events.add(sessionId, event)
      return { noted: true }
    },
    journal: ({ sessionId }) => events.journalOf(sessionId),
    glance: ({ sessionId }) => glances.of(sessionId),
    trace: ({ sessionId, from }) => traces.read(sessionId, from),
    video_info: ({ sessionId }) => videos.info(sessionId),
    video: (request) => videos.excerpts.read(request),
    video_clip: (request) => videos.excerpts.clip(request),
    video_frame: (request) => videos.excerpts.frame(request),
    async video_order({ sessionId, order }) {
      const state = await videos.order(sessionId, order)
      if (state) events.add(sessionId, { type: 'recording', state })
      return { done: true }
    },
    run: (request) => commands.run(request),
    restrict: (request) => commands.restrict(request),
    async drain() {
      await close()
      return { sessions: sessions.held().length }
    },
    async undrain() {
      await reopen()
      return { sessions: sessions.held().length }
    },
  }
}

const refusal = (error: ServiceError): Reply => ({ ok: false, error: toWireError(error) })

/** Continues the caller's trace, if there is one. */
function traced<T>(verb: string, parent: string | undefined, work: () => Promise<T>): Promise<T> {
  const tracer = parent === undefined ? undefined : activeTracer()
  return tracer ? tracer.run(`node ${verb}`, { kind: 'server', parent }, work) : work()
}

/** Verbs that may safely run twice. */
const repeatable: ReadonlySet<string> = new Set<NodeVerb>([
  'claim',
  'release',
  'save_profile',
  'holds',
  'pages',
  'glance',
  'events',
  'exchanges',
  'journal',
  'trace',
  'video_info',
  'video',
  'video_clip',
  'video_frame',
  'video_order',
  'restrict',
  'drain',
  'undrain',
])

function fitting(message: Uint8Array, limit: number): Uint8Array {
  if (message.byteLength <= limit) return message
  return encode(refusal(tooLong(message, limit)))
}
