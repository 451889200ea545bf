/**
 * A tenant, or somebody with a link or a token, has ids of another tenant: they stand in links, in screen
 * shots, in messages. They want what is behind them. Method: a real service and Chromium, a session with
 * a file and a webhook of one tenant, and everything that the service describes asked for by another.
 */
import t from 'tap'
import { newId } from '../../../proto/ids.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import { describedRoutes } from '../../helpers/gateway/described-routes.ts'
import { fileClient } from '../../helpers/service/files.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { signedInPlainly } from '../../helpers/console/plain-visitor.ts'
import { overHttp } from '../../helpers/browser/mcp.ts'
import { RecordClient } from '../../helpers/gateway/record-socket.ts'
import { createSession, headless, restClient, startService } from '../../helpers/service/service.ts'
import { openSocket } from '../../helpers/lib/socket-fate.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({ env: { POOL_HEADLESS: '2' } })
t.teardown(() => service.stop())
const { rest: theirs } = service
const mine = await newKey(service, 'mine', '--tenant', 'other')
const tagged = { ...headless, session: { tags: ['their-secret-launch'] } }
const session = await createSession(theirs, tagged)
const path = `/v1/sessions/${session.id}`
const upload = await fileClient(service).upload(`${path}/uploads`, 'a.txt', 'theirs')
const hook = { url: 'https://hooks.example.com/', events: ['session.ended'] }
const made = await theirs<{ data: { id: string } }>('POST', '/v1/webhooks', hook)
const ws = service.baseUrl.replace('http', 'ws')

t.test('by every route that takes an id: it is as unknown as one that never was', async (t) => {
  t.equal(upload.status, 200)
  t.equal(made.status, 201)
  const ids: Readonly<Record<string, readonly [string, string]>> = {
    session_id: [session.id, newId('ses')],
    file_id: [upload.body.data.id, newId('fil')],
    id: [made.body.data.id, newAccessId('endpoint')],
    delivery_id: [newAccessId('delivery'), newAccessId('delivery')],
    command: ['snapshot', 'snapshot'],
  }
  const filled = (path: string, which: 0 | 1) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]?.[which] ?? name)
  let unknown = 0
  for (const { method, path, body } of await describedRoutes(service.baseUrl)) {
    if (!/^\/v1\/(sessions\/\{session_id\}|webhooks\/\{id\})/.test(path)) continue
    const [known, never] = await Promise.all(
      ([0, 1] as const).map(async (which) => {
        const answer = await mine.rest<object>(method, filled(path, which), body)
        const text = JSON.stringify(answer.body).replace(/"request_id":"\w+"/, '')
        return { status: answer.status, text }
      }),
    )
    t.same(known, never, `${method} ${path}`)
    t.ok([400, 404, 415].includes(known!.status), `${method} ${path}: ${known!.status}`)
    if (known!.status === 404) unknown++
  }
  // The others want a form, or more of a body than its schema says.
  t.ok(unknown > 50, `${unknown} routes looked for it`)
  t.equal((await theirs('GET', path)).body.data.status, 'running')
})

t.test('by sockets, by tools, in lists', async (t) => {
  const query = `apiKey=${mine.text}&sessionId=${session.id}`
  for (const socket of [
    `/?${query}`,
    `/devtools/browser/x?${query}`,
    `/devtools/page/x?${query}`,
  ]) {
    t.equal((await openSocket(ws + socket)).status, 404, socket)
  }
  for (const name of ['version', 'list', 'protocol', 'close/x', 'activate/x']) {
    t.equal((await mine.rest('GET', `/json/${name}?${query}`)).status, 404, name)
  }
  await t.rejects(RecordClient.open(`${ws}/ws?${query}`), /404/)
  await t.rejects(RecordClient.open(`${ws}/ws?apiKey=${mine.text}&taskId=${newId('tsk')}`), /404/)
  const tools = await overHttp('legacy', service.baseUrl, { authorization: `Bearer ${mine.text}` })
  t.teardown(() => tools.close())
  for (const name of ['snapshot', 'navigate', 'end_session']) {
    const asked = { session: session.id, url: 'about:blank' }
    const { isError, text } = await tools.call(name, asked).catch((error: Error) => {
      return { isError: true, text: error.message }
    })
    t.ok(isError, `${name}: ${text}`)
  }
  for (const list of ['/v1/sessions', '/v1/webhooks', '/v1/credentials']) {
    const { status, body } = await mine.rest<unknown>('GET', list)
    t.equal(status, 200)
    t.notMatch(JSON.stringify(body), /ses_|hooks\.example/, list)
  }
  await mine.rest('DELETE', '/v1/sessions/all')
  t.equal((await theirs('GET', path)).body.data.status, 'running')
})

