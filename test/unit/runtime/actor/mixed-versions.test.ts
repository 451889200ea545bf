/**
 * Goal: during an upgrade, processes of two versions share one store and one bus: today's machines
 * continue what older ones have logged, and today's processes understand older messages. Method:
 * the stored samples of each release (`test/helpers/versions/`), and shapes from before the first.
 */
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { Health } from '../../../../gateway/sessions/health.ts'
import { serveVerbs } from '../../../../node-agent/verbs/verbs.ts'
import { decode, encode } from '../../../../proto/codec.ts'
import type { Reply } from '../../../../proto/envelope.ts'
import type { NodeRequest, NodeVerb } from '../../../../proto/browser-host/node.ts'
import type { AnyActorKind } from '../../../../runtime/actor/actor-kind.ts'
import {
  persistSnapshot,
  restoreSnapshot,
  startMachine,
  stepMachine,
} from '../../../../runtime/actor/cell/machine.ts'
import { toBytes, versionFixtures } from '../../../helpers/versions/fixture.ts'
import {
  bareKinds,
  lifeOf,
  messagesOf,
  type LifeSample,
  type SampleMessages,
} from '../../../helpers/versions/samples.ts'

const kinds = new Map(bareKinds().map((kind) => [kind.protocol.kind, kind]))
const sessionKind = kinds.get('session')!

/** Continues a life after each of its entries, as a host that takes the actor over does. */
function continueLife(t: Test, kind: AnyActorKind, life: readonly LifeSample[]) {
  const { machine, view, effects } = kind
  for (const [i, { entry, view: shown }] of life.entries()) {
    const what = `after ${entry.event.type}`
    let snapshot = restoreSnapshot(machine, entry.snapshot)
    t.match(view(snapshot), shown as object, `${what} its view says what it said`)
    for (const effect of entry.pending) {
      t.ok(Object.hasOwn(effects, effect.kind), `${what} there is the effect ${effect.kind}`)
      t.doesNotThrow(() => kind.wants?.(snapshot, effect))
    }
    const recovered = { type: 'recovered', epoch: 2, at: entry.at } as const
    snapshot = stepMachine(machine, snapshot, recovered).snapshot
    for (const { entry: later } of life.slice(i + 1)) {
      snapshot = stepMachine(machine, snapshot, { ...later.event, at: later.at }).snapshot
    }
    t.match(view(snapshot), life.at(-1)!.view as object, `${what} it comes to the same end`)
    encode(persistSnapshot(machine, snapshot))
  }
}

async function understandMessages(t: Test, messages: SampleMessages) {
  const { placeRequest, envelope, nodeRequests, hosts } = messages
  const { machine } = sessionKind
  const made = startMachine(machine, placeRequest.create!.input).snapshot
  t.match(sessionKind.view(made), { id: placeRequest.id })
  const claimed = { ...sessionKind.rehearsal.events[0]!, at: 1 }
  const running = stepMachine(machine, made, claimed).snapshot
  sessionKind.admit(running, envelope.command, 1)
  const attached = stepMachine(machine, running, { ...envelope.command, at: 1 }).snapshot
  t.match(attached.context.holders, ['b1.gateway.0'])
  for (const [verb, request] of Object.entries(nodeRequests)) {
    const value = expected[verb as NodeVerb](request.request)
    t.match(await answerOf(verb, request), { ok: true, value }, verb)
  }
  t.match(new Health({ hosts: () => hosts }).ready(), { nodes: 1, capacity: 4, warm: 1 })
}

const same = (given: unknown): unknown => ({ given })
const ofSession = (given: unknown): unknown => same((given as { sessionId: string }).sessionId)
/** What the node agent below answers. */
const expected: Readonly<Record<NodeVerb, (given: unknown) => unknown>> = {
  ...{
    claim: same,
    release: same,
    save_profile: same,
    holds: same,
    pages: same,
    run: same,
    restrict: same,
  },
  ...{ glance: ofSession, journal: ofSession, trace: ofSession, events: same, exchanges: same },
  video_info: ofSession,
  video: same,
  video_clip: same,
  video_frame: same,
  video_order: () => ({ done: true }),
  note: () => ({ noted: true }),
  drain: () => ({ sessions: 0 }),
  undrain: () => ({ sessions: 0 }),
}

