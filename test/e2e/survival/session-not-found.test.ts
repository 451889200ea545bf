/**
 * Goal: a wrong answer that the session does not exist does not end its browser, and a session that
 * really does not exist does. Method: a real node agent and nats-server, and the receiver of its
 * reports in an actor host; the session's mailbox is played.
 */
import t from 'tap'
import { serveReports } from '../../../actors/session/reports.ts'
import { decode, encode } from '../../../proto/codec.ts'
import type { CommandEnvelope, Reply } from '../../../proto/envelope.ts'
import { newId } from '../../../proto/ids.ts'
import { limits } from '../../../proto/limits.ts'
import { sessionOptions } from '../../../proto/session/session.ts'
import { streams, subjects } from '../../../proto/subjects.ts'
import { openSealer } from '../../../runtime/accounts/seal/seal.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import { askNode } from '../../../runtime/browser-host/node-client.ts'
import { insiderOn, openInsider } from '../../helpers/service/insider.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'
import { startMember } from '../../helpers/service/member.ts'
import { silent, startNats } from '../../helpers/nats/nats.ts'
import { until } from '../../helpers/lib/until.ts'
import { hostedSessionLimits } from '../../../node-agent/sessions/limits.ts'

const nodeId = 'browsers'
const roundsMs = 6 * hostedSessionLimits.reconcileMs

t.test('a browser survives wrong answers that its session does not exist', async (t) => {
  const nats = await startNats(t)
  const store = await nats.store()
  const nc = await nats.connect()
  const bus = new NatsBus(nc)
  const { directory, close } = await insiderOn(nc)
  t.teardown(close)
  const serviceAudit = { add: () => undefined }
  const sealer = openSealer(loadConfig())
  serveReports({ bus, directory, store, serviceAudit, sealer, log: silent })
  await startMember(t, 'node-agent', { env: { ...nats.env, NODE_ID: nodeId } })

  const sessionId = newId('ses')
  const log = subjects.log('session', sessionId)
  await store.log.append(log, encode({}), 0)
  const notFound: Reply = { ok: false, error: { type: 'not_found', message: 'no such session' } }
  const heard: string[] = []
  bus.serve(subjects.mailbox('session', sessionId), async (payload) => {
    heard.push(decode<CommandEnvelope>(payload).command.type)
    return encode(notFound)
  })

  const options = sessionOptions({ browser: { headless: { active: true } } })
  const request = { sessionId, epoch: 1, options, waitMs: limits.browserBootMs }
  const { browserId } = await askNode(bus, nodeId, 'claim', request, 2 * limits.browserBootMs)
  const held = async () => {
    return (await askNode(bus, nodeId, 'holds', { sessionId, epoch: 1 }, limits.nodeCallMs))
      .browserId
  }
  const enough = hostedSessionLimits.notFoundAnswers + 1
  await until('it is called unknown', () => heard.length >= enough, roundsMs)
  t.equal(await held(), browserId)

  await store.log.purge(log)
  await until('it is ended', async () => (await held()) === null, roundsMs)
  t.same(new Set(heard), new Set(['browser.report']))
})

t.test('a session whose first entry finds no room leaves no browser behind', async (t) => {
  const service = await startService({ env: { POOL_HEADLESS: '1' } })
  t.teardown(() => service.stop())
  const insider = await openInsider(service.dataDir)
  t.teardown(() => insider.close())
  const claimed = async () => {
    const { body } = await service.rest<string>('GET', '/metrics')
    return Number(/troupe_browsers\{[^}]*state="claimed"\} (\d+)/.exec(body)?.[1])
  }
  await insider.refuseAll(streams.log, true)
  const refused = await service.rest('POST', '/v1/sessions', headless)
  t.ok(refused.status >= 500, `${refused.status}`)
  await until('its browser had been claimed', async () => (await claimed()) === 1)
  await insider.refuseAll(streams.log, false)
  await until('it is freed', async () => (await claimed()) === 0)
  t.equal((await createSession(service.rest, headless)).status, 'running')
})
