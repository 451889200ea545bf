/**
 * Goal: a tenant of Surface B is sent the events of its sessions and web tasks, and only of its
 * own; also set up from a shell. Method: a real service with a real browser, a scripted model, real
 * receivers on loopback.
 */
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { call, inTurn } from '../../helpers/models/answers.ts'
import {
  loopbackWebhooks,
  type DeliveryJson,
  type EndpointJson,
} from '../../helpers/access/webhooks.ts'
import { startReceiver } from '../../helpers/lib/receiver.ts'
import { firstPictureMs } from '../../helpers/service/first-picture.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { isRecording } from '../../helpers/service/isolation-here.ts'
import { createSession, headless, restClient } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'
import { until } from '../../helpers/lib/until.ts'

const { model, service } = await startTaskService(t, undefined, { env: loopbackWebhooks })
const { rest, baseUrl, dataDir } = service
const receiver = await startReceiver(t)
const path = '/v1/webhooks'

interface Made {
  readonly data: EndpointJson
  readonly error?: { readonly type: string }
}
const events = ['session.*', 'task.*', 'recording.*']
const made = (await rest<Made>('POST', path, { url: receiver.url, events })).body.data
const shell = (...args: readonly string[]) => runTroupe(args, { SVC_BASE: baseUrl })

t.test('a webhook is verified from a shell, by a signed ping', async (t) => {
  const { code, stdout } = await shell('webhooks', 'verify', made.id)
  t.equal(code, 0)
  t.match(stdout, /^dlv_/)
  await until('it is active', async () => {
    return (await rest<Made>('GET', `${path}/${made.id}`)).body.data.status === 'active'
  })
  const [ping] = receiver.received
  t.match(new Webhook(made.secret).verify(ping!.body, ping!.headers), { type: 'webhook.ping' })
  t.match((await shell('webhooks', 'list')).stdout, `${made.id}  active`)
})

t.test(
  'a session causes one event when it has its browser, and one when it has ended',
  async (t) => {
    const { id } = await createSession(rest)
    await rest('POST', `/v1/sessions/${id}/tags`, { tags: ['x'] })
    await rest('DELETE', `/v1/sessions/${id}`)
    const of = (type: string) => receiver.of(type).filter(({ json }) => json.data.object.id === id)
    const ended = await until('its end is told of', () => of('session.ended')[0])
    t.match(ended.json.data, { object: { kind: 'session' }, status: 'ended', reason: 'deleted' })
    t.match(ended.json.data.url, new RegExp(`/v1/sessions/${id}$`))
    t.equal(of('session.created').length, 1)
    t.equal(of('session.ended').length, 1)
  },
)

t.test('a web task causes events when it waits for a person and when it is done', async (t) => {
  const order = {
    ...{ prompt: 'Ask, then finish.', async: true, final_check: false, human_intervention: true },
    session_options: { browser: { headless: { active: true } } },
  }
  const tasks = '/v1/tools/perform-web-task'
  model.answerWith(
    inTurn(
      call('ask_human', { question: 'Which one?' }),
      call('done', { success: true, answer: 'That one' }),
    ),
  )
  const { id } = (await rest<Made>('POST', tasks, order)).body.data
  const waits = await until('it waits', () => receiver.of('task.needs_input')[0])
  t.equal(waits.json.data.object.id, id)
  await rest('POST', `${tasks}/${id}/cancel`)
  const over = await until('it is cancelled', () => receiver.of('task.cancelled')[0])
  t.match(over.json.data, { object: { kind: 'task', id }, status: 'CANCELLED' })

  model.answerWith(inTurn(call('done', { success: true, answer: 'Tea' })))
  const next = (await rest<Made>('POST', tasks, { ...order, prompt: 'Finish.' })).body.data.id
  const done = await until('it is done', () => receiver.of('task.completed')[0])
  t.match(done.json.data, { object: { id: next }, status: 'COMPLETED' })
  t.notOk(done.body.includes('Tea'), 'its result is fetched')
})

const page = `data:text/html,<h1>0</h1><script>setInterval(() => {
  document.querySelector('h1').textContent++
}, 100)</script>`

interface Failed {
  readonly data: {
    readonly state: string
    readonly ended_at: string
    readonly last_seconds: { readonly url: string; readonly from: string; readonly to: string }
  }
  readonly error: Readonly<Record<string, string>>
}

