/**
 * Goal: what ends access ends it on every gateway within a second, and a gateway that cannot check
 * access refuses everybody. Method: two gateways on one NATS, one of them through a proxy that can
 * be cut; a burst of requests on both while the token is revoked on one.
 */
import t from 'tap'
import { openChain } from '../../helpers/access/chain-on.ts'
import { askAt, errorOf, patient, type Ask } from '../../helpers/access/asking.ts'
import { grantTo, mint } from '../../helpers/access/clients.ts'
import { startMember } from '../../helpers/service/member.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { startProxy } from '../../helpers/nats/nats-proxy.ts'
import { isRunning } from '../../helpers/lib/processes.ts'
import { until } from '../../helpers/lib/until.ts'

const nats = await startNats(t)
const proxy = await startProxy(t, nats.port)
const on = (node: string, more: Record<string, string> = {}) => ({
  env: { ...nats.env, NODE_ID: node, PUBLIC_URL: 'https://access.example', ...more },
})
/** Nobody restarts these two here, so a busy machine must not let their leases end. */
const patience = { LEASE_SECONDS: '15' }
await startMember(t, 'actors', on('a', patience))
const near = await startMember(t, 'gateway', on('a', patience))
const startFar = () =>
  startMember(t, 'gateway', on('b', { NATS_URL: `nats://127.0.0.1:${proxy.port}` }))
let far = await startFar()
const first = askAt(String(near.info['url']))
const second: Ask = (...asked) => askAt(String(far.info['url']))(...asked)
const world = await openChain(t, nats, String(near.info['url']))
const { a, ada, deciders, insider } = world

/** Requests that all lanes together send before the token is revoked. */
const before = 24
const lateMs = 1_000
const read = { permissions: [{ area: 'contacts', actions: ['read'] }] } as const

async function known(token: string): Promise<void> {
  for (const ask of [first, second]) {
    await until('both gateways know the token', async () => {
      return (await ask('GET', '/v1/access', { token, from: '10.2.0.1' })).status !== 401
    })
  }
}

t.test('a token revoked in a burst on two gateways gets no 200 a second later', async (t) => {
  const { directory } = insider
  const { id } = await grantTo(directory, a, deciders, read)
  // Enough tokens that none of them reaches its rate limit.
  const minted = await Promise.all(Array.from({ length: 8 }, () => mint(directory, id, ada.author)))
  for (const { token } of minted) await known(token)
  let revokedAt = Infinity
  const served: number[] = []
  const statuses = new Set<number>()
  let sent = 0
  // The gateways' speed does not matter: a lane asks until it is refused.
  const lane = async (ask: Ask, lane: number) => {
    const { token } = minted[lane]!
    for (let n = 0; ; n++) {
      const { status } = await ask('GET', '/v1/access', { token, from: `10.3.${lane}.${n % 250}` })
      statuses.add(status)
      if (++sent === before) void revoke()
      if (status !== 200) break
      served.push(performance.now())
    }
  }
  const revoke = async () => {
    const need = `/v1/grants/${id}/revoke`
    const body = { reason: 'as a test under load' }
    const answer = await first('POST', need, { token: ada.token, seen: '*', body })
    t.equal(answer.status, 200)
    revokedAt = performance.now()
  }
  await Promise.all(minted.map((_, i) => lane(i % 2 === 0 ? first : second, i)))
  await until('it is revoked', () => revokedAt < Infinity)
  t.same([...statuses].sort(), [200, 401], 'some were served, some refused, and nothing else')
  t.ok(served.every((at) => at <= revokedAt + lateMs))
  for (const { token } of minted) {
    for (const ask of [first, second]) {
      await until(
        'both refuse',
        async () => {
          return (
            (await ask('GET', '/v1/access', { token, from: `10.4.0.${sent++ % 250}` })).status ===
            401
          )
        },
        lateMs,
      )
    }
  }
})

t.test('a gateway cut off from its lease answers 503, the other goes on', async (t) => {
  const { token } = a.reader
  await known(token)
  proxy.cut()
  const refused = await until('the gateway that is cut off refuses', async () => {
    // Asked this often, a token reaches its rate before the lease is over.
    const answer = await patient(second)('GET', '/v1/access', { token })
    return answer.status !== 200 && answer
  })
  t.match(errorOf(refused), { code: 503, type: 'authorization_unavailable' })
  t.ok(refused.headers.get('retry-after'))
  t.match(errorOf(await second('GET', '/v1/me', { token: ada.token })), {
    type: 'authorization_unavailable',
  })
  t.equal((await first('GET', '/v1/access', { token })).status, 200)
  proxy.mend()
  await until('it has caught up', async () => {
    return (await second('GET', '/v1/access', { token })).status === 200
  })
})

t.test('a token revoked while a gateway was cut off is refused once it is back', async (t) => {
  const { id, token } = await grantTo(insider.directory, a, deciders, read)
  await known(token)
  proxy.cut()
  await until('it lets nobody in', async () => {
    return (await second('GET', '/v1/access', { token })).status === 503
  })
  const body = { reason: 'as a test of the watch' }
  const asked = { token: ada.token, seen: '*', body } as const
  t.equal((await first('POST', `/v1/grants/${id}/revoke`, asked)).status, 200)
  proxy.mend()
  const statuses: number[] = []
  await until('it answers again', async () => {
    const answer = second('GET', '/v1/access', { token, from: '10.5.0.1' })
    const { status } = await answer.catch(async () => {
      // If it was cut off for too long, it is declared dead, ends, and its supervisor restarts it.
      if (!isRunning(far.pid)) far = await startFar()
      return { status: 0 }
    })
    statuses.push(status)
    return status === 401
  })
  t.notOk(statuses.includes(200), 'never in between')
})
