/**
 * Goal: each command of the catalogue has its route, with the contract's body and answer; a refused
 * body names its field; and the end of a session is reported as such, whichever part notices it
 * first. Method: a real gateway with a played node agent.
 */
import t, { type Test } from 'tap'
import type { CommandCall } from '../../../../proto/commands/catalogue.ts'
import type { Reply } from '../../../../proto/envelope.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import { ServiceError, toWireError } from '../../../../proto/errors.ts'
import type { NodeVerbs } from '../../../../proto/browser-host/node.ts'
import { playedView, playService, type PlayedOptions } from '../../../helpers/gateway/gateway.ts'
import { restClient, type ErrorJson } from '../../../helpers/service/service.ts'
import { until } from '../../../helpers/lib/until.ts'

type Run = NodeVerbs['run']['request']

const picture = Buffer.from('picture')
const outputs: Readonly<Record<string, unknown>> = {
  clipboard_read: { text: 'of the clipboard' },
  copy: { text: 'of the selection' },
  screenshot: { image: picture, type: 'image/png', left: 0, top: 87, scale: 1 },
}

async function setUp(t: Test, options: PlayedOptions = {}) {
  const asked: Run[] = []
  const service = await playService({
    node: async (_subject, request) => {
      const run = request as Run
      asked.push(run)
      const done = run.actions.map(({ command }) => ({ ok: true, value: outputs[command] ?? {} }))
      return { ok: true, value: done }
    },
    ...options,
  })
  t.teardown(() => service.close())
  const client = restClient(service.gateway.url, 'dev-local-key')
  const base = `/v1/sessions/${service.sessionId}`
  return {
    service,
    asked,
    base,
    send: (method: string, path: string, body?: unknown) =>
      client<Record<string, unknown> & { error: ErrorJson & { field?: string } }>(
        method,
        base + path,
        body,
      ),
  }
}

const refusing = (error: ServiceError) => async (): Promise<Reply> => ({
  ok: false,
  error: toWireError(error),
})

t.test('bodies and answers are those of the contract', async (t) => {
  const { send, asked } = await setUp(t)
  const success = { status: 'success' }
  const place = { x: 1, y: 2.5 }
  const left = { ...place, button: 'left' }
  const cases: [string, string, unknown, CommandCall | object, unknown][] = [
    ['POST', '/mouse/click', place, { command: 'mouse_click', input: left }, success],
    [
      'POST',
      '/mouse/click',
      { selector: '#a', selectorTimeoutMs: 5, index: 1 },
      { input: { selector: '#a', selectorTimeoutMs: 5, index: 1, button: 'left' } },
      success,
    ],
    ['POST', '/mouse/doubleClick', place, { command: 'mouse_double_click', input: left }, success],
    ['POST', '/mouse/down', { ...place, button: 'right' }, { command: 'mouse_down' }, success],
    ['POST', '/mouse/up', place, { command: 'mouse_up', input: left }, success],
    ['POST', '/mouse/move', place, { command: 'mouse_move', input: place }, success],
    [
      'POST',
      '/drag-and-drop',
      { startX: 1, startY: 2, endX: 3, endY: 4, unknown: 'field' },
      { command: 'drag_and_drop', input: { startX: 1, startY: 2, endX: 3, endY: 4 } },
      success,
    ],
    [
      'POST',
      '/scroll',
      { ...place, deltaY: -3 },
      { command: 'scroll', input: { ...place, deltaY: -3, deltaX: 0, steps: 1, useOs: false } },
      success,
    ],
    ['POST', '/keyboard/type', { text: 'é🎉' }, { input: { text: 'é🎉', delay: 0 } }, success],
    [
      'POST',
      '/keyboard/shortcut',
      { keys: ['Ctrl', 'c'], holdTime: 100 },
      { command: 'keyboard_shortcut', input: { keys: ['Ctrl', 'c'], holdTime: 100 } },
      success,
    ],
    ['GET', '/clipboard', undefined, {}, { data: { text: 'of the clipboard' } }],
    ['POST', '/clipboard', { text: 'a' }, { input: { text: 'a' } }, success],
    ['POST', '/copy', undefined, { command: 'copy' }, { text: 'of the selection' }],
    ['POST', '/paste', { text: 'a' }, { command: 'paste', input: { text: 'a' } }, success],
    ['POST', '/goto', { url: 'http://a.example' }, { command: 'goto' }, success],
  ]
  for (const [method, path, body, action, answer] of cases) {
    const reply = await send(method, path, body)
    t.equal(reply.status, 200, path)
    t.same(reply.body, answer, path)
    t.match(asked.at(-1)!.actions, [action], path)
  }
})

