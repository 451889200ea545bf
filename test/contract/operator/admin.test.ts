/**
 * Goal: an operator with a key runs the service over REST: sees its processes and their machines,
 * makes and revokes keys, drains a browser host. Method: a real service; keys work at the gateway as
 * those of the command line do, and the drained host refuses.
 */
import t from 'tap'
import { textOf } from '../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../helpers/console/plain-visitor.ts'
import { newKey, troupeOf } from '../../helpers/service/keys.ts'
import { createSession, headless, restClient, startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({
  env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0', HOST_LABELS: 'zone=a, gpu' },
})
t.teardown(() => service.stop())
const operator = await newKey(service, 'operator', '--scopes', 'admin,sessions,drive')

interface Process {
  readonly host: string
  readonly role: string
  readonly state: string
  readonly browsers?: { readonly capacity: number; readonly claimed: number }
  readonly labels: readonly string[]
  readonly machine: { readonly memory_bytes: number; readonly memory_free_bytes: number }
}

async function processes(): Promise<readonly Process[]> {
  type Answer = { readonly data: { readonly processes: readonly Process[] } }
  return (await operator.rest<Answer>('GET', '/v1/admin/hosts')).body.data.processes
}

const agentNow = async () => (await processes()).find(({ role }) => role === 'node-agent')

t.test('every process is listed, with the memory of its machine', async (t) => {
  const all = await processes()
  t.same([...new Set(all.map(({ role }) => role))].toSorted(), ['actors', 'gateway', 'node-agent'])
  for (const { role, state, machine, labels } of all) {
    t.same(labels, ['zone=a', 'gpu'])
    t.equal(state, 'alive')
    t.ok(machine.memory_bytes > 2 ** 28, role)
    t.ok(machine.memory_free_bytes > 0 && machine.memory_free_bytes <= machine.memory_bytes)
  }
  t.ok((await agentNow())!.browsers!.capacity > 0)
})

interface Made {
  readonly data: { readonly id: string; readonly key: string }
}

t.test('a key that is made works as one of the command line, until it is revoked', async (t) => {
  const order = { tenant: 'shop', name: 'checkout', scopes: ['sessions'] }
  const { status, body } = await operator.rest<Made>('POST', '/v1/admin/keys', order)
  t.equal(status, 201)
  const { id, key } = body.data
  const rest = restClient(service.baseUrl, key)
  await until('it is accepted', async () => (await rest('GET', '/v1/sessions')).status === 200)
  t.match((await troupeOf(service, 'keys', 'list')).stdout, new RegExp(`${id} .*shop .*checkout`))
  const session = await createSession(rest, headless)
  const path = `/v1/admin/keys/${id}?end_sessions=true`
  t.match((await operator.rest('DELETE', path)).body, { data: { sessions_ended: 1 } })
  await until('it is refused', async () => (await rest('GET', '/v1/sessions')).status === 401)
  await until('its session has ended', async () => {
    type List = { readonly data: { readonly sessions: readonly { readonly id: string }[] } }
    const list = await operator.rest<List>('GET', '/v1/admin/sessions?status=completed&limit=50')
    return list.body.data.sessions.some((one) => one.id === session.id)
  })
})

t.test('the last use of a key is shown, by whichever door it came', async (t) => {
  type Listed = { readonly id: string; readonly last_used_at?: string }
  const lastUse = async (id: string) => {
    const list = await operator.rest<{ data: { keys: readonly Listed[] } }>(
      'GET',
      '/v1/admin/keys?tenant=doors&limit=50',
    )
    return list.body.data.keys.find((key) => key.id === id)?.last_used_at
  }
  const { id: session, cdp_url } = await createSession(operator.rest, headless)
  const doors = {
    REST: (key: string) => restClient(service.baseUrl, key)('GET', '/v1/sessions'),
    MCP: (key: string) => restClient(service.baseUrl, key)('POST', '/mcp', {}),
    CDP: (key: string) => {
      const url = new URL(`${service.baseUrl}/json/version`)
      url.search = new URL(cdp_url).search
      url.searchParams.set('apiKey', key)
      return fetch(url)
    },
    console: (key: string) => signedInPlainly(service.baseUrl, key),
  }
  const shown: string[] = []
  for (const [door, open] of Object.entries(doors)) {
    const begun = Date.now()
    const order = { tenant: 'doors', name: door, scopes: ['sessions', 'drive', 'admin'] }
    const { id, key } = (await operator.rest<Made>('POST', '/v1/admin/keys', order)).body.data
    t.equal(await lastUse(id), undefined, `${door}: not yet`)
    const at = await until(`${door}: recorded`, async () => {
      await open(key)
      return lastUse(id)
    })
    t.ok(Date.parse(at) >= begun && Date.parse(at) <= Date.now(), door)
    shown.push(at.slice(0, 16).replace('T', ' '))
  }
  const { stdout } = await troupeOf(service, 'keys', 'list')
  for (const minute of shown) t.match(stdout, minute)
  const visitor = await signedInPlainly(service.baseUrl, operator.text)
  t.match(textOf(await visitor.get('/console/keys')), /Last used.*less than a minute ago/)
  await operator.rest('DELETE', `/v1/sessions/${session}`)
})

t.test('a drained host takes no new session, and its sessions go on', async (t) => {
  const session = await createSession(operator.rest, headless)
  const { host } = (await agentNow())!
  const drained = await operator.rest('POST', `/v1/admin/hosts/${host}/drain`)
  t.match(drained, { status: 200, body: { data: { host, sessions: 1 } } })
  await until('it says so', async () => (await agentNow())?.state === 'draining')
  t.match(await operator.rest('POST', '/v1/sessions', headless), {
    status: 503,
    body: { error: { message: /All browser hosts are draining.*hosts undrain/ } },
  })
  t.match((await operator.rest('GET', `/v1/sessions/${session.id}`)).body, {
    data: { status: 'running' },
  })
  t.equal((await operator.rest('POST', `/v1/admin/hosts/${host}/drain`)).status, 200, 'again')

  const undrained = await operator.rest('POST', `/v1/admin/hosts/${host}/undrain`)
  t.match(undrained, { status: 200, body: { data: { host, sessions: 1 } } })
  await until('it says so', async () => (await agentNow())?.state === 'alive')
  t.equal((await createSession(operator.rest, headless)).status, 'running')
})
