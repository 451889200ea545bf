/**
 * Goal: what `/openapi.json` says of every route for keys is so. Method: each operation is called
 * with requests made from its own schemas, valid ones and broken ones, on a real service with a
 * session, a page, a task and files; each answer must be declared: its status, type and body.
 */
import t from 'tap'
import { keyScopeNames } from '../../../proto/accounts/key-scopes.ts'
import { finish } from '../../helpers/models/obeying.ts'
import type { HeardAnswer } from '../../helpers/openapi/answers.ts'
import { fuzz, type CallWorld, type DocumentedCall } from '../../helpers/openapi/calls.ts'
import { operationsOf, type Json, type Operation } from '../../helpers/openapi/document.ts'
import type { Known } from '../../helpers/openapi/values.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { markerZip } from '../../helpers/extensions/marker.ts'
import { uploaded } from '../../helpers/extensions/uploading.ts'
import { fileClient } from '../../helpers/service/files.ts'
import { firstPictureMs } from '../../helpers/service/first-picture.ts'
import { isRecording } from '../../helpers/service/isolation-here.ts'
import { newKey, type TestKey } from '../../helpers/service/keys.ts'
import { createSession } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'

const site = await serveWebPage(`<title>Form</title><h1>Hello</h1>
  <input id="field" aria-label="Name"> <input type="file" id="file">
  <select id="select"><option>One<option>Two</select> <button id="other">Send</button>`)
t.teardown(() => site.close())
const { service } = await startTaskService(t, finish(), {
  env: { MAX_SESSIONS: '12' },
})
const daysOn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const whole = ['--scopes', keyScopeNames.join(','), '--allow-private']
let key: TestKey
/** Of a key that has all the sessions it may have: its valid requests are understood, and go no further. */
let full: TestKey
let ids: Known
/** The session for all tasks but the first ones. */
let ofTasks: string
/** Recorded sessions: one that goes on, and one that has ended and whose video is made. */
let filmed: string
let watched: string
/** Of which it shows something, and the token of a link to it. */
let clipped: Known
const recorded = { session: { recording: { active: true } } }