t.test('a screenshot comes as bytes, with its position on the screen', async (t) => {
  const { send, asked } = await setUp(t)
  const { status, headers, body } = await send('GET', '/screenshot?source=desktop')
  t.same([status, headers.get('content-type')], [200, 'image/png'])
  t.same([headers.get('x-screen-left'), headers.get('x-screen-top')], ['0', '87'])
  t.equal(String(body), 'picture')
  t.match(asked.at(-1)!.actions, [{ input: { source: 'desktop' } }])
})

t.test('a refused body names its field', async (t) => {
  const { send, asked } = await setUp(t)
  const place = { x: 1, y: 2 }
  const cases: [string, unknown, string, RegExp][] = [
    ['/mouse/click', {}, 'x', /selector/],
    ['/mouse/click', { x: 1 }, 'y', /must be given/],
    ['/mouse/click', { ...place, selector: '#a' }, 'selector', /^selector cannot be .* not both/],
    ['/mouse/click', { ...place, button: 'fourth' }, 'button', /"left" or "middle"/],
    ['/mouse/down', { x: 1 }, 'y', /is required/],
    ['/mouse/down', { x: 'NaN', y: 1 }, 'x', /must be of type number/],
    ['/mouse/up', { x: null, y: 1 }, 'x', /must be of type number/],
    ['/mouse/move', { x: -1, y: 1 }, 'x', /0/],
    ['/drag-and-drop', { startX: 1, startY: 2, endX: 3 }, 'endY', /is required/],
    ['/scroll', { ...place, deltaY: 1e9 }, 'deltaY', /1000/],
    ['/scroll', { ...place, deltaY: 1, steps: 0 }, 'steps', /1/],
    ['/scroll', { ...place, deltaY: 1, useOs: 'yes' }, 'useOs', /boolean/],
    ['/keyboard/type', {}, 'text', /is required/],
    ['/keyboard/type', { text: 'a'.repeat(10_001) }, 'text', /10000/],
    ['/keyboard/type', { text: 'a'.repeat(100), delay: 1_000 }, 'delay', /60000 ms/],
    ['/keyboard/shortcut', { keys: 'Ctrl+c' }, 'keys', /array/],
    ['/keyboard/shortcut', { keys: [] }, 'keys', /1/],
    ['/keyboard/shortcut', { keys: ['a'], holdTime: -1 }, 'holdTime', /0/],
    ['/clipboard', { text: 5 }, 'text', /string/],
    ['/paste', {}, 'text', /is required/],
    ['/goto', {}, 'url', /is required/],
    ['/actions', {}, 'actions', /is required/],
    ['/actions', { actions: [] }, 'actions', /1/],
    ['/actions', { actions: Array(101).fill({ command: 'copy' }) }, 'actions', /100/],
    ['/actions', { actions: [{ command: 'nothing' }] }, 'actions.0.command', /mouse_click/],
    [
      '/actions',
      { actions: [{ command: 'copy' }, { command: 'mouse_down', input: { x: 1 } }] },
      'actions.1.input.y',
      /is required/,
    ],
  ]
  for (const [path, body, field, message] of cases) {
    const reply = await send('POST', path, body)
    const told = `${path} ${JSON.stringify(body).slice(0, 60)}`
    t.match(reply, { status: 400, body: { error: { type: 'bad_request', field, message } } }, told)
  }
  t.equal(asked.length, 0, 'nothing was done')
  const picture = await send('GET', '/screenshot?source=window')
  t.match(picture, { status: 400, body: { error: { field: 'source' } } })
})