/** A node agent that answers with what its sessions were asked. */
async function answerOf(verb: string, request: NodeRequest): Promise<Reply> {
  const echo = new Proxy({}, { get: () => (given: unknown) => ({ given }) })
  const sessions = new Proxy(echo, {
    get: (target, name) => (name === 'held' ? () => [] : Reflect.get(target, name)),
  })
  let handle: ((payload: Uint8Array, subject: string) => Promise<Uint8Array>) | undefined
  serveVerbs({
    bus: {
      messageBytes: 1_000_000,
      request: () => Promise.reject(new Error('it asks nothing')),
      serve(_, handler) {
        handle = handler
        return { stop: () => undefined }
      },
    },
    nodeId: 'b1',
    sessions: sessions as Parameters<typeof serveVerbs>[0]['sessions'],
    commands: echo as Parameters<typeof serveVerbs>[0]['commands'],
    glances: echo as Parameters<typeof serveVerbs>[0]['glances'],
    saveRunning: async (given) => ({ given }) as never,
    traces: { read: async (given) => ({ given }) as never },
    events: {
      add: () => undefined,
      read: async (given) => ({ given }) as never,
      journalOf: async (given) => ({ given }) as never,
    },
    exchanges: { read: async (given) => ({ given }) as never },
    videos: {
      info: async (given) => ({ given }) as never,
      excerpts: {
        read: async (given) => ({ given }) as never,
        frame: async (given) => ({ given }) as never,
        clip: async (given) => ({ given }) as never,
      },
      order: async () => undefined,
    },
    close: async () => {},
    reopen: async () => {},
    mayAct: () => true,
    log: pino({ level: 'silent' }),
  })
  return decode<Reply>(await handle!(encode(request), `troupe.v1.node.b1.${verb}`))
}

for (const [version, { lives, messages }] of versionFixtures()) {
  for (const [name, samples] of Object.entries(lives)) {
    t.test(`a ${name} that ${version} has logged continues`, async (t) => {
      const kind = kinds.get(name)
      if (!kind) throw new Error(`there is no kind ${name} any more`)
      const life = samples.map((sample) => decode<LifeSample>(toBytes(sample)))
      t.ok(life.length > 1)
      continueLife(t, kind, life)
    })
  }

  t.test(`messages of ${version} are understood`, async (t) => {
    await understandMessages(t, decode<SampleMessages>(toBytes(messages)))
  })
}

t.test('every kind of actor has samples of some version', async (t) => {
  const known = new Set(versionFixtures().flatMap(([, { lives }]) => Object.keys(lives)))
  const missing = [...kinds.keys()].filter((kind) => !known.has(kind))
  t.same(missing, [], 'write them with `node dist/test/helpers/versions/write.js`')
})

/** A copy without the fields of these names, wherever they are. */
function without<T>(value: T, names: ReadonlySet<string>): T {
  return JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (names.has(name) ? undefined : inner)),
  ) as T
}

t.test('a session from before tasks, links and scripts were known to it continues', async (t) => {
  const younger = new Set(['tasks', 'liveGeneration', 'evaluate'])
  const life = without(lifeOf(sessionKind), younger)
  const claim = life[0]!.entry.pending.find(({ kind }) => kind === 'claim')!
  delete (claim.params as { tenant?: string }).tenant
  continueLife(t, sessionKind, life)
})

t.test(
  'messages from before tenants took turns and processes counted are understood',
  async (t) => {
    const younger = new Set(['counts', 'actors', 'wallMs', 'isolation'])
    const older = without(messagesOf(sessionKind.rehearsal.input), younger)
    delete (older.nodeRequests.claim.request as { tenant?: string }).tenant
    delete (older.nodeRequests.run.request as { by?: unknown }).by
    await understandMessages(t, older)
  },
)

t.test('what a newer version adds is ignored', async (t) => {
  const added = <T>(value: T): T => {
    if (Array.isArray(value)) return value.map(added) as T
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).map(([name, inner]) => [name, added(inner)])
    return Object.fromEntries([...fields, ['ofALaterVersion', true]]) as T
  }
  const { hosts, envelope, placeRequest, ...rest } = messagesOf(sessionKind.rehearsal.input)
  await understandMessages(t, {
    ...rest,
    hosts: added(hosts),
    envelope: added(envelope),
    placeRequest: { ...placeRequest, ofALaterVersion: true } as typeof placeRequest,
  })
})
