/**
 * A tenant with one key wants the service to do nothing else: by bodies that are costly to read, texts
 * that are costly to look for, more sockets than there is room for. Method: a real service and Chromium,
 * one request of each kind, and another tenant who asks all the while.
 */
import t, { type Test } from 'tap'
import { startBystander } from '../../helpers/service/bystander.ts'
import { fileClient, form } from '../../helpers/service/files.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import {
  createSession,
  headless,
  startService,
  type ErrorJson,
} from '../../helpers/service/service.ts'
import { openSocket } from '../../helpers/lib/socket-fate.ts'
import { connectSpelt, nested } from '../../helpers/gateway/spelt-cdp.ts'
import { cdpLimits } from '../../../gateway/cdp/limits.ts'
import { cdpRuleLimits } from '../../../runtime/browser-host/cdp-rules/limits.ts'
import { liveLimits } from '../../../gateway/live/limits.ts'
import { routingLimits } from '../../../gateway/routing/limits.ts'

const service = await startService({ env: { POOL_HEADLESS: '1' } })
t.teardown(() => service.stop())
const beside = await startBystander(service)
const gateway = service.pidOf('gateway')
const agent = service.pidOf('node-agent')
const { rest } = await newKey(service, 'bystander', '--tenant', 'other')
const session = await createSession(service.rest)
const path = `/v1/sessions/${session.id}`

/** And then the other tenant is answered, by the same processes. */
function attack(name: string, run: (t: Test) => Promise<void>): void {
  t.test(name, async (t) => {
    await run(t)
    t.equal((await rest('GET', '/v1/sessions')).status, 200)
    t.equal(service.pidOf('gateway'), gateway)
    t.equal(service.pidOf('node-agent'), agent)
  })
}

async function send(route: string, body: string, method = 'POST') {
  const headers = { 'service-api-key': service.key, 'content-type': 'application/json' }
  const response = await fetch(service.baseUrl + route, { method, headers, body })
  const { error } = (await response.json()) as { readonly error?: ErrorJson }
  return { status: response.status, type: error?.type, message: error?.message }
}

attack('with JSON', async (t) => {
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)
  const keys = Array.from({ length: 60_000 }, (_, i) => `"k${i}":0`).join()
  for (const [name, body] of Object.entries({
    'arrays in arrays': deep('[', ']'),
    'objects in objects': deep('{"a":', '}').replace('}', '1}'),
    'brackets that are never closed': '['.repeat(500_000),
    'a prototype': '{"__proto__":{"scopes":["admin"]}}',
    'the prototype of all': '{"constructor":{"prototype":{"scopes":["admin"]}}}',
    'an escaped prototype': '{"session":{"\\u005f_proto__":{"tags":["x"]}}}',
    'a name of every object': '{"toString":1,"hasOwnProperty":1}',
    'a number beyond all': '{"session":{"timeout":{"max_duration":1e999}}}',
    'a number with many digits': `{"session":{"timeout":{"max_duration":${'9'.repeat(100_000)}}}}`,
    'very many names': `{${keys}}`,
    'half a surrogate in many tags': `{"session":{"tags":[${'"\\ud800",'.repeat(9_999)}""]}}`,
    'a large list': `{"session":{"tags":[${'"x",'.repeat(99_999)}"x"]}}`,
    'two of a name': '{"browser":{"headless":{"active":true}},"browser":{"headless":7}}',
  })) {
    const { status, type, message } = await send('/v1/sessions', body)
    t.ok([400, 413].includes(status), `${name}: ${status} ${type}`)
    t.ok(message!.length < 2_000, `${name}: ${message!.length} characters`)
  }
  t.equal(({} as Record<string, unknown>)['scopes'], undefined)
})