t.test('by what the console finds: not a tag, not an id, not the name of a key', async (t) => {
  const visitor = await signedInPlainly(service.baseUrl, mine.text)
  const operators = await newKey(service, 'operators', '--scopes', 'sessions,admin')
  const owner = await signedInPlainly(service.baseUrl, operators.text)
  const find = (words: string) => `/console/find?q=${encodeURIComponent(words)}`
  for (const words of ['their-secret', 'launch', session.id, session.id.slice(4, 12), 'running']) {
    t.match((await owner.get(find(words))).html, `/console/sessions/${session.id}"`, words)
    const { html } = await visitor.get(find(words))
    t.match(html, '0 places', words)
    t.notMatch(html.replaceAll(words, ''), /ses_|their-secret-launch/, words)
  }
  t.match((await owner.get(find('mine'))).html, '/console/keys?')
  t.notMatch((await visitor.get(find('operators'))).html, '/console/keys?')
})

t.test('by the Idempotency-Key of their request', async (t) => {
  const create = async (key: string) => {
    const response = await fetch(`${service.baseUrl}/v1/sessions`, {
      method: 'POST',
      headers: {
        ...{ 'service-api-key': key, 'idempotency-key': 'order-1' },
        'content-type': 'application/json',
      },
      body: JSON.stringify(headless),
    })
    const { data } = (await response.json()) as { data: { id: string } }
    return { id: data.id, isReplayed: response.headers.has('idempotent-replayed') }
  }
  const first = await create(service.key)
  t.match(await create(mine.text), { isReplayed: false })
  t.same(await create(service.key), { ...first, isReplayed: true })
  await mine.rest('DELETE', '/v1/sessions/all')
  await theirs('DELETE', `/v1/sessions/${first.id}`)
})

interface Token {
  readonly data: { readonly token: string; readonly live_view_url: string }
}

t.test('with a link or a token to something else', async (t) => {
  const other = await createSession(theirs)
  const elsewhere = (url: string) => url.replace(session.id, other.id)
  await t.rejects(LiveSocket.open(elsewhere(session.live_view_url)), /401/)
  t.equal((await openSocket(elsewhere(session.cdp_url))).status, 401)
  const order = { mode: 'view', ttl_seconds: 60 }
  const { data } = (await theirs<Token>('POST', `${path}/live-tokens`, order)).body
  const page = new URL(data.live_view_url)
  const token = page.searchParams.get('token')!
  for (const socket of ['/?', '/devtools/page/x?', '/ws?']) {
    const { status } = await openSocket(`${ws}${socket}apiKey=${token}&sessionId=${session.id}`)
    t.equal(status, 401, socket)
  }
  const holder = restClient(service.baseUrl, token)
  for (const route of ['', '/screenshot', '/uploads', '/snapshot']) {
    t.equal((await holder('GET', path + route)).status, 401, route)
  }
  const [head = '', ...rest] = token.split('.')
  for (const forged of ['', '.', head, token.slice(0, -1), [head, ...rest].reverse().join('.')]) {
    page.searchParams.set('token', forged)
    await t.rejects(LiveSocket.open(page.href), /401/, forged)
    t.equal((await fetch(page)).status, 401)
  }
  t.equal((await theirs('DELETE', `/v1/sessions/${other.id}`)).status, 200)
})

t.test('after the session has ended', async (t) => {
  const scopes = ['cdp', 'view', 'files']
  type Tokens = { data: { token: string; cdp_url: string; live_view_url: string } }
  const { data } = (await theirs<Tokens>('POST', `${path}/tokens`, { scopes })).body
  const [live, cdp] = [await LiveSocket.open(data.live_view_url), await openSocket(data.cdp_url)]
  t.equal((await theirs('DELETE', path)).status, 200)
  t.match(await live.closed, { code: 4003 })
  t.equal(await cdp.closed, 4003)
  await until('it has ended', async () => {
    return (await theirs('GET', path)).body.data.status === 'completed'
  })
  for (const url of [data.cdp_url, session.cdp_url]) {
    t.ok([401, 410].includes((await openSocket(url)).status), url)
  }
  for (const url of [data.live_view_url, session.live_view_url]) {
    await t.rejects(LiveSocket.open(url), /401|410/)
  }
  const holder = restClient(service.baseUrl, data.token)
  const files = await holder('GET', `${path}/uploads/${upload.body.data.id}`)
  t.ok([401, 410].includes(files.status))
})
