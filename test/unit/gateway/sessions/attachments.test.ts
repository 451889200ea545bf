/**
 * Goal: for requests in a row, a session's actor is told once of their start, and once of their end
 * with the time since. Method: a played actor on virtual time.
 */
import { pino } from 'pino'
import t from 'tap'
import { Attachments } from '../../../../gateway/sessions/sockets/attachments.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import { newId } from '../../../../proto/ids.ts'
import { playedView, PlayedViews } from '../../../helpers/gateway/gateway.ts'
import type { Said } from '../../../helpers/runtime/said.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { gatewaySessionLimits } from '../../../../gateway/sessions/limits.ts'

const lingerMs = gatewaySessionLimits.attachmentLingerMs

function setUp() {
  const timeline = new Timeline()
  const views = new PlayedViews()
  const sessionId = newId('ses')
  views.set(playedView(sessionId))
  const told: Said[] = []
  /** Replaces the next answers of the actor. */
  const failures: Error[] = []
  /** The agents of the browser one after the other; all but the last are dead. */
  const agents = ['h.node-agent.1']
  const hostOf = (incarnation: string) =>
    ({ incarnation, state: incarnation === agents.at(-1) ? 'alive' : 'dead' }) as HostRecord
  const directory = {
    async ask(_actor: unknown, id: string, command: Said) {
      told.push(command)
      const failure = failures.shift()
      if (failure) throw failure
      const claim = { machine: 'here', devtoolsPort: 1, incarnation: agents.at(-1) }
      return { view: views.get(id), claim, epoch: 1 }
    },
  }
  const attachments = new Attachments({
    bus: { messageBytes: 0, request: () => Promise.reject(new Error('nothing is asked')) },
    directory: directory as ConstructorParameters<typeof Attachments>[0]['directory'],
    incarnation: 'g.gateway.1',
    machine: 'here',
    views,
    membership: { get: hostOf },
    clock: new SimProcess(timeline, 'g').clock,
    log: pino({ level: 'silent' }),
  })
  const grant = { sessionId, keyId: 'dev', tenant: 'default' }
  return {
    timeline,
    views,
    sessionId,
    grant,
    attachments,
    told,
    failures,
    agents,
    types: () => told.map(({ type }) => type),
    request: () => attachments.during(grant, async () => undefined),
  }
}

t.test('requests in a row cause one attach and one detach', async (t) => {
  const { timeline, types, told, request } = setUp()
  await request()
  await timeline.run(lingerMs - 1)
  await request()
  await timeline.run(lingerMs - 1)
  t.same(types(), ['attach'])
  await timeline.run(1)
  t.same(types(), ['attach', 'disconnected'])
  t.equal(told.at(-1)!['quietMs'], lingerMs, 'idle counts from the last request')
  await request()
  t.same(types(), ['attach', 'disconnected', 'attach'])
})

t.test('the end of a connection is reported at once', async (t) => {
  const { timeline, types, attachments, grant, sessionId, request } = setUp()
  await request()
  await attachments.join(grant)
  await timeline.run(3 * lingerMs)
  t.same(types(), ['attach'])
  attachments.leave(sessionId)
  await attachments.settled()
  t.same(types(), ['attach', 'disconnected'])
})

t.test('an ended session is asked about again by the next caller', async (t) => {
  const { timeline, types, views, sessionId, request } = setUp()
  await request()
  views.set({ ...playedView(sessionId), status: 'ending', reason: 'idle' })
  await timeline.run(2 * lingerMs)
  t.same(types(), ['attach'], 'no detach is needed')
  await request()
  t.same(types(), ['attach', 'attach'])
})

t.test('a gateway that shuts down detaches without delay', async (t) => {
  const { types, attachments, request } = setUp()
  await request()
  await attachments.settled()
  t.same(types(), ['attach', 'disconnected'])
})

const late = new ServiceError('timeout', 'The session did not answer in time.')

t.test('an actor that answered too late may count us, so it is told that we left', async (t) => {
  const { types, failures, attachments, request } = setUp()
  failures.push(late)
  await t.rejects(request(), late)
  await attachments.settled()
  t.same(types(), ['attach', 'disconnected'])
  failures.push(new ServiceError('session_ended', 'The session has ended.'))
  await t.rejects(request())
  await attachments.settled()
  t.same(types(), ['attach', 'disconnected', 'attach'], 'one that said no knows')
})

t.test('an unanswered question does not disturb existing connections', async (t) => {
  const { types, failures, attachments, grant } = setUp()
  await attachments.join(grant)
  failures.push(late)
  await t.rejects(attachments.renew(grant), late)
  await attachments.join(grant)
  t.same(types(), ['attach', 'attach'])
})

t.test('a refused stranger does not block an owner who connects at the same time', async (t) => {
  const { attachments, grant, failures, types } = setUp()
  failures.push(new ServiceError('not_found', 'There is no such session.'))
  const stranger = attachments.join({ ...grant, tenant: 'stranger' })
  const owner = attachments.join(grant)
  await t.rejects(stranger, { message: /no session/ })
  t.match(await owner, { epoch: 1 })
  t.same(types(), ['attach', 'attach'])
})

t.test('after the death of the agent the actor is asked for the one that goes on', async (t) => {
  const { types, attachments, agents, grant, failures } = setUp()
  await attachments.join(grant)
  agents.push('h.node-agent.2')
  t.match(await attachments.join(grant), { claim: { incarnation: 'h.node-agent.2' } })
  await attachments.join(grant)
  t.same(types(), ['attach', 'attach'], 'once')
  agents.push('h.node-agent.3')
  failures.push(new ServiceError('session_ended', 'The session has ended.'))
  await t.rejects(attachments.join(grant), { message: 'The session has ended.' })
  await t.rejects(attachments.join({ ...grant, tenant: 'stranger' }), { message: /no session/ })
  t.match(await attachments.join(grant), { claim: { incarnation: 'h.node-agent.3' } })
})