attack('with addresses, names and forms', async (t) => {
  const many = Array.from({ length: 1_000 }, (_, i) => `p${i}=${i}`).join('&')
  const words = 'a '.repeat(5_000)
  const status = async (query: string) => (await service.rest('GET', query)).status
  t.equal(await status(`/v1/sessions?${many}`), 400)
  t.equal(await status(`/v1/sessions?search=${encodeURIComponent(words).slice(0, 12_000)}`), 200)
  t.equal(await status(`/v1/sessions/${'%'.repeat(9_000)}`), 404)
  t.equal(await status(`/v1/sessions/${'a/'.repeat(6_000)}`), 404)
  const key = 'k'.repeat(routingLimits.idempotencyKeyChars + 1)
  const headers = { 'service-api-key': service.key, 'idempotency-key': key }
  const asked = await fetch(`${service.baseUrl}/v1/sessions`, { method: 'POST', headers })
  t.equal(asked.status, 400)
  const parts = Array.from({ length: 5_000 }, (_, i) => [`f${i}`, 'x'] as const)
  const { post } = fileClient(service)
  t.equal((await post(`${path}/uploads`, form(...parts))).status, 400)
})

attack('with what is costly to look for', async (t) => {
  const page = `data:text/html,<p>${'a'.repeat(40)}!</p>`
  t.equal((await send(`${path}/goto`, JSON.stringify({ url: page }))).status, 200)
  // Were it a pattern, it would be looked for until the end of days.
  const slow = '(a+)+$'
  const nesting = ':is('.repeat(2_000) + 'p' + ')'.repeat(2_000)
  for (const [route, body, wanted] of [
    ['/commands/find', { text: slow }, [200, 404, 422]],
    ['/wait-for', { text: slow, timeout: 500 }, [408, 422, 504]],
    ['/commands/click', { target: `text "${slow}"`, timeout: 500 }, [400, 404, 422]],
    ['/mouse/click', { selector: nesting, timeout: 500 }, [400, 404, 422]],
    ['/mouse/click', { selector: ':has('.repeat(99), timeout: 500 }, [400, 404, 422]],
  ] as const) {
    const { status, type } = await send(path + route, JSON.stringify(body))
    t.ok((wanted as readonly number[]).includes(status), `${route}: ${status} ${type}`)
  }
})

attack('with messages of CDP', async (t) => {
  const cdp = await connectSpelt(session.cdp_url)
  t.teardown(() => cdp.close())
  const levels = cdpRuleLimits.cdpJsonDepth + 1
  const deep = `{"a":`.repeat(levels) + '1' + '}'.repeat(levels)
  let within = '{"id":1,"method":"Browser.getVersion"}'
  for (let level = 0; level < 12; level++) within = nested(within, 'x')
  for (const text of [
    `{"id":2,"method":"Target.sendMessageToTarget","params":${deep}}`,
    `{"id":2,"method":"\\u0042rowser.getVersion","params":${deep}}`,
    `{"id":2,"method":"\\u0042rowser.getVersion","params":{"x":"${'y'.repeat(cdpRuleLimits.cdpParsedBytes)}"}}`,
    within,
  ]) {
    t.ok((await cdp.say(text)).error, text.slice(0, 60))
  }
  t.ok((await cdp.say('{"id":3,"method":"Browser.getVersion"}')).result)
})

attack('with sockets', async (t) => {
  // Sockets of the other tests may still be closing in theirs.
  const crowded = await createSession(service.rest, headless)
  const all = await Promise.all(
    Array.from({ length: cdpLimits.cdpClientsPerSession + 8 }, () => openSocket(crowded.cdp_url)),
  )
  const count = (wanted: number) => all.filter(({ status }) => status === wanted).length
  const statuses = all.map(({ status }) => status).join()
  t.same([count(101), count(429)], [cdpLimits.cdpClientsPerSession, 8], statuses)
  for (const { close } of all) close()
  const mine = await createSession(rest, headless)
  const socket = await openSocket(mine.cdp_url)
  t.equal(socket.status, 101)
  socket.close()
  await rest('DELETE', `/v1/sessions/${mine.id}`)
  const viewers = await Promise.allSettled(
    Array.from({ length: liveLimits.liveViewersPerSession + 4 }, () =>
      LiveSocket.open(crowded.live_view_url),
    ),
  )
  const open = viewers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  t.equal(open.length, liveLimits.liveViewersPerSession)
  for (const viewer of open) viewer.close()
})

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