t.test('any command can be run by its name', async (t) => {
  const { send, asked } = await setUp(t)
  const copied = await send('POST', '/commands/copy')
  t.same(copied.body, { data: { text: 'of the selection' } })
  const shot = await send('POST', '/commands/screenshot', { source: 'desktop' })
  t.match(shot.body, { data: { image: picture.toString('base64'), top: 87 } })
  const [command] = asked.at(-1)!.actions
  t.match(command, { command: 'screenshot', input: { source: 'desktop', full_page: false } })
  const bad = await send('POST', '/commands/mouse_down', { x: 1 })
  t.match(bad, { status: 400, body: { error: { field: 'y' } } })
  const unknown = await send('POST', '/commands/nothing')
  t.match(unknown, { status: 404, body: { error: { message: /Available commands: mouse_click/ } } })
})

t.test('actions in a row are one round trip, each with its answer', async (t) => {
  const { send, asked } = await setUp(t)
  const { body } = await send('POST', '/actions', {
    actions: [
      { command: 'mouse_click', input: { x: 1, y: 2 } },
      { command: 'copy' },
      { command: 'screenshot', input: { source: 'page' } },
    ],
  })
  t.same(body, {
    data: {
      status: 'success',
      results: [
        { command: 'mouse_click', status: 'success', output: {} },
        { command: 'copy', status: 'success', output: { text: 'of the selection' } },
        {
          command: 'screenshot',
          status: 'success',
          output: {
            image: picture.toString('base64'),
            type: 'image/png',
            left: 0,
            top: 87,
            scale: 1,
          },
        },
      ],
    },
  })
  t.equal(asked.length, 1)
})

t.test('the first action that fails is the last that is answered', async (t) => {
  const error = toWireError(new ServiceError('bad_request', 'x is too far.', { field: 'x' }))
  const { send } = await setUp(t, {
    node: async () => ({
      ok: true,
      value: [
        { ok: true, value: {} },
        { ok: false, error },
      ],
    }),
  })
  const actions = ['copy', 'copy', 'copy'].map((command) => ({ command }))
  const { status, body } = await send('POST', '/actions', { actions })
  t.equal(status, 200)
  const refused = { code: 400, type: 'bad_request', message: 'x is too far.', field: 'x' }
  t.same(body['data'], {
    status: 'failed',
    results: [
      { command: 'copy', status: 'success', output: {} },
      { command: 'copy', status: 'failed', error: refused },
    ],
  })
})

t.test('an agent that knows a newer owner is asked again with its epoch', async (t) => {
  const epochs: number[] = []
  const { send } = await setUp(t, {
    answer: (id) => ({ view: playedView(id), claim: { nodeId: 'node' }, epoch: epochs.length }),
    node: async (_subject, request) => {
      epochs.push((request as Run).epoch)
      if (epochs.length > 1) return { ok: true, value: [{ ok: true, value: { text: 'a' } }] }
      return refusing(new ServiceError('conflict', 'There is a newer owner.', { epoch: 1 }))()
    },
  })
  t.same((await send('POST', '/copy')).body, { text: 'a' })
  t.same(epochs, [0, 1])
})

t.test('a session that ends meanwhile is reported as ended, without any answer', async (t) => {
  const asked: string[] = []
  const { send, service } = await setUp(t, {
    node: (subject) => {
      asked.push(subject)
      return new Promise(() => {})
    },
  })
  const waiting = send('POST', '/copy')
  await until('the agent is asked', () => asked.length === 1)
  const view = service.views.get(service.sessionId)!
  service.views.set({ ...view, status: 'failed', reason: 'browser_crashed', message: 'It broke.' })
  t.match(await waiting, {
    status: 410,
    body: { error: { type: 'session_ended', reason: 'browser_crashed', message: /It broke/ } },
  })
})

