/**
 * Goal: an invalid id or path is refused before it reaches anything behind the gateway; malformed
 * bodies are refused, and the connection serves the next request. Method: a real service; a
 * subscription to every question that its actors are asked.
 */
import t from 'tap'
import { subjects } from '../../../../proto/subjects.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { connectNats } from '../../../../runtime/store/nats/connection.ts'
import { privateNats } from '../../../../runtime/store/nats/server/server.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { errorOf } from '../../../helpers/access/asking.ts'
import { makePerson } from '../../../helpers/access/people.ts'
import { sendBytes, statusOf } from '../../../helpers/access/raw.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { silent } from '../../../helpers/nats/nats.ts'
import { until } from '../../../helpers/lib/until.ts'

const { service, ask, a, ada, insider } = await openWorld(t)

let token = a.owner.token
/** A new owner for each test: the requests per minute of one person are limited. */
t.beforeEach(async () => {
  const email = `${newAccessId('person')}@a.example`
  const invited = { tenant: a.id, email, roles: ['owner'], by: ada.author } as const
  token = (await makePerson(insider.directory, invited)).token
  await until('the gateway knows them', async () => {
    return (await ask('GET', '/v1/me', { token })).status === 200
  })
})

/** Records the mailboxes that were asked something, as the server delivers it. */
async function listen() {
  const config = loadConfig({ DATA_DIR: service.dataDir, NODE_ID: 'listener' })
  const { url, user, password } = privateNats(config)!
  const access = { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password }
  const nc = await connectNats({ ...config, ...access }, 'listener', silent)
  const asked: string[] = []
  for (const subject of [subjects.mailbox('*', '*'), subjects.place('*')]) {
    nc.subscribe(subject, { callback: (_, message) => asked.push(message.subject) })
  }
  await nc.flush()
  t.teardown(() => nc.close())
  return {
    /** The mailboxes asked since the last call. */
    async take(): Promise<readonly string[]> {
      await nc.flush()
      return asked.splice(0)
    },
  }
}

const listener = await listen()

t.test('an invalid id gives 400 or 404, and no actor is asked', async (t) => {
  await listener.take()
  const whole = `/v1/needs/${a.need}`
  t.equal((await ask('GET', whole, { token })).status, 200)
  const about = await until('the question is heard', async () => {
    const asked = await listener.take()
    return asked.length > 0 && asked
  })
  t.same(about, [subjects.mailbox('need', a.need)])
  const ids = [
    ...['.', '*', '>', '..', '%2e', '%2e%2e', '%00', 'a%0d%0ab', '%zz', '%2f', '%E0%A4%A', '%20'],
    ...['x'.repeat(2_000), a.need.toUpperCase(), `${a.need}%20`, `${a.need}.`, `${a.need}*`],
    a.need.slice(0, -1) + encodeURIComponent('٣'),
    ...['nd_', 'nd_*', 'nd_.>', a.need.replace('nd_', 'cli_'), `${a.need}%00`, '__proto__'],
  ]
  for (const id of ids) {
    for (const path of [`/v1/needs/${id}`, `/v1/needs/${id}/close`]) {
      const isRead = !path.endsWith('close')
      const body = { reason: 'it is not needed any more' }
      const asked = isRead ? { token } : { token, seen: 1, body }
      const { status } = await ask(isRead ? 'GET' : 'POST', path, asked)
      // The client resolves dots itself and asks for another valid path.
      const isResolved = /^(\.|%2e){1,2}$/.test(id)
      t.ok(isResolved || [400, 404].includes(status), `${path.slice(0, 60)} ${status}`)
      t.ok(status < 500)
    }
  }
  t.same(await listener.take(), [])
})

