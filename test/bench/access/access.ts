/** Surface A: what authorization costs a request, and how soon decisions take effect. */
import { newAccessId } from '../../../proto/access/ids.ts'
import { dayMs } from '../../../proto/units.ts'
import { requestActor, type RequestView } from '../../../proto/access/grants/request.ts'
import { openChain } from '../../helpers/access/chain-on.ts'
import { askAt, dataOf } from '../../helpers/access/asking.ts'
import { grantTo, mint, newsletter, type Client } from '../../helpers/access/clients.ts'
import { openWorld, type AccessWorld, type Furnished } from '../../helpers/access/world.ts'
import { startMember } from '../../helpers/service/member.ts'
import { startNats, type Teardown } from '../../helpers/nats/nats.ts'
import { until } from '../../helpers/lib/until.ts'
import { measureReports } from './reports.ts'
import { measurePages } from './portal.ts'
import { loadOf, type Load } from '../lib/http-load.ts'
import { cleaned } from '../runtime/on-nats.ts'
import { median, ms, percentile, type Bench, type Figure } from '../lib/report.ts'

const turns = 8
const perTurn = 1_000
/** The rate limits of one token and one client per minute bound what can be measured. */
const clients = 4
const tokensEach = 50
const runs = 20
const reads = [{ area: 'contacts', actions: ['read'] }] as const

export const access: Bench = {
  name: 'access',
  on: 'nothing',
  run: async () => [
    ...(await cleaned(measureRequests)),
    ...(await cleaned(measurePages)),
    ...(await cleaned(measureDecisions)),
    ...(await cleaned(measureReports)),
  ],
}

async function measureRequests(t: Teardown): Promise<Figure[]> {
  const world = await openWorld(t, { LOG_LEVEL: 'error' })
  const tokens = await manyTokens(world)
  const { baseUrl } = world.service
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  const requests = tokens.map((token) => get('/v1/access', `Authorization: Bearer ${token}\r\n`))
  const health = get('/health/live')
  await loadOf(baseUrl, perTurn, () => health)
  const [ours, bare]: [Load[], Load[]] = [[], []]
  for (let turn = 0; turn < turns; turn++) {
    bare.push(await loadOf(baseUrl, perTurn, () => health))
    ours.push(await loadOf(baseUrl, perTurn, (n) => requests[n % requests.length]!))
  }
  const rate = (loads: readonly Load[]) => median(loads.map(({ perSecond }) => perSecond))
  const p50 = (loads: readonly Load[]) => median(loads.flatMap(({ samples }) => samples))
  const share = rate(ours) / rate(bare)
  return [
    {
      name: 'authorized GET /v1/access, 8 connections',
      ours: `${rate(ours).toFixed(0)}/s`,
      baseline: `${rate(bare).toFixed(0)}/s (GET /health/live)`,
      ratio: share,
      target: '≥ 0.5×',
      met: share >= 0.5,
    },
    {
      name: 'authorized GET /v1/access, p50',
      ours: ms(p50(ours)),
      baseline: `${ms(p50(bare))} (GET /health/live)`,
      ratio: p50(ours) / p50(bare),
      target: '–',
      met: true,
    },
  ]
}

async function manyTokens({ insider, client, deciders, ask }: AccessWorld) {
  const { directory } = insider
  const tokens: string[] = []
  for (let n = 0; n < clients; n++) {
    const { id } = await grantTo(directory, await client(), deciders, { permissions: reads })
    // The grant came with one token already.
    for (let i = 1; i < tokensEach; i++) {
      tokens.push((await mint(directory, id, deciders.first)).token)
    }
  }
  await until('the gateway knows the last one', async () => {
    const asked = { token: tokens.at(-1), from: '10.9.0.1' }
    return (await ask('GET', '/v1/access', asked)).status === 200
  })
  return tokens
}

async function measureDecisions(t: Teardown): Promise<Figure[]> {
  const nats = await startNats(t)
  const on = (node: string) => ({
    env: { ...nats.env, NODE_ID: node, PUBLIC_URL: 'https://access.example', LOG_LEVEL: 'info' },
  })
  await startMember(t, 'actors', on('a'))
  const gateways = [
    await startMember(t, 'gateway', on('a')),
    await startMember(t, 'gateway', on('b')),
  ]
  const urls = gateways.map(({ info }) => String(info['url']))
  const world = await openChain(t, nats, urls[0]!)
  const far = askAt(urls[1]!)
  const decided: number[] = []
  const refused: number[] = []
  for (let run = 0; run < runs; run++) {
    const asked = await submitted(world, world.a)
    const start = performance.now()
    const { token, id } = await decide(world, asked)
    decided.push(performance.now() - start)
    await until('the other gateway knows it', async () => {
      return (await far('GET', '/v1/access', { token, from: `10.9.1.${run}` })).status === 200
    })
    const revoked = await world.ask('DELETE', `/v1/tokens/${id}`, { token: world.a.owner.token })
    if (revoked.status !== 204) throw new Error(revoked.text)
    const since = performance.now()
    while ((await far('GET', '/v1/access', { token, from: `10.9.2.${run}` })).status === 200);
    refused.push(performance.now() - since)
  }
  return [
    {
      name: 'revoked on one gateway → refused by another, p50 (slowest)',
      ours: `${ms(median(refused))} (${ms(percentile(refused, 100))})`,
      target: '≤ 1 s',
      met: percentile(refused, 100) <= 1_000,
    },
    {
      name: 'review → grant → token → first answer, p50',
      ours: ms(median(decided)),
      target: '–',
      met: true,
    },
  ]
}

/** A request that needs one more review. */
async function submitted({ insider, deciders }: Furnished, client: Client): Promise<RequestView> {
  const { directory } = insider
  const id = newAccessId('request')
  const createdAtMs = Date.now()
  const mine = { tenant: client.id }
  const terms = {
    ...{ scopeId: client.scope, needId: client.need, subject: newsletter },
    path: 'api',
    cidrs: [],
    permissions: [{ area: 'tasks', actions: ['read'] }],
    ...{ endsAtMs: createdAtMs + dayMs, emergency: false },
    justification: 'To measure how long a decision takes.',
  } as const
  const by = deciders.first
  await directory.create(requestActor, id, { id, by, createdAtMs, terms, ...mine }, mine)
  const settled = { ...mine, untilSettled: true }
  return (await directory.ask(requestActor, id, { type: 'submit', by }, settled)).view
}

async function decide({ ask, grace, a }: Furnished, { id, version, digest }: RequestView) {
  const review = { decision: 'approve', reason: 'It is what was agreed on.', digest }
  const reviewed = await ask('POST', `/v1/access-requests/${id}/reviews`, {
    ...{ token: grace.token, seen: version, body: review },
  })
  const { grant_id: grant } = dataOf(reviewed)
  const minted = await ask('POST', `/v1/grants/${grant}/tokens`, {
    ...{ token: a.owner.token, body: { name: 'measured' } },
  })
  const { id: tokenId, secret } = dataOf<{ id: string; secret: string }>(minted)
  dataOf(await ask('GET', '/v1/access', { token: secret }))
  return { id: tokenId, token: secret }
}