t.before(async () => {
  key = await newKey(service, 'all', ...whole)
  full = await newKey(service, 'full', ...whole, '--max-sessions', '1')
  await createSession(full.rest)
  ofTasks = (await createSession(key.rest)).id
  ids = await furnish()
  if (!isRecording) return
  filmed = (await createSession(key.rest, { ...recorded, ...sessionOptions })).id
  watched = (await createSession(key.rest, { ...recorded, ...sessionOptions })).id
  const fromMs = await firstPictureMs(key.rest, watched)
  clipped = {
    from: [new Date(fromMs).toISOString()],
    to: [new Date(fromMs + 1_000).toISOString()],
  }
  await key.rest('DELETE', `/v1/sessions/${watched}`)
  await until('its video is made', async () => {
    const file = `/v1/sessions/${watched}/recordings/primary/fetch`
    return (await fetch(service.baseUrl + file, { headers: { 'service-api-key': key.text } })).ok
  })
  const links = `/v1/sessions/${watched}/recordings/primary/links`
  const { body } = await key.rest<{ data: { recording_url: string } }>('POST', links)
  clipped = { ...clipped, token: [new URL(body.data.recording_url).searchParams.get('token')!] }
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
  const traced = { browser: { ...sessionOptions.browser, tracing: { active: true } } }
  const session = await createSession(key.rest, traced)
  const path = `/v1/sessions/${session.id}`
  await key.rest('POST', `${path}/goto`, { url: site.url })
  const files = fileClient({ ...service, key: key.text })
  const upload = await files.upload(`${path}/uploads`, 'a.txt', 'text')
  const extension = await uploaded({ ...service, key: key.text }, 'marker', markerZip())
  const tabs = await key.rest<{ data: { tabs: readonly { id: string }[] } }>('GET', `${path}/tabs`)
  const tab = tabs.body.data.tabs[0]!.id
  return {
    session_id: [session.id],
    sessionId: [session.id],
    file_id: [upload.body.data.id],
    extension_id: [extension.id],
    tab: [tab],
    target_id: [tab],
    workflow_id: [await idOf(tasks, order)],
    id: [
      await idOf('/v1/webhooks', { url: 'https://hooks.example.com/', events: ['session.ended'] }),
    ],
    key_id: [await idOf('/v1/admin/keys', { tenant: 'acme', name: 'another' })],
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
  timeout: [300, '5'],
  holdTime: [10],
  index: [0],
  wait: [10],
  allow_private_network: [true],
  prompt: ['Say done.'],
  async: [true],
  expires_at: [daysOn(1)],
  cursor: [],
  session_options: [sessionOptions],
  recording_id: ['primary'],
}

/** Fields whose values depend on what they are for. */
const special: Readonly<Record<string, Partial<CallWorld>>> = {
  'POST /v1/sessions/{session_id}/select-option': {
    known: { target: ['#select'], selector: ['#select'], value: ['Two'], label: ['Two'] },
  },
  'PUT /v1/credentials/{provider}': {
    known: { provider: ['openai'], base_url: ['https://models.example.com/v1'] },
    needed: { body: { api_key: 'sk-of-nobody' } },
  },
  'DELETE /v1/credentials/{provider}': { known: { provider: ['openai'] } },
  'POST /v1/credentials/{provider}/login': {
    known: { provider: ['openrouter'], base_url: ['https://models.example.com/v1'] },
  },
  'POST /v1/sessions/{session_id}/uploads/attach': { known: { selector: ['#file'] } },
  // A display costs more than all the rest of a session, and one body asks for it.
  'POST /v1/sessions': { needed: { body: sessionOptions } },
  // Where a task begins in a private network, it must be allowed to.
  'POST /v1/tools/perform-web-task': { needed: { body: order } },
}
const hook: Known = { url: ['https://hooks.example.com/'], events: [['session.ended']] }
const past: Known = { since: [daysOn(-2)], until: [daysOn(-1)], event_type: ['session.ended'] }

const nameOf = ({ method, path }: Operation) => `${method} ${path}`

function worldOf(operation: Operation): CallWorld {
  const more = special[nameOf(operation)]
  const attached = operation.path.endsWith('/attach') ? { id: ids['file_id']! } : {}
  const isOfRecording = isRecording && operation.path.includes('/recordings')
  const film = /pause|resume/.test(operation.path) ? filmed : watched
  const webhooks = operation.path.startsWith('/v1/webhooks') ? { ...hook, ...past } : {}
  const world = {
    ...more,
    known: {
      ...{ ...fields, ...ids, ...webhooks, ...attached },
      ...(isOfRecording && { session_id: [film], ...clipped }),
      ...more?.known,
    },
    send,
    isAccepted: isForWantOfRoom,
  }
  if (!/tools\/(fetch|screenshot|page)/.test(operation.path)) return world
  // With a session in the query they need no page, which no schema can say.
  return { ...world, needed: { query: { sessionId: ids['session_id']![0] } } }
}

/** A browser costs more than all other calls of an operation, so that these first calls start one. */
const startedMost = 3
const started = new Map<string, number>()

/** Who calls, and with what: once enough browsers were started, in a way that starts none. */
function frugal(call: DocumentedCall, operation: Operation) {
  const name = nameOf(operation)
  const count = started.get(name) ?? 0
  if (name === `POST ${tasks}` && count >= startedMost) {
    const { session_options, ...body } = (call.body ?? {}) as Json
    const isUsual = JSON.stringify(session_options) === JSON.stringify(sessionOptions)
    const inSession = `${tasks}?sessionId=${ofTasks}`
    return isUsual && call.path === tasks
      ? { ...call, path: inSession, body, by: key }
      : { ...call, by: key }
  }
  return { ...call, by: name === 'POST /v1/sessions' && count >= startedMost ? full : key }
}

/** Understood, and refused only because the key has all its sessions. */
const isForWantOfRoom = ({ status, text }: HeardAnswer) =>
  status === 429 && text.includes('"session_limit"')

async function send(call: DocumentedCall, operation: Operation): Promise<HeardAnswer> {
  const { method, path, body, by } = frugal(call, operation)
  const { requestBody } = operation
  const isForm = requestBody !== undefined && 'multipart/form-data' in requestBody.content
  const form = new FormData()
  const isExtension = path.startsWith('/v1/extensions')
  if (isExtension) form.append('name', 'marker')
  form.append(
    'file',
    new Blob([isExtension ? Uint8Array.from(markerZip()) : 'text']),
    isExtension ? 'a.zip' : 'a.txt',
  )
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: {
      'service-api-key': by.text,
      // An idle connection could be closed by the service just as the next call takes it.
      connection: 'close',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(isForm && { body: form }),
  })
  const text = await response.text()
  const { status } = response
  if (status === 200) started.set(nameOf(operation), (started.get(nameOf(operation)) ?? 0) + 1)
  // Of each session that was made there is no further use.
  if (method === 'POST' && path === '/v1/sessions' && status === 200) {
    await key.rest('DELETE', `/v1/sessions/${(JSON.parse(text) as Made).data.id}`)
  }
  return { status, contentType: response.headers.get('content-type') ?? undefined, text }
}

/** Their success needs what is not here: a task at work, a download, an endpoint that answers. */
const mayFail = new Set([
  'POST /v1/sessions/{session_id}/agent/pause',
  'POST /v1/sessions/{session_id}/agent/resume',
  'POST /v1/sessions/{session_id}/agent/respond-to-human-intervention',
  'POST /v1/tools/perform-web-task/{workflow_id}/pause',
  'POST /v1/tools/perform-web-task/{workflow_id}/resume',
  'POST /v1/tools/perform-web-task/{workflow_id}/answer',
  'GET /v1/sessions/{session_id}/downloads/{file_id}',
  'DELETE /v1/sessions/{session_id}/downloads/{file_id}',
  'GET /v1/credentials/{provider}/login/{login_id}',
  'GET /v1/webhooks/{id}/deliveries/{delivery_id}',
  'POST /v1/webhooks/{id}/deliveries/{delivery_id}/replay',
  'POST /v1/webhooks/{id}/recover',
  'POST /v1/webhooks/{id}/test',
  'POST /v1/admin/hosts/{host}/drain',
  'POST /v1/admin/hosts/{host}/undrain',
  'POST /v1/profiles/{name}/copy',
  'POST /v1/profiles/{name}/restore',
  'GET /live/{session_id}',
  'GET /live/{session_id}/state',
])

const all = await operationsOf(service.baseUrl)
const isForKeys = ({ security }: Operation) => !security.some((way) => 'accessToken' in way)
// Of /mcp the protocol says what is sent; its clients are tried in mcp.test.ts.
const isOther = ({ path }: Operation) => path.startsWith('/v1/sign-in') || path === '/mcp'
const operations = all.filter((one) => isForKeys(one) && !isOther(one))
/** Those that end what others need come last. */
const isLast = ({ method, path }: Operation) => method === 'DELETE' || /close|drain/.test(path)
const ordered = [...operations].sort((a, b) => Number(isLast(a)) - Number(isLast(b)))

/** What no schema can say. */
const beyondSchemas = [
  // What is too narrow for a desktop is wide enough without one.
  /^POST \S+ .*width must be at least \d+ on a desktop/,
  // Chromium's own words, which it too sends under the type of JSON.
  /^(GET|PUT) \/json\/.* is no JSON: No such target/,
  // Which profile, and whose, is in two places.
  /^POST \S+profiles?\b.*(is required with source session|was not created to save a profile)/,
  // Two days are compared.
  /^GET \/v1\/(admin\/)?usage(\.csv)?\b.*(must not be after to|must be at most 400 days)/,
  // Whether a session is recorded is in its options.
  /^DELETE \S+\/recordings\/.*Recording was off in this session/,
  // A task's options depend on one another and on the accounts that there are.
  /^POST \S+perform-web-task\b.*(omit them or sessionId|max_cost_usd cannot be enforced|is not in the allowed_domains)/,
]

let calls = 0
const unsuccessful: string[] = []

for (const operation of ordered) {
  t.test(nameOf(operation), async (t) => {
    const path = `/v1/sessions/${String(ids['session_id']![0])}`
    if ((await key.rest<Made>('GET', path)).body.data.status === 'running') {
      await key.rest('POST', `${path}/goto`, { url: site.url })
    } else ids = await furnish()
    if (operation.path.startsWith('/json/close')) {
      ids = { ...ids, target_id: [await idOf(`${path}/tabs`, { url: site.url })] }
    }
    const fuzzed = await fuzz(operation, worldOf(operation))
    calls += fuzzed.calls
    if (!fuzzed.succeeded) unsuccessful.push(nameOf(operation))
    t.same(
      fuzzed.found.filter((one) => !beyondSchemas.some((known) => known.test(one))),
      [],
    )
  })
}

t.test('nearly all of them were seen to succeed', async (t) => {
  t.comment(`${calls} calls of ${ordered.length} operations`)
  t.same(
    unsuccessful.filter((name) => !mayFail.has(name) && (isRecording || !/recordings/.test(name))),
    [],
  )
})