t.test('only the documented form of a path is served, apart from extra slashes', async (t) => {
  for (const path of ['//v1/needs', '/v1/needs/', '/v1/needs']) {
    const heard = await sendBytes(
      service.baseUrl,
      `GET ${path} HTTP/1.1\nHost: localhost\nConnection: close\n\n`,
    )
    t.equal(statusOf(heard), 401, `${path} is behind the same gate`)
  }
  const paths = [
    ...['/v1/needs/../clients', '/x//v1/needs', '/v1/needs/%2e%2e/', '/V1/Needs', '/v1/needs/*'],
    ...['/v1/__proto__', '/v1/constructor', '/v1/needs/..', '/v1//needs', '/v1/./needs'],
    ...['/v1/needs;x', '/v1/hasOwnProperty', '/v1/%6eeeds', '/v1/needs%00'],
  ]
  for (const path of paths) {
    const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`]
    const heard = await sendBytes(
      service.baseUrl,
      [...head, 'Connection: close', '', ''].join('\n'),
    )
    t.equal(statusOf(heard), 404, path)
  }
})

const needs = '/v1/needs'
const body = () => ({
  ...{ client_id: a.id, title: 'Another need', purpose: 'To see which bodies are refused.' },
  ...{ category: 'support', reference: { kind: 'ticket', id: 'T-3' }, owner_id: a.owner.id },
  expected_end_at: new Date(Date.now() + 86_400_000).toISOString(),
})
const post = (sent: unknown, headers: Record<string, string> = {}) =>
  ask('POST', needs, { token, body: sent, headers })

t.test('fields that only the service sets are refused by name', async (t) => {
  for (const field of ['version', 'created_by', 'status', 'grant_id', 'id', 'tenant', '_m', 'by']) {
    const answer = await post({ ...body(), [field]: 1 })
    t.match(errorOf(answer), { code: 400, type: 'unknown_field', field }, field)
    t.match(errorOf(answer)['message'], field)
  }
  const answer = await ask('PATCH', `${needs}/${a.need}`, {
    ...{ token, seen: 1, body: { status: 'closed' } },
  })
  t.match(errorOf(answer), { code: 400, type: 'unknown_field' })
})

t.test('broken, deep, huge and poisoned bodies are refused, and memory stays', async (t) => {
  const big = JSON.stringify({ ...body(), title: 'x'.repeat(300 * 1024) })
  const many = `{${Array.from({ length: 1e6 }, (_, i) => `"k${i}":0`).join(',')}}`
  const rows: readonly (readonly [string, unknown, number])[] = [
    ['broken', '{"title":', 400],
    ['no object', '[]', 422],
    ['a text', '"text"', 422],
    ['null', 'null', 422],
    ['a thousand deep', '{"a":'.repeat(1_000) + '1' + '}'.repeat(1_000), 400],
    ['a million keys', many, 413],
    ['__proto__', '{"__proto__":{"client_id":1}}', 400],
    ['half a surrogate', '{"title":"\\ud800 and so on"}', 400],
    ['NUL', '{"title":"a\\u0000bcdefghijk"}', 400],
    ['300 KiB', big, 413],
  ]
  for (const [name, sent, status] of rows) t.equal((await post(sent)).status, status, name)
  t.equal((await post(body(), { 'content-type': 'text/plain' })).status, 415)
  t.equal((await post(body(), { 'content-encoding': 'gzip' })).status, 415)
  t.equal((await post(body())).status, 201, 'and a good one is taken')
})

t.test('invalid numbers and times are refused', async (t) => {
  const times = ['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', 'tomorrow', '', 1e15, '2027-01-01']
  for (const time of times) {
    const answer = await post({ ...body(), expected_end_at: time })
    t.equal(answer.status, 422, String(time))
  }
  const spelt = (value: string) => JSON.stringify(body()).replace('"T-3"', value)
  for (const value of ['1e400', '-0', '12']) t.equal((await post(spelt(value))).status, 422, value)
  t.equal((await post(spelt('NaN'))).status, 400)
  for (const limit of ['0', '-1', '101', '1.5', '1e9', 'ten', '', '-', '1%002']) {
    t.equal((await ask('GET', `${needs}?limit=${limit}`, { token })).status, 400, `limit=${limit}`)
  }
  t.equal((await ask('GET', `${needs}?limit=100`, { token })).status, 200)
})

t.test('malformed framing is refused, and no second request is read from it', async (t) => {
  const auth = `Authorization: Bearer ${token}`
  const start = (method: string, path: string) => [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    auth,
  ]
  const next = `GET /v1/me HTTP/1.1\nHost: localhost\n${auth}\nConnection: close\n\n`
  const rows = [
    ['CL and TE', [...start('POST', needs), 'Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['two lengths', [...start('POST', needs), 'Content-Length: 5', 'Content-Length: 6']],
    ['20 KiB of header', [...start('GET', needs), `X-Long: ${'x'.repeat(20 * 1024)}`]],
  ] as const
  for (const [name, lines] of rows) {
    const heard = await sendBytes(service.baseUrl, `${lines.join('\n')}\n\n0\n\n${next}`)
    t.ok([0, 400, 431].includes(statusOf(heard)), `${name}: ${statusOf(heard)}`)
    t.notMatch(heard, /"email"/, `${name}: what follows is not answered`)
  }
  const headers = Array.from({ length: 101 }, (_, i) => `X-${i}: 1`)
  const many = [...start('GET', '/v1/me'), ...headers, 'Connection: close', '', '']
  // One engine accepts that many headers; the other closes the connection.
  t.ok([0, 200, 400, 431].includes(statusOf(await sendBytes(service.baseUrl, many.join('\n')))))
  const withBody = [...start('GET', '/v1/me'), 'Content-Length: 2', '', '{}']
  const heard = await sendBytes(
    service.baseUrl,
    `${withBody.join('\n')}${next}`,
    (text) => text.split('HTTP/1.1 ').length > 2 && text.includes('"email"'),
  )
  t.equal(statusOf(heard), 400, 'a GET with a body')
  t.match(heard, /HTTP\/1.1 200/, 'the next request on the connection is answered')
})
