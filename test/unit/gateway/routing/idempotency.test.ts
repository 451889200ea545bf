/**
 * Goal: a request that makes something is done once for each Idempotency-Key, however often and to
 * whichever gateway it is sent; and nobody gets another caller's answer, or a secret twice.
 */
import t, { type Test } from 'tap'
import { z } from 'zod'
import { ServiceError, type ErrorType } from '../../../../proto/errors.ts'
import { limits } from '../../../../proto/limits.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { systemClock, type Clock } from '../../../../runtime/lib/clock.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { StoreFull, StoreUnavailable, type Bucket } from '../../../../runtime/store/store.ts'
import { Idempotency } from '../../../../gateway/routing/answers/idempotency.ts'
import { jsonReply } from '../../../../gateway/routing/answers/reply.ts'
import { emptyRoute, jsonRoute, type Route } from '../../../../gateway/routing/route.ts'
import type { HttpReply, HttpRequest } from '../../../../gateway/server/http.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'
import { silent } from '../../../helpers/nats/nats.ts'
import { serveRoutes, type OwnRoutesOptions } from '../../../helpers/gateway/own-routes.ts'
import { until } from '../../../helpers/lib/until.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { entriesOf } from '../../../../runtime/store/entries-of.ts'
import { routingLimits } from '../../../../gateway/routing/limits.ts'

const [one, other, elsewhere] = [keyOf('acme'), keyOf('acme'), keyOf('umbrella')]

