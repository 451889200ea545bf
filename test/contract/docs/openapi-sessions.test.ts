/**
 * Goal: what `/openapi.json` says of every route for keys is so. Method: each operation is called
 * with requests made from its own schemas, valid ones and broken ones, on a real service with a
 * session, a page, a task and files; each answer must be declared: its status, type and body.
 */
import t from 'tap'
import { keyScopeNames } from '../../../proto/accounts/key-scopes.ts'
import { finish } from '../../helpers/models/obeying.ts'
import type { HeardAnswer } from '../../helpers/openapi/answers.ts'
import { fuzz, type DocumentedCall } from '../../helpers/openapi/calls.ts'
import { operationsOf, type Operation } from '../../helpers/openapi/document.ts'
import type { Known } from '../../helpers/openapi/values.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { fileClient } from '../../helpers/service/files.ts'
import { newKey, type TestKey } from '../../helpers/service/keys.ts'
import { createSession } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'

const site = await serveWebPage(`<title>Form</title><h1>Hello</h1>
  <input id="field" aria-label="Name"> <input type="file" id="file">
  <select id="select"><option>One<option>Two</select> <button id="other">Send</button>`)
t.teardown(() => site.close())
const { service } = await startTaskService(t, finish(), {
  env: { POOL_HEADLESS: '2', MAX_SESSIONS: '12' },
})
const { baseUrl } = service
let key: TestKey
const known: Record<string, readonly unknown[]> = {}

t.before(async () => {
  key = await newKey(service, 'all', '--scopes', keyScopeNames.join(','), '--allow-private')
  Object.assign(known, await furnish())
})

const tasks = '/v1/tools/perform-web-task'
const sessionOptions = { browser: { headless: { active: true } } }
const order = {
  ...{ prompt: 'Say done.', url: site.url, allow_private_network: true, async: true },
  session_options: sessionOptions,
}

interface Made {
  readonly data: { readonly id: string; readonly status: string }
}
async function idOf(path: string, body: object): Promise<string> {
  const answer = await key.rest<Made>('POST', path, body)
  if (answer.status < 300) return answer.body.data.id
  throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
}

/** Ids and values with which operations succeed. */
async function furnish(): Promise<Known> {
  const session = await createSession(key.rest, sessionOptions)
  const path = `/v1/sessions/${session.id}`
  await key.rest('POST', `${path}/goto`, { url: site.url })
  const files = fileClient({ ...service, key: key.text })
  const upload = await files.upload(`${path}/uploads`, 'a.txt', 'text')
  const tabs = await key.rest<{ data: { tabs: readonly { id: string }[] } }>('GET', `${path}/tabs`)
  const tab = tabs.body.data.tabs[0]!.id
  const hook = { url: 'https://hooks.example.com/', events: ['session.ended'] }
  return {
    session_id: [session.id],
    sessionId: [session.id],
    file_id: [upload.body.data.id],
    upload_id: [upload.body.data.id],
    tab: [tab],
    target_id: [tab],
    workflow_id: [await idOf(tasks, order)],
    id: [await idOf('/v1/webhooks', hook)],
    key_id: [await idOf('/v1/admin/keys', { tenant: 'acme', name: 'another' })],
    ...fields,
  }
}

/** Of the page, quick, or with no effect beyond the session. */
const fields: Known = {
  command: ['snapshot'],
  host: ['no-such-host'],
  provider: ['compatible'],
  url: [site.url],
  initial_url: [site.url],
  target: ['#field'],
  selector: ['#field'],
  from: ['#field'],
  to: ['#other'],
  values: [['Two']],
  text: ['Hello'],
  text_gone: ['Nothing of the kind'],
  keys: [['Shift']],
  timeout: [300],
  holdTime: [10],
  index: [0],
  wait: [10],
  allow_private_network: [true],
  prompt: ['Say done.'],
  async: [true],
  session_options: [sessionOptions],
}

const all = await operationsOf(baseUrl)
const isForKeys = ({ security }: Operation) => !security.some((way) => 'accessToken' in way)
const operations = all.filter(isForKeys).filter(({ path }) => !path.startsWith('/v1/sign-in'))
/** Those that end what others need come last. */
const isLast = ({ method, path }: Operation) => method === 'DELETE' || /close|drain/.test(path)
const ordered = [...operations].sort((a, b) => Number(isLast(a)) - Number(isLast(b)))

let calls = 0
const unsuccessful: string[] = []

async function send({ method, path, body }: DocumentedCall): Promise<HeardAnswer> {
  const t0 = Date.now()
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      'service-api-key': key.text,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const { status } = response
  console.error(
    `DBG ${Date.now() - t0} ${status} ${method} ${path} ${JSON.stringify(body)?.slice(0, 300)}`,
  )
  if (method === 'POST' && path === '/v1/sessions' && status === 200) {
    await key.rest('DELETE', `/v1/sessions/${(JSON.parse(text) as Made).data.id}`)
  }
  return { status, contentType: response.headers.get('content-type') ?? undefined, text }
}

for (const operation of ordered.filter((o) => !process.env['DBG_ONLY'] || new RegExp(process.env['DBG_ONLY']).test(`${o.method} ${o.path}`))) {
  const name = `${operation.method} ${operation.path}`
  t.test(name, async (t) => {
    const session = await key.rest<Made>('GET', `/v1/sessions/${String(known['session_id']![0])}`)
    if (session.body.data.status !== 'running') Object.assign(known, await furnish())
    await key.rest('POST', `/v1/sessions/${String(known['session_id']![0])}/goto`, { url: site.url })
    const { calls: more, succeeded, found } = await fuzz(operation, { known, send })
    calls += more
    if (!succeeded) unsuccessful.push(name)
    t.same(found, [])
  })
}

t.test('nearly all of them were seen to succeed', async (t) => {
  t.comment(`${calls} calls`)
  t.same(unsuccessful, [])
})