t.test('a failure because the session is ending waits for its reason', async (t) => {
  const { send, service } = await setUp(t, {
    node: async () => {
      const view = service.views.get(service.sessionId)!
      setImmediate(() => service.views.set({ ...view, status: 'lost', reason: 'node_lost' }))
      return refusing(new ServiceError('unavailable', 'The display does not answer.'))()
    },
  })
  t.match(await send('POST', '/copy'), { status: 410, body: { error: { reason: 'node_lost' } } })
})

t.test('commands to an unreachable session are refused at once, and not sent', async (t) => {
  const asked: string[] = []
  const { send, service } = await setUp(t, {
    node: async (subject) => {
      asked.push(subject)
      return refusing(new ServiceError('unavailable', 'No contact.'))()
    },
  })
  const view = service.views.get(service.sessionId)!
  service.views.set({ ...view, status: 'unreachable', unreachableSinceMs: 1 })
  const refused = { status: 503, body: { error: { type: 'unavailable', reason: 'unreachable' } } }
  t.match(await send('POST', '/copy'), refused)
  t.same(asked, [])
})

t.test('a command during which the host loses contact may have been done', async (t) => {
  const asked: string[] = []
  const { send, service } = await setUp(t, {
    node: (subject) => {
      asked.push(subject)
      return new Promise(() => {})
    },
  })
  const view = service.views.get(service.sessionId)!
  const sent = send('POST', '/copy')
  await until('the agent is asked', () => asked.length === 1)
  service.views.set({ ...view, status: 'unreachable', unreachableSinceMs: 1 })
  t.match(await sent, {
    status: 504,
    body: { error: { type: 'timeout', reason: 'unreachable', message: /not known/ } },
  })
})

t.test('a session that is back is used, though its view is behind', async (t) => {
  const { send, service } = await setUp(t, {
    answer: (id) => ({ view: playedView(id), claim: { nodeId: 'node' }, epoch: 0 }),
  })
  const view = service.views.get(service.sessionId)!
  service.views.set({ ...view, status: 'unreachable', unreachableSinceMs: 1 })
  t.equal((await send('POST', '/copy')).status, 200)
})

const host: Omit<HostRecord, 'incarnation' | 'state'> = {
  ...{ nodeId: 'n', role: 'node-agent', leaseMs: 1, machine: 'm', version: '0' },
}

t.test('a command whose agent dies is asked for again only if it may be done twice', async (t) => {
  const agents = ['n.node-agent.1', 'n.node-agent.2'] as const
  for (const [method, path, body, expected] of [
    ['GET', '/clipboard', undefined, { status: 200, body: { data: { text: 'now' } } }],
    [
      'POST',
      '/mouse/click',
      { x: 1, y: 1 },
      { status: 504, body: { error: { type: 'timeout', reason: 'host_restarted' } } },
    ],
  ] as const) {
    const asked: string[] = []
    let agent: (typeof agents)[number] = agents[0]
    const { send, service } = await setUp(t, {
      answer: (id) => ({
        view: playedView(id),
        claim: { nodeId: 'node', incarnation: agent },
        epoch: 1,
      }),
      async node(subject) {
        asked.push(subject)
        if (asked.length === 1) return new Promise(() => {})
        if (asked.length === 2) return { forgotten: true } as never
        return { ok: true, value: [{ ok: true, value: { text: 'now' } }] }
      },
    })
    const sent = send(method, path, body)
    await until('the agent is asked', () => asked.length === 1)
    agent = agents[1]
    service.hosts.set({ ...host, incarnation: agents[0], state: 'dead' })
    t.match(await sent, expected)
    t.equal(asked.length, method === 'GET' ? 3 : 2)
  }
})

t.test('unknown and foreign sessions are answered alike', async (t) => {
  const { send, service } = await setUp(t)
  const view = service.views.get(service.sessionId)!
  service.views.set({ ...view, tenant: 'other' })
  const foreign = await send('POST', '/copy')
  t.match(foreign, { status: 404, body: { error: { type: 'not_found' } } })
})