t.test(
  'a recording is told of when it is ready, and shows the end of a task that failed',
  { skip: !isRecording && 'sessions cannot be recorded on this machine' },
  async (t) => {
    const { id } = await createSession(rest, {
      session: { recording: { active: true } },
      ...headless,
    })
    await rest('POST', `/v1/sessions/${id}/commands/navigate`, { url: page })
    model.answerWith(
      inTurn(call('scroll', { direction: 'down' }), call('scroll', { direction: 'down' })),
    )
    const tasks = '/v1/tools/perform-web-task'
    const order = { prompt: 'Scroll.', max_steps: 1, final_check: false }
    const { error } = (await rest<Failed>('POST', `${tasks}?sessionId=${id}`, order)).body
    const { task_id: task, clip_url: url, clip_from: from, clip_to: to } = error
    const { data } = (await rest<Failed>('GET', `${tasks}/${task}`)).body
    t.same(data.last_seconds, { url, from, to }, 'waiting callers and others read the same')
    t.equal(Date.parse(to!) - Date.parse(from!), 11_000)
    t.equal(Date.parse(to!) - Date.parse(data.ended_at), 1_000)
    const sinceMs = await firstPictureMs(rest, id)
    await until('it is a second long', () => Date.now() > sinceMs + 1_000)
    // Another picture, after what failed.
    await rest('POST', `/v1/sessions/${id}/commands/navigate`, { url: page })
    await rest('DELETE', `/v1/sessions/${id}`)
    const told = await until('the recording is told of', () => {
      return receiver.of('recording.ready').find(({ json }) => json.data.object.id === id)
    })
    t.match(told.json.data, { object: { kind: 'session' }, status: 'ready', seconds: /^[1-9]/ })
    const shown = await until('the session has it', async () => {
      const { body } = await rest<{ data: { recording?: object } }>('GET', `/v1/sessions/${id}`)
      return body.data.recording
    })
    t.match(shown, { status: 'ready', seconds: Number })
    const clip = await fetch(baseUrl + url!, {
      method: 'POST',
      headers: { 'service-api-key': service.key, 'content-type': 'application/json' },
      body: JSON.stringify({ from, to }),
    })
    t.equal(clip.status, 200)
    t.equal(clip.headers.get('content-type'), 'video/mp4')
    t.ok((await clip.arrayBuffer()).byteLength > 1_000)
    const ends = () => receiver.of('session.ended').filter(({ json }) => json.data.object.id === id)
    await until('its end is told of', () => ends().length > 0)
    t.equal(receiver.of('recording.ready').length, 1)
    t.equal(ends().length, 1)
  },
)

t.test('another tenant sees nothing of it, and is sent nothing', async (t) => {
  const env = { DATA_DIR: dataDir }
  const created = await runTroupe(['keys', 'create', '--tenant', 'other', '--name', 'k'], env)
  const other = restClient(baseUrl, /trp_\S+/.exec(created.stdout + created.stderr)![0])
  const theirs = await startReceiver(t)
  const body = { url: theirs.url, events }
  const hook = await until('the key is known', async () => {
    const answer = await other<Made>('POST', path, body)
    return answer.status === 201 && answer.body.data
  })
  await other('POST', `${path}/${hook.id}/verify`)
  await until('theirs is active', async () => {
    return (await other<Made>('GET', `${path}/${hook.id}`)).body.data.status === 'active'
  })
  const { id } = await createSession(rest)
  await rest('DELETE', `/v1/sessions/${id}`)
  await until('ours is told of', () =>
    receiver.of('session.ended').some(({ json }) => json.data.object.id === id),
  )
  t.equal(theirs.received.length, 1, 'the ping alone')
  t.equal((await other('GET', `${path}/${made.id}`)).status, 404)
  t.equal((await other('DELETE', `${path}/${made.id}`)).status, 404)
  t.equal((await other('GET', `${path}/${made.id}/deliveries`)).status, 404)
})

t.test('deliveries are listed and can be sent again', async (t) => {
  const list = await rest<{ readonly data: readonly DeliveryJson[] }>(
    'GET',
    `${path}/${made.id}/deliveries?event_type=session.ended&status=delivered`,
  )
  const [delivery] = list.body.data
  const before = receiver.of('session.ended').length
  const { code } = await shell('webhooks', 'replay', made.id, delivery!.id)
  t.equal(code, 0)
  await until('it comes once more', () => receiver.of('session.ended').length === before + 1)
  t.equal(receiver.of('session.ended').at(-1)!.headers['webhook-id'], delivery!.event_id)
  t.match((await shell('webhooks', 'deliveries', made.id)).stdout, 'session.ended')
})

t.test('invalid URLs and types are refused, and a removed webhook is gone', async (t) => {
  const refused = async (body: object) =>
    (await rest<Made>('POST', path, { url: receiver.url, events, ...body })).body.error?.type
  t.equal(await refused({ url: 'http://10.0.0.1/' }), 'url_not_allowed')
  t.equal(await refused({ events: ['contact.created'] }), 'validation_failed')
  const bad = await shell('webhooks', 'add', 'http://10.0.0.1/', '--events', 'session.*')
  t.equal(bad.code, 1)
  t.match(bad.stderr, 'This URL cannot be used')
  t.equal((await shell('webhooks', 'remove', made.id)).code, 0)
  t.equal((await rest('GET', `${path}/${made.id}`)).status, 404)
})