/** A shop that counts what it makes; `work` is what a test wants the next request to do. */
async function setUp(t: Test, options: OwnRoutesOptions = {}) {
  const shop = { made: 0, work: async (): Promise<void> => {} }
  const body = z.strictObject({ name: z.string().optional() })
  const response = z.object({ data: z.unknown() })
  const make = (more: object = {}) => ({ data: { id: `thing_${++shop.made}`, ...more } })
  const shared = { method: 'POST', auth: 'key', scope: 'any', makes: true, body, response } as const
  const routes: Route[] = [
    jsonRoute({
      ...shared,
      path: '/v1/things',
      status: 201,
      summary: 'Make one.',
      headers: () => ({ location: `/v1/things/thing_${shop.made}`, etag: '"1"' }),
      async handler({ body }) {
        await shop.work()
        return make(body)
      },
    }),
    jsonRoute({
      ...shared,
      path: '/v1/things/{id}/parts',
      params: z.object({ id: z.string() }),
      summary: 'Make a part of one.',
      handler: () => make(),
    }),
    jsonRoute({
      ...shared,
      path: '/v1/secrets',
      showsSecret: true,
      summary: 'Make a secret.',
      handler: ({ body }) => {
        if (body.name === 'bad') throw new ServiceError('conflict', 'No.')
        return make({ secret: 'open sesame' })
      },
    }),
    jsonRoute({
      ...shared,
      path: '/v1/large',
      summary: 'Make a large one.',
      handler: () => make({ text: 'x'.repeat(routingLimits.idempotencyBytes) }),
    }),
    emptyRoute({
      ...{ method: 'POST', auth: 'key', scope: 'any', makes: true, path: '/v1/silent' },
      summary: 'Make one, and say nothing.',
      handler: () => make(),
    }),
  ]
  const keys = [one.record, other.record, elsewhere.record]
  const bucket = new MemoryStore().bucket(buckets.idempotency)
  const all = { idempotency: bucket, keys, ...options }
  const { say } = await serveRoutes(t, routes, all)
  const post = (key: string, more: { by?: string; path?: string; body?: string } = {}) =>
    say('POST', more.path ?? '/v1/things', {
      headers: {
        'service-api-key': more.by ?? one.text,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: more.body ?? '{"name":"x"}',
    })
  const type = async (...args: Parameters<typeof post>) => {
    const { status, body } = await post(...args)
    return [status, body.error?.['type']]
  }
  return { shop, post, type, say, bucket }
}

t.test('a repeat gets the first answer, marked as a repeat', async (t) => {
  const { shop, post } = await setUp(t)
  const first = await post('k1')
  const again = await post('k1')
  t.same([first.status, again.status], [201, 201])
  t.equal(again.text, first.text)
  for (const name of ['location', 'etag', 'content-type']) {
    t.equal(again.headers.get(name), first.headers.get(name), name)
  }
  t.equal(first.headers.get('idempotent-replayed'), null)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.not(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
  t.equal((await post('"k1"')).text, first.text, 'quoted, it is the same key')
  t.equal(shop.made, 1)
  await post('k2')
  t.equal(shop.made, 2)
  await post('k3', { path: '/v1/silent', body: '' })
  t.match(await post('k3', { path: '/v1/silent', body: '' }), { status: 204, text: '' })
  t.equal(shop.made, 3)
})

t.test('another request with the same key is refused, and does no work', async (t) => {
  const { shop, type } = await setUp(t)
  await type('k')
  const reused = [422, 'idempotency_key_reused']
  t.same(await type('k', { body: '{"name":"y"}' }), reused)
  t.same(await type('k', { body: '' }), reused)
  await type('p', { path: '/v1/things/a/parts' })
  t.same(await type('p', { path: '/v1/things/b/parts' }), reused)
  t.same(await type('p', { path: '/v1/things/a/parts?x=1' }), reused)
  t.equal(shop.made, 2)
})

t.test('a key is separate for each caller, tenant and route', async (t) => {
  const { shop, post } = await setUp(t)
  const answers = [
    await post('k'),
    await post('k', { by: other.text }),
    await post('k', { by: elsewhere.text }),
    await post('k', { path: '/v1/things/a/parts' }),
  ]
  for (const { headers } of answers) t.equal(headers.get('idempotent-replayed'), null)
  t.equal(shop.made, 4)
})

t.test('an invalid key is refused; a request without one is done each time', async (t) => {
  const { shop, type, say } = await setUp(t)
  const long = 'k'.repeat(routingLimits.idempotencyKeyChars)
  t.same(await type(long), [201, undefined])
  for (const bad of ['', `${long}k`, 'a b', 'a, b', '"', '""', '"a', '"a"b"']) {
    t.same(await type(bad), [400, 'bad_request'], bad)
  }
  const headers = { 'service-api-key': one.text }
  for (const made of [2, 3]) {
    t.equal((await say('POST', '/v1/things', { headers })).status, 201)
    t.equal(shop.made, made)
  }
})

t.test(
  'while the first is in progress, a repeat is told so, and no work is done twice',
  async (t) => {
    const { shop, post } = await setUp(t)
    let release = () => {}
    let begun = 0
    shop.work = () => {
      begun++
      return new Promise((resolve) => (release = resolve))
    }
    const all = Array.from({ length: 10 }, () => post('k'))
    const settled = new Set<number>()
    all.forEach((each, n) => void each.then(() => settled.add(n)))
    await until('all but one are answered', () => settled.size === 9)
    t.equal(begun, 1)
    release()
    const answers = await Promise.all(all)
    const refused = answers.filter(({ status }) => status === 409)
    t.equal(refused.length, 9)
    for (const { body, headers } of refused) {
      t.equal(body.error?.['type'], 'idempotency_in_progress')
      t.ok(Number(headers.get('retry-after')) > 0)
    }
    t.equal((await post('k')).headers.get('idempotent-replayed'), 'true')
    t.equal(begun, 1)
  },
)

t.test('refusals free the key, failed work is stored', async (t) => {
  const { shop, type } = await setUp(t)
  const failing = async (error: ErrorType) => {
    shop.work = async () => {
      throw new ServiceError(error, 'Not now.')
    }
    const [status] = await type(error)
    shop.work = async () => {}
    return [status, (await type(error))[0]]
  }
  const freed: ErrorType[] = ['unauthorized', 'forbidden', 'quota_exceeded', 'internal']
  freed.push('conflict', 'not_found')
  for (const error of [...freed, 'unavailable', 'timeout', 'storage_full'] as const) {
    t.equal((await failing(error))[1], 201, error)
  }
  const [first, again] = await failing('task_failed')
  t.equal(again, first)
  t.same(await type('wrong', { body: '{"nam":1}' }), [400, 'unsupported_option'])
  t.same(await type('wrong', { body: '{"nam":1}' }), [400, 'unsupported_option'])
})

t.test('a secret is not stored and shown once', async (t) => {
  const { post, bucket } = await setUp(t)
  const path = '/v1/secrets'
  t.match((await post('k', { path })).text, /open sesame/)
  t.match(await post('k', { path }), {
    status: 409,
    body: { error: { type: 'secret_already_shown', id: 'thing_1' } },
  })
  const kept = (await entriesOf(bucket)).map(({ value }) => Buffer.from(value).toString('latin1'))
  t.notMatch(kept.join(), /sesame/)
  const bad = { path, body: '{"name":"bad"}' }
  t.equal((await post('bad', bad)).status, 409)
  t.match(await post('bad', bad), { body: { error: { type: 'conflict', message: 'No.' } } })
})

t.test('an answer too large to be stored is not repeated, nor is its work', async (t) => {
  const { shop, post } = await setUp(t)
  const path = '/v1/large'
  t.equal((await post('k', { path })).status, 200)
  t.match(await post('k', { path }), {
    status: 409,
    body: { error: { type: 'conflict', id: 'thing_1' } },
  })
  t.equal(shop.made, 1)
})

t.test('an answer that finds no room is not repeated, nor is its work', async (t) => {
  const inner = new MemoryStore().bucket(buckets.idempotency)
  const sizes = new Map<string, number>()
  const full: Bucket = {
    get: (key) => inner.get(key),
    create: (key, value) => {
      sizes.set(key, value.byteLength)
      return inner.create(key, value)
    },
    update: async (key, value, revision) => {
      // As nats-server does: in a full bucket, a smaller value replaces a larger one.
      if (value.byteLength >= sizes.get(key)!) throw new StoreFull('the test')
      return inner.update(key, value, revision)
    },
    put: (key, value) => inner.put(key, value),
    delete: (key) => inner.delete(key),
    scan: (prefix) => inner.scan(prefix),
    watch: (...args) => inner.watch(...args),
  }
  const { shop, post, type } = await setUp(t, { idempotency: full })
  const body = JSON.stringify({ name: 'x'.repeat(200) })
  t.equal((await post('k', { body })).status, 201)
  t.same(await type('k', { body }), [409, 'conflict'])
  t.equal(shop.made, 1)
})

t.test('a tenant without room is refused new keys, and its stored answers stay', async (t) => {
  const { shop, post, type } = await setUp(t, { answerBytes: 1_000 })
  let stored = 0
  while ((await post(`k${stored}`)).status === 201) stored++
  t.ok(stored > 0 && stored < 10, `${stored}`)
  t.same(await type('more'), [507, 'storage_full'])
  t.equal((await post('k0')).headers.get('idempotent-replayed'), 'true')
  t.same(await type('k0', { by: elsewhere.text }), [201, undefined], 'others have their own')
  t.equal(shop.made, stored + 1)
})

t.test('a gateway that starts counts what is stored, and what other gateways store', async (t) => {
  const bucket = new MemoryStore().bucket(buckets.idempotency)
  const [first, other] = [
    await setUp(t, { idempotency: bucket, answerBytes: 1_000 }),
    await setUp(t, { idempotency: bucket, answerBytes: 1_000 }),
  ]
  for (let n = 0; (await first.post(`k${n}`)).status === 201; n++);
  t.same(await other.type('more'), [507, 'storage_full'], 'each does not have its own room')
  const restarted = await setUp(t, { idempotency: bucket, answerBytes: 1_000 })
  t.same(await restarted.type('more'), [507, 'storage_full'])
  t.same(await restarted.type('more', { by: elsewhere.text }), [201, undefined])
  const tomorrow = await setUp(t, {
    ...{ idempotency: bucket, answerBytes: 1_000 },
    clock: ahead(limits.idempotencyKeptMs + hourMs),
  })
  t.same(await tomorrow.type('later'), [201, undefined], 'what has expired no longer counts')
})

const hourMs = 60 * 60_000
const ahead = (ms: number): Clock => ({ ...systemClock, now: () => systemClock.now() + ms })

t.test('another gateway knows the key, and takes over from a dead one', async (t) => {
  const bucket = new MemoryStore().bucket(buckets.idempotency)
  const dying = await setUp(t, { idempotency: bucket })
  let release = () => {}
  dying.shop.work = () => new Promise((resolve) => (release = resolve))
  const first = dying.post('k')
  await until('it is under way', async () => (await entriesOf(bucket)).length === 1)
  const living = await setUp(t, { idempotency: bucket })
  t.same(await living.type('k'), [409, 'idempotency_in_progress'])
  const later = await setUp(t, {
    idempotency: bucket,
    clock: ahead(routingLimits.idempotencyStaleMs + 1),
  })
  t.match(await later.post('k'), { status: 201, body: { data: { id: 'thing_1' } } })
  t.equal(later.shop.made, 1)
  release()
  t.equal((await first).status, 201, 'its client gets an answer all the same')
  const replayed = await living.post('k')
  t.equal(replayed.headers.get('idempotent-replayed'), 'true')
  t.equal(living.shop.made, 0)
})

t.test('after a day the key is free', async (t) => {
  const bucket = new MemoryStore().bucket(buckets.idempotency)
  const today = await setUp(t, { idempotency: bucket })
  await today.post('k')
  const tomorrow = await setUp(t, {
    idempotency: bucket,
    clock: ahead(limits.idempotencyKeptMs + 1),
  })
  t.equal((await tomorrow.post('k')).headers.get('idempotent-replayed'), null)
  t.equal(tomorrow.shop.made, 1)
})

t.test('without a store, a request with a key is 503, and one without is served', async (t) => {
  const inner = new MemoryStore().bucket(buckets.idempotency)
  const down: Bucket = {
    ...inner,
    watch: (...args) => inner.watch(...args),
    create: async () => {
      throw new StoreUnavailable('the test')
    },
  }
  const { shop, type, say } = await setUp(t, { idempotency: down })
  t.same(await type('k'), [503, 'unavailable'])
  t.equal(shop.made, 0)
  const headers = { 'service-api-key': one.text }
  t.equal((await say('POST', '/v1/things', { headers })).status, 201)
})

t.test('long work is announced as in progress, so no other gateway takes it over', async (t) => {
  const timeline = new Timeline()
  const bucket = new MemoryStore().bucket(buckets.idempotency)
  const { clock } = new SimProcess(timeline, 'p')
  const idempotency = new Idempotency({
    ...{ bucket, clock, log: silent },
    room: { isFull: () => false },
  })
  const route = jsonRoute({
    ...{ method: 'POST', path: '/v1/things', auth: 'key', scope: 'any', makes: true },
    summary: 'Make one.',
    response: z.unknown(),
    handler: () => undefined,
  })
  let finish!: (reply: HttpReply) => void
  const work = new Promise<HttpReply>((resolve) => (finish = resolve))
  const ask = (doing: () => Promise<HttpReply>) =>
    idempotency.once(route, requestWith('k'), { keyId: 'key' }, doing)
  const first = ask(() => work)
  await timeline.run(3 * routingLimits.idempotencyStaleMs)
  const again = ask(() => t.fail('done twice') as never).catch((error: unknown) => error)
  t.match(await timeline.until(again, 1_000), { type: 'idempotency_in_progress' })
  finish(jsonReply(200, { data: {} }))
  t.equal((await timeline.until(first, 1_000)).status, 200)
  const replayed = await timeline.until(
    ask(() => t.fail('done twice') as never),
    1_000,
  )
  t.match(replayed, { status: 200, headers: { 'idempotent-replayed': 'true' } })
})

function requestWith(key: string): HttpRequest {
  return {
    method: 'POST',
    path: '/v1/things',
    query: new URLSearchParams(),
    headers: new Map([['idempotency-key', key]]),
    remoteAddress: '127.0.0.1',
    gone: new AbortController().signal,
    body: async () => new Uint8Array(),
    stream: () => {
      throw new Error('nobody reads a stream here')
    },
  }
}
