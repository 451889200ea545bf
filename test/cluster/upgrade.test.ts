/**
 * Goal: a service is upgraded in place, with what it has stored and what runs, and back as far as that
 * goes. Method: an earlier build and this one, on one store and beside each other. `UPGRADE_FROM`
 * is the path of the earlier build's `troupe.js`; `npm run nightly -- upgrade` makes it.
 */
import t from 'tap'
import { newId } from '../../proto/ids.ts'
import { encode } from '../../proto/codec.ts'
import { sessionOptions, type SessionView } from '../../proto/session/session.ts'
import { buckets, ownerKey, viewKey } from '../../proto/subjects.ts'
import { loadConfig } from '../../runtime/config/config.ts'
import { connectNats } from '../../runtime/store/nats/connection.ts'
import { privateNats } from '../../runtime/store/nats/server/server.ts'
import { until } from '../helpers/lib/until.ts'
import { silent, startNats } from '../helpers/nats/nats.ts'
import { openInsider } from '../helpers/service/insider.ts'
import { startMember } from '../helpers/service/member.ts'
import {
  createSession,
  restClient,
  startService,
  type Rest,
  type Service,
} from '../helpers/service/service.ts'
import { devKey } from '../../proto/accounts/dev-key.ts'

const earlier = process.env['UPGRADE_FROM'] ?? ''
const skip = earlier === '' && 'UPGRADE_FROM names no earlier build'
t.setTimeout(900_000)

const ended = 9_000
const hourMs = 3_600_000

async function natsOf({ dataDir }: Service) {
  const config = loadConfig({ DATA_DIR: dataDir, NODE_ID: 'insider' })
  const { url, user, password } = privateNats(config)!
  const access = { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password }
  return connectNats({ ...config, ...access }, 'insider', silent)
}

/** Sessions that ended two hours ago, as the earlier version has stored them. */
async function fill(service: Service): Promise<void> {
  const nc = await natsOf(service)
  const options = sessionOptions({})
  for (let i = 0; i < ended; i++) {
    const createdAtMs = Date.now() - 2 * hourMs - i * 1_000
    const view: SessionView = {
      ...{ id: newId('ses', createdAtMs), tenant: 'default', status: 'completed', options },
      ...{ createdAtMs, endedAtMs: createdAtMs + 500, reason: 'deleted' },
      ...{ keyId: 'dev', keyName: 'development', tags: i % 10 === 0 ? ['tenth'] : [] },
    }
    const owner = encode({ state: 'resting', incarnation: 'test.actors.gone', epoch: 1 })
    nc.publish(
      `$KV.${buckets.views}.${viewKey('session', 'default', view.id)}`,
      encode({ n: 1, view }),
    )
    nc.publish(`$KV.${buckets.owners}.${ownerKey('session', view.id)}`, owner)
    if (i % 1_000 === 0) await nc.flush()
  }
  await nc.flush()
  await nc.close()
}

const lists = ['', '&tags=tenth', '&status=completed&page=7'].map(
  (query) => `/v1/sessions?sort_order=desc&limit=20${query}`,
)
const answersOf = async (rest: Rest) =>
  Promise.all(lists.map(async (path) => (await rest<unknown>('GET', path)).body))

async function heldBy({ dataDir }: Service): Promise<number> {
  const { store, close } = await openInsider(dataDir)
  let count = 0
  for await (const _ of store.bucket(buckets.views).scan('session.')) count++
  await close()
  return count
}

t.test('a store goes on with this version, and back', { skip }, async (t) => {
  const old = await startService({ program: earlier, isKept: true })
  await fill(old)
  const own = await createSession(old.rest)
  await old.rest('DELETE', `/v1/sessions/${own.id}`)
  type List = { readonly data: { readonly total: number } }
  const totalOf = async (rest: Rest) => (await rest<List>('GET', lists[0]!)).body.data.total
  const isListed = async () => {
    const { body } = await old.rest<List>('GET', '/v1/sessions?status=completed')
    return body.data.total === ended + 1
  }
  await until('all have ended', isListed)
  const before = await answersOf(old.rest)
  await old.stop()

  const next = await startService({ dataDir: old.dataDir, isKept: true })
  t.same(await answersOf(next.rest), before, 'at once')
  const one = await createSession(next.rest)
  await next.rest('DELETE', `/v1/sessions/${one.id}`)
  await until('what ended long ago has moved', async () => (await heldBy(next)) < 10, 600_000)
  t.equal(await totalOf(next.rest), ended + 2)
  const { body } = await next.rest<List>('GET', lists[1]!)
  t.same(body, before[1], 'and afterwards')
  await next.stop()

  const back = await startService({ program: earlier, dataDir: old.dataDir })
  t.equal(await totalOf(back.rest), 2, 'the earlier version lists what has not moved')
  await createSession(back.rest)
  await back.stop()
})

t.test('a running session goes on while each process is replaced', { skip }, async (t) => {
  const { env } = await startNats(t)
  const start = (role: 'actors' | 'gateway' | 'node-agent', program?: string) =>
    startMember(t, role, { env, ...(program && { program }) })
  const restOf = ({ info }: Awaited<ReturnType<typeof start>>) =>
    restClient(String(info['url']), devKey)
  const actors = await start('actors', earlier)
  await start('node-agent', earlier)
  const gateway = await start('gateway', earlier)
  const session = await createSession(restOf(gateway))
  const look = async (rest: Rest) => {
    const { body } = await rest('GET', `/v1/sessions/${session.id}`)
    return body.data.status
  }
  await start('actors')
  await actors.stop()
  t.equal(await look(restOf(gateway)), 'running', 'through the earlier gateway')
  const nextGateway = await start('gateway')
  await gateway.stop()
  const rest = restOf(nextGateway)
  t.equal(await look(rest), 'running')
  const act = await rest('POST', `/v1/sessions/${session.id}/commands/navigate`, {
    url: 'about:blank',
  })
  t.equal(act.status, 200, 'its agent is still the earlier one')
  await rest('DELETE', `/v1/sessions/${session.id}`)
  await until('it has ended', async () => (await look(rest)) === 'completed')
})
