/**
 * Goal: no caller of Surface A exceeds their rate, whatever others ask; the headers describe it
 * truthfully; and the memory for it is bounded.
 */
import t from 'tap'
import { z } from 'zod'
import { accessLimits } from '../../../../proto/access/limits.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { peopleRule } from '../../../../gateway/routing/auth/access-rule.ts'
import type { AccessCaller } from '../../../../gateway/routing/auth/access-caller.ts'
import { noAccess, type AccessGate } from '../../../../gateway/access/gate/gate.ts'
import { AccessRates } from '../../../../gateway/access/gate/rates.ts'
import { jsonRoute } from '../../../../gateway/routing/route.ts'
import { rateHeaders, RateLimit } from '../../../../gateway/routing/rates.ts'
import { serveRoutes } from '../../../helpers/gateway/own-routes.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

function setUp() {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'p')
  return { timeline, clock, rates: new AccessRates(clock) }
}

/** How many of that many tries were allowed. */
function allowed(tries: number, once: () => unknown): number {
  let count = 0
  for (let n = 0; n < tries; n++) {
    try {
      once()
      count++
    } catch (error) {
      if (!(error instanceof ServiceError) || error.type !== 'quota_exceeded') throw error
    }
  }
  return count
}

t.test('a token has its burst at once, then its share per minute', async (t) => {
  const { timeline, rates } = setUp()
  const ask = () => rates.request('tok_1', 'cli_1')
  const { tokenRequestsBurst, tokenRequestsPerMinute } = accessLimits
  t.equal(allowed(1_000, ask), tokenRequestsBurst)
  t.equal(allowed(10, ask), 0)
  await timeline.run(1_000)
  t.equal(allowed(1_000, ask), tokenRequestsPerMinute / 60)
  let count = 0
  for (let second = 0; second < 60; second++) {
    await timeline.run(1_000)
    count += allowed(100, ask)
  }
  t.equal(count, tokenRequestsPerMinute)
})

t.test('tokens of one client share its rate, and other clients are not affected', async (t) => {
  const { rates } = setUp()
  let count = 0
  for (let token = 0; token < 60; token++) {
    count += allowed(100, () => rates.request(`tok_${token}`, 'cli_a'))
  }
  t.equal(count, accessLimits.clientRequestsPerMinute)
  t.equal(
    allowed(1, () => rates.request('tok_new', 'cli_a')),
    0,
  )
  t.equal(
    allowed(1, () => rates.request('tok_b', 'cli_b')),
    1,
  )
})

t.test('guesses are counted by address, successes are not; token creation by grant', async (t) => {
  const { rates } = setUp()
  const guess = (address: string) => {
    rates.address(address)
    rates.failed(address)
  }
  t.equal(
    allowed(100, () => rates.address('10.0.0.1')),
    100,
  )
  t.equal(
    allowed(100, () => guess('10.0.0.1')),
    accessLimits.failedTokensPerMinute,
  )
  t.equal(
    allowed(1, () => rates.address('10.0.0.1')),
    0,
  )
  t.equal(
    allowed(1, () => rates.address('10.0.0.2')),
    1,
  )
  t.equal(
    allowed(100, () => rates.mint('gra_1')),
    accessLimits.mintsPerMinute,
  )
  t.equal(
    allowed(1, () => rates.mint('gra_2')),
    1,
  )
})

t.test('the announced limits are those that apply', async (t) => {
  const { timeline, clock } = setUp()
  const limit = new RateLimit({ name: 'few', perMinute: 6, burst: 2, keysMax: 10 }, clock)
  const told = () => rateHeaders([limit.take('k')])['ratelimit']
  t.equal(told(), '"few";r=1;t=10')
  t.equal(told(), '"few";r=0;t=10')
  t.equal(told(), '"few";r=0;t=10')
  await timeline.run(9_000)
  t.match(limit.take('k'), { isAllowed: false, resetSeconds: 1 })
  await timeline.run(1_000)
  t.match(limit.take('k'), { isAllowed: true, left: 0 })
})

t.test('only a limited number of keys is remembered, the most recent', async (t) => {
  const { clock } = setUp()
  const limit = new RateLimit({ name: 'few', perMinute: 1, keysMax: 2 }, clock)
  for (const key of ['a', 'b', 'c']) t.equal(limit.take(key).isAllowed, true)
  t.equal(limit.take('c').isAllowed, false)
  t.equal(limit.take('b').isAllowed, false)
  t.equal(limit.take('a').isAllowed, true, 'it was forgotten')
})

t.test('on the wire: headers on every answer, and 429 with when to retry', async (t) => {
  const { rates } = setUp()
  const gate: AccessGate = {
    ...noAccess,
    async authenticate({ headers }) {
      const keyId = headers.get('authorization') ?? ''
      if (keyId === '') throw new ServiceError('invalid_token', 'No.')
      return { keyId, answerHeaders: rates.request(keyId, 'cli_1') } as AccessCaller
    },
  }
  const route = jsonRoute({
    method: 'GET',
    path: '/v1/things/{id}',
    summary: 'Read one.',
    auth: 'access',
    access: peopleRule,
    params: z.object({ id: z.string() }),
    response: z.object({ data: z.object({}) }),
    handler({ params }) {
      if (params.id === 'a') return { data: {} }
      throw new ServiceError('not_found', 'There is none.')
    },
  })
  const { say } = await serveRoutes(t, [route], { access: gate })
  const get = (id: string, by: string) =>
    say('GET', `/v1/things/${id}`, { headers: by === '' ? {} : { authorization: by } })
  const policy = '"token";q=600;w=60, "client";q=3000;w=60'
  for (const [n, id] of ['a', 'b'].entries()) {
    const { headers } = await get(id, 'one')
    t.equal(headers.get('ratelimit-policy'), policy)
    const left = accessLimits.tokenRequestsBurst - n - 1
    t.equal(headers.get('ratelimit'), `"token";r=${left};t=1`)
    t.equal(headers.get('vary'), 'authorization')
  }
  for (let n = 2; n < accessLimits.tokenRequestsBurst; n++) rates.request('one', 'cli_1')
  const refused = await get('a', 'one')
  t.match(refused, {
    status: 429,
    body: { error: { type: 'quota_exceeded', violated_policies: ['token'] } },
  })
  t.equal(refused.headers.get('retry-after'), '1')
  t.equal(refused.headers.get('ratelimit'), '"token";r=0;t=1')
  t.equal(refused.headers.get('ratelimit-policy'), policy)
  t.equal(refused.body.error?.['ratelimit'], undefined)
  t.equal((await get('a', 'two')).status, 200)
  const unknown = await get('a', '')
  t.equal(unknown.status, 401)
  t.equal(unknown.headers.get('ratelimit'), null)
})
