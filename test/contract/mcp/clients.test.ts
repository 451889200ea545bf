/**
 * Goal: an MCP client has a page of its own, and is told the truth when its connection is lost.
 * Method: one service whose gateway is killed in the middle of calls, the real `troupe-mcp`, and
 * clients of the protocol's library over HTTP.
 */
import t from 'tap'
import { overHttp, overStdio, type McpClient } from '../../helpers/browser/mcp.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'

t.setTimeout(180_000)

const service = await startService()
t.teardown(() => service.stop())
const site = await serveWebPage(`<title>Slow</title><button>Press</button><p>Not yet</p><script>
  document.querySelector('button').onclick = () => {
    document.title = 'Pressed'
    const end = performance.now() + 4000
    while (performance.now() < end);
    document.querySelector('p').textContent = 'Was pressed'
  }</script>`)
t.teardown(() => site.close())
const { baseUrl, key, rest } = service
const bearer = { authorization: `Bearer ${key}` }

const statusOf = async (id: string) =>
  (await rest('GET', `/v1/sessions/${id}`)).body.data.status as string
const isBack = () =>
  until('the gateway answers again', async () => {
    const answer = await fetch(`${baseUrl}/health/ready`).catch(() => undefined)
    return answer?.ok
  })
const sessionOf = async (client: McpClient) =>
  String((await client.call('screenshot')).structured['session'])

t.test(
  'a call whose connection is lost may have been done, and its caller is told so',
  async (t) => {
    const { id } = await createSession(rest, headless)
    const env = { SVC_BASE: baseUrl, SVC_API_KEY: key, SVC_SESSION_ID: id }
    const client = await overStdio('legacy', env)
    t.teardown(() => client.close())
    t.notOk((await client.call('browser_navigate', { url: site.url })).isError)

    const pressing = client.call('click', { target: 'button "Press"' })
    await until('the press has begun', async () => {
      const { body } = await rest<{ data: { tabs: { title: string }[] } }>(
        'GET',
        `/v1/sessions/${id}/tabs`,
      )
      return body.data.tabs.some(({ title }) => title === 'Pressed')
    })
    await service.strike('gateway')
    const pressed = await pressing
    t.ok(pressed.isError)
    t.match(pressed.text, /^unavailable: The connection was lost during the call, which may/)

    await isBack()
    t.match((await client.call('snapshot')).text, /Was pressed/, 'it looks, and it was done')
  },
)

t.test('each MCP session has its own page, also through another gateway', async (t) => {
  const [one, two] = await Promise.all([
    overHttp('legacy', baseUrl, bearer),
    overHttp('legacy', baseUrl, bearer),
  ])
  t.teardown(() => Promise.all([one, two].map((client) => client.close())))
  const [first, second] = [await sessionOf(one), await sessionOf(two)]
  t.not(first, second)
  await service.strike('gateway')
  await isBack()
  t.equal(await sessionOf(two), second)
  t.notMatch((await one.call('screenshot')).text, /shared/)
})

t.test('a client that leaves properly leaves no browser behind', async (t) => {
  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        ...bearer,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    })
  const clientInfo = { name: 'test', version: '1' }
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const greeted = await post({ method: 'initialize', params: hello })
  const mcpSession = greeted.headers.get('mcp-session-id') ?? ''
  t.match(mcpSession, /^mcp_[0-9a-f]{32}$/)
  const named = { 'mcp-session-id': mcpSession, 'mcp-protocol-version': '2025-11-25' }
  const shot = { name: 'screenshot', arguments: {} }
  const answered = await post({ method: 'tools/call', params: shot }, named)
  const [id] = /ses_[0-9a-z]+/.exec(await answered.text()) ?? ['']
  t.equal(await statusOf(id), 'running')
  const leave = () =>
    fetch(`${baseUrl}/mcp`, { method: 'DELETE', headers: { ...bearer, ...named } })
  t.equal((await leave()).status, 204)
  await until('its session has ended', async () => (await statusOf(id)) === 'completed')
  t.equal((await leave()).status, 204, 'and again, as after a lost answer')
})

t.test('a caller without a key is told how to send one', async (t) => {
  for (const path of ['/mcp', '/v1/sessions']) {
    const refused = await fetch(baseUrl + path, { method: 'POST', body: '{}' })
    t.same(
      [refused.status, refused.headers.get('www-authenticate')],
      [401, 'Bearer realm="troupe"'],
    )
  }
})
