/**
 * What this version writes: the log entries of each kind's rehearsed life, and a message of each
 * form that crosses processes. `write.ts` stores them for the tests of later versions.
 */
import { actorKinds, type ActorDeps } from '../../../actors/registry.ts'
import type { NodeRequest, NodeVerb, NodeVerbs } from '../../../proto/browser-host/node.ts'
import { mouseClickCommand } from '../../../proto/commands/os-control/pointer.ts'
import type { CommandEnvelope, PlaceReply, PlaceRequest } from '../../../proto/envelope.ts'
import type { HostRecord } from '../../../proto/host.ts'
import { sessionOptions } from '../../../proto/session/session.ts'
import type { AnyActorKind } from '../../../runtime/actor/actor-kind.ts'
import { persistSnapshot, startMachine, stepMachine } from '../../../runtime/actor/cell/machine.ts'
import type { LogEntry, PendingEffect } from '../../../runtime/actor/log.ts'

/** The machines of all kinds; their effects cannot run. */
export const bareKinds = (): readonly AnyActorKind[] => actorKinds({} as ActorDeps)

const atMs = 1_800_000_000_000

export interface LifeSample {
  readonly entry: LogEntry
  /** The public view after it. */
  readonly view: unknown
}

/** The entries of a kind's rehearsed life, as an actor host would have appended them. */
export function lifeOf({
  protocol,
  machine,
  rehearsal,
  view,
}: AnyActorKind): readonly LifeSample[] {
  const { id } = rehearsal.input as { readonly id: string }
  const life: LifeSample[] = []
  const events = [{ type: 'created' }, ...rehearsal.events]
  let step = startMachine(machine, rehearsal.input)
  for (const [i, event] of events.entries()) {
    if (i > 0) step = stepMachine(machine, step.snapshot, { ...event, at: atMs + i })
    const pending = step.requested.map((effect, index): PendingEffect => ({
      ...effect,
      effectId: `${id}:${i + 1}:${index}`,
    }))
    const entry: LogEntry = {
      ...{ v: 1, kind: protocol.kind, id, n: i + 1, epoch: 1, writer: 'b1.actors.0' },
      ...{ at: atMs + i, event, snapshot: persistSnapshot(machine, step.snapshot), pending },
      requests: [],
    }
    life.push({ entry, view: view(step.snapshot) })
  }
  return life
}

const session = { sessionId: 'ses_rehearsal', epoch: 3 }
const envelope: CommandEnvelope = {
  requestId: 'req_rehearsal',
  deadlineMs: 2 * atMs,
  command: { type: 'attach', by: 'b1.gateway.0' } as CommandEnvelope['command'],
  tenant: 'rehearsal',
}
const requests: { readonly [V in NodeVerb]: NodeVerbs[V]['request'] } = {
  claim: { ...session, options: sessionOptions({}), tenant: 'rehearsal', waitMs: 1_000 },
  release: session,
  save_profile: {
    ...session,
    blob: { store: 'b1', id: 'blb_rehearsal', ticket: 't', key: new Uint8Array(32) },
    bytesMax: 1,
  },
  holds: session,
  pages: session,
  glance: { sessionId: session.sessionId },
  journal: { sessionId: session.sessionId },
  events: { sessionId: session.sessionId, after: 0 },
  exchanges: { sessionId: session.sessionId, after: 0 },
  note: {
    sessionId: session.sessionId,
    events: [{ type: 'act', client: 'c1', act: 'click', x: 1, y: 2 }],
  },
  trace: { sessionId: session.sessionId, from: 0 },
  video_info: { sessionId: session.sessionId },
  video: { sessionId: session.sessionId, from: 0 },
  video_clip: { sessionId: session.sessionId, fromMs: atMs, toMs: atMs + 1_000 },
  video_frame: { sessionId: session.sessionId, atMs },
  video_order: { sessionId: session.sessionId, order: 'pause' },
  drain: {},
  undrain: {},
  run: {
    ...{ ...session, by: { id: 'tsk_rehearsal', epoch: 1 }, withinMs: 1_000 },
    actions: [{ command: 'mouse_click', input: mouseClickCommand.input.parse({ x: 1, y: 2 }) }],
  },
  restrict: {
    ...session,
    policy: { allowedDomains: ['example.com'], allowsPrivateNetwork: false },
  },
}
const host = { nodeId: 'b1', leaseMs: 6_000, machine: 'm', wallMs: atMs, version: '0.1.0' }
const histogram = { counts: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0], sumSeconds: 0.001 }

export interface SampleMessages {
  readonly envelope: CommandEnvelope
  readonly placeRequest: PlaceRequest
  readonly placeReplies: readonly PlaceReply[]
  readonly nodeRequests: { readonly [V in NodeVerb]: NodeRequest<V> }
  readonly hosts: readonly HostRecord[]
}

/** `create` is the input of a session. */
export function messagesOf(input: unknown): SampleMessages {
  const asked = <V extends NodeVerb>(verb: V): NodeRequest<V> => ({
    ...{ id: `ask-${verb}`, again: false, request: requests[verb] },
  })
  return {
    envelope,
    placeRequest: { kind: 'session', id: 'ses_rehearsal', create: { input }, envelope },
    placeReplies: [
      { ok: true, value: { view: {} } },
      { ok: false, error: { type: 'not_found', message: 'There is no such session.' } },
      { elsewhere: true },
    ],
    nodeRequests: {
      claim: asked('claim'),
      release: asked('release'),
      save_profile: asked('save_profile'),
      holds: asked('holds'),
      pages: asked('pages'),
      glance: asked('glance'),
      journal: asked('journal'),
      events: asked('events'),
      exchanges: asked('exchanges'),
      note: asked('note'),
      trace: asked('trace'),
      video_info: asked('video_info'),
      video: asked('video'),
      video_clip: asked('video_clip'),
      video_frame: asked('video_frame'),
      video_order: asked('video_order'),
      drain: asked('drain'),
      undrain: asked('undrain'),
      run: asked('run'),
      restrict: asked('restrict'),
    },
    hosts: [
      { ...host, state: 'alive', role: 'gateway', incarnation: 'b1.gateway.0', url: 'http://b1' },
      {
        ...{ ...host, state: 'alive', role: 'actors', incarnation: 'b1.actors.0' },
        ...{ agents: [], actors: { residents: 1, takeovers: 0 } },
      },
      {
        ...{ ...host, state: 'alive', role: 'node-agent', incarnation: 'b1.node-agent.0' },
        ...{ dataUrl: 'http://b1:1', isolation: 'full' },
        browsers: {
          ...{ capacity: 4, warm: 1, booting: 0, claimed: 0, queued: 0, ready: true },
          counts: {
            ...{ boots: histogram, bootFailures: 0, waits: histogram },
            refusals: { queue_full: 0, queue_timeout: 0 },
            exits: { crashed: 0, closed: 0, out_of_resources: 0 },
          },
        },
      },
    ],
  }
}
