// Goal: a session queued at a browser host that dies does not wait for an answer that will not
// come: it asks the next host as soon as there is one. Method: the session's own effect, with an
// in-memory bus, store and clock.
import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import t from 'tap'
import { claimBrowser, type ClaimDeps } from '../../../../actors/session/claiming/claim.ts'
import { encode } from '../../../../proto/codec.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import { sessionOptions } from '../../../../proto/session/session.ts'
import { subjects } from '../../../../proto/subjects.ts'
import type { EffectContext } from '../../../../runtime/actor/actor-kind.ts'
import { openSealer } from '../../../../runtime/accounts/seal/seal.ts'
import { certifyDeath, Membership } from '../../../../runtime/cluster/membership.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { Random } from '../../../sim/world/random.ts'
import { SimBus, SubjectTable } from '../../../sim/world/bus.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { SimLink } from '../../../sim/world/link.ts'
import { clusterLimits } from '../../../../runtime/cluster/limits.ts'

const params = { sessionId: 'ses_1', options: sessionOptions({}) }
const recorded = { ...params, options: { ...params.options, recording: true as const } }
const context = { epoch: 1, signal: new AbortController().signal } as EffectContext
const queueWaitMs = 30_000
const sealer = openSealer({ SEAL_KEY: randomBytes(32).toString('base64'), DATA_DIR: '' })

const hostOf = (life: number, nodeId = 'n1', more: Partial<HostRecord> = {}): HostRecord => ({
  state: 'alive',
  incarnation: `${nodeId}.node-agent.${life}`,
  nodeId,
  role: 'node-agent',
  leaseMs: 6_000,
  machine: 'm',
  version: '0',
  ...more,
})

async function stage() {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'actors')
  const table = new SubjectTable()
  const bus = (name: string) =>
    new SimBus(table, new SimLink(new SimProcess(timeline, name), new Random(1)))
  const hosts = new MemoryStore().bucket('hosts')
  const log = pino({ level: 'silent' })
  const membership = await Membership.open({ hosts, clock, log })
  t.teardown(() => membership.stop())
  const unused = { directory: {} as never, profiles: {} as never, extensions: {} as never }
  const shared = { bus: bus('actors'), clock, membership, sealer, queueWaitMs }
  const deps: ClaimDeps = { ...shared, ...unused }
  return {
    timeline,
    hosts,
    /** An agent with this answer, or one that queues everybody. */
    async come(life: number, answer?: object, nodeId = 'n1', more: Partial<HostRecord> = {}) {
      let asked = 0
      const waiting = new Promise<never>(() => {})
      const reply = answer && encode({ ok: true, value: answer })
      const serving = bus(`${nodeId}-${life}`)
      serving.serve(subjects.node(nodeId, 'claim'), async () => {
        asked++
        return reply ?? waiting
      })
      const host = hostOf(life, nodeId, more)
      await hosts.create(host.incarnation, encode(host))
      return () => asked
    },
    claim: (of = params) =>
      claimBrowser(deps, of, context).catch(
        (error: Error) => `${error.message} ${clock.monotonic()}`,
      ),
  }
}

/** A session is queued at the only host, which then dies. */
async function strike() {
  const staged = await stage()
  const { timeline, hosts, come, claim } = staged
  await come(1)
  await timeline.run(clusterLimits.membershipPollMs)
  const refused = claim()
  await timeline.run(5_000)
  await certifyDeath(hosts, hostOf(1).incarnation, 'supervisor')
  return { ...staged, refused }
}

t.test('the host’s death ends the wait, and the next attempt uses the new one', async (t) => {
  const { timeline, come, claim, refused } = await strike()
  await timeline.run(2_000)
  const asked = await come(2, { browserId: 'brw_2' })
  const saidAt = await timeline.until(refused, 5_000)
  t.match(saidAt, /^The browser host n1 was lost/)
  t.match(await timeline.until(claim(), 5_000), { type: 'claimed', claim: { browserId: 'brw_2' } })
  await timeline.run(queueWaitMs)
  t.equal(asked(), 1, 'and what was asked of the dead host is not asked of it')
})

t.test('without another host it ends when its queue time has passed', async (t) => {
  const { timeline, claim, refused } = await strike()
  t.match(await timeline.until(refused, queueWaitMs + 5_000), /^The browser host n1 was lost/)
  t.match(await timeline.until(claim(), 5_000), /^No browser host is running/)
})

t.test('hosts that die in turn while they are asked are not asked again', async (t) => {
  const { timeline, hosts, come, claim } = await stage()
  const frozen = ['n1', 'n2', 'n3']
  for (const nodeId of frozen) await come(1, undefined, nodeId)
  await timeline.run(clusterLimits.membershipPollMs)
  const refused = claim()
  await timeline.run(2_000)
  for (const nodeId of frozen) {
    await certifyDeath(hosts, hostOf(1, nodeId).incarnation, 'supervisor')
  }
  t.match(await timeline.until(refused, 5_000), /^No browser host is running/)
})

t.test('a session is recorded by a host that can; without one it is refused at once', async (t) => {
  const { timeline, come, claim } = await stage()
  const asked = [
    await come(1, { browserId: 'b1' }, 'n1', { recordingLack: 'there is no ffmpeg' }),
    await come(1, { browserId: 'b2' }, 'n2'),
  ]
  await timeline.run(clusterLimits.membershipPollMs)
  const refused = claim(recorded)
  await timeline.run(1_000)
  t.match(
    await refused,
    /n1: there is no ffmpeg; n2: older version.*npm run setup -- recording.* leave session\.recording out/,
  )
  t.same(
    asked.map((count) => count()),
    [0, 0],
  )
  await come(1, { browserId: 'b3' }, 'n3', { recordingLack: '' })
  await timeline.run(clusterLimits.membershipPollMs)
  const claimed = claim(recorded)
  await timeline.run(1_000)
  t.match(await claimed, { claim: { browserId: 'b3' } })
})
