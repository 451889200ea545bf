/**
 * Goal: of what clients send, the log is told what acts and never what is secret; clients that never
 * rest, and hosts that do not answer, cost a bounded message now and then. Method: the filter of calls,
 * message by message; a played host, and a clock that the test moves on.
 */
import t from 'tap'
import { decode, encode } from '../../../../proto/codec.ts'
import type { NodeRequest } from '../../../../proto/browser-host/node.ts'
import { ClientNoter } from '../../../../gateway/session-events/client-notes.ts'
import { sessionEventLimits } from '../../../../gateway/session-events/limits.ts'
import type { ClientAct } from '../../../../runtime/browser-host/cdp-rules/client-acts.ts'
import { filterCall } from '../../../../runtime/browser-host/cdp-rules/client-calls.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { until } from '../../../helpers/lib/until.ts'
import { silent } from '../../../helpers/nats/nats.ts'

/** What the log is told of a message. */
function actOf(message: string | object): ClientAct | undefined {
  let told: ClientAct | undefined
  const text = typeof message === 'string' ? message : JSON.stringify(message)
  filterCall(Buffer.from(text), { downloadsDir: '/d', onAct: (act) => (told = act) })
  return told
}

const call = (method: string, params: object = {}) => actOf({ id: 1, method, params })

t.test('calls that act, without what is secret', (t) => {
  const secret = 'kettle'
  for (const [method, params, told] of [
    [
      'Page.navigate',
      { url: `https://u:${secret}@a.example/x` },
      { act: 'navigate', url: 'https://a.example/x' },
    ],
    ['Page.reload', {}, { act: 'navigate' }],
    [
      'Target.createTarget',
      { url: 'https://a.example/' },
      { act: 'open_page', url: 'https://a.example/' },
    ],
    ['Target.closeTarget', { targetId: 'A' }, { act: 'close_page' }],
    [
      'Input.dispatchMouseEvent',
      { type: 'mousePressed', x: 1.4, y: 2.6 },
      { act: 'click', x: 1, y: 3 },
    ],
    [
      'Input.dispatchMouseEvent',
      { type: 'mouseWheel', x: 1, y: 2 },
      { act: 'scroll', count: 1, x: 1, y: 2 },
    ],
    ['Input.dispatchKeyEvent', { type: 'keyDown', text: secret }, { act: 'keys', count: 1 }],
    [
      'Input.dispatchTouchEvent',
      { type: 'touchStart', touchPoints: [{ x: 5, y: 6 }] },
      { act: 'touch', x: 5, y: 6 },
    ],
    ['Input.insertText', { text: secret }, { act: 'text', count: 6 }],
    ['DOM.setFileInputFiles', { files: [`/uploads/${secret}`] }, { act: 'upload', count: 1 }],
    ['Page.handleJavaScriptDialog', { accept: true, promptText: secret }, { act: 'answer_dialog' }],
    ['Storage.setCookies', { cookies: [{ value: secret }] }, { act: 'set_cookies' }],
  ] as const) {
    t.same(call(method, params), told, method)
  }
  t.end()
})

t.test('what only reads, later phases, and what is refused or no call', (t) => {
  for (const [method, params] of [
    ['Page.captureScreenshot', {}],
    ['Runtime.evaluate', { expression: '"Page.navigate"; ({"method":"Page.navigate"})' }],
    ['Input.dispatchMouseEvent', { type: 'mouseMoved', x: 1, y: 2 }],
    ['Input.dispatchMouseEvent', { type: 'constructor' }],
    ['Input.dispatchMouseEvent', {}],
    ['Input.dispatchKeyEvent', { type: 'keyUp' }],
    ['Page.navigate', { url: 'chrome://settings' }],
    ['Tethering.bind', {}],
  ] as const) {
    t.equal(call(method, params), undefined, `${method} ${JSON.stringify(params)}`)
  }
  t.equal(actOf('{"method":"Page.reload"'), undefined)
  t.same(actOf('{"method":"Page.reload","params":null}'), { act: 'navigate' })
  t.same(actOf('{"id":1,"method":"Page.rel\\u006fad"}'), { act: 'navigate' }, 'an escaped name')
  t.same(call('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: 'x' }), {
    act: 'touch',
  })
  const huge = call('Input.insertText', { text: 'x'.repeat(1_000_000) })
  t.same(huge, { act: 'text', count: 1 }, 'a large one is not parsed')
  t.end()
})

function open(answer: () => Promise<Uint8Array>) {
  const sent: NodeRequest<'note'>[] = []
  const due: (() => void)[] = []
  const noter = new ClientNoter({
    bus: {
      messageBytes: 1_000_000,
      request(_, payload) {
        sent.push(decode<NodeRequest<'note'>>(payload))
        return answer()
      },
    },
    clock: {
      ...systemClock,
      timer(ms, fire) {
        t.equal(ms, sessionEventLimits.sendAfterMs)
        due.push(fire)
        return { cancel: () => undefined }
      },
    },
    log: silent,
  })
  const sendNow = () => due.splice(0).forEach((fire) => fire())
  return { noter, sendNow, due, eventsSent: () => sent.map(({ request }) => request) }
}
const taken = async () => encode({ ok: true, value: { noted: true } })
const session = { sessionId: 'ses_1', nodeId: 'b1' }
const click = { act: 'click', x: 1, y: 2 } as const
const key = { act: 'keys', count: 1 } as const

t.test('together, in order, and what goes on as one with a count', async (t) => {
  const { noter, sendNow, eventsSent } = open(taken)
  const one = noter.connected(session, { kind: 'cdp', key: 'k1' })
  const other = noter.connected({ ...session, sessionId: 'ses_2' }, { kind: 'cdp', key: 'k1' })
  for (const act of [click, click, key, key, key, click, key]) one.did(act)
  other.did(key)
  one.left()
  t.same(eventsSent(), [])
  sendNow()
  const [first, second] = eventsSent()
  t.match(first, {
    sessionId: 'ses_1',
    events: [
      { type: 'client', state: 'connected', kind: 'cdp', key: 'k1', at: String },
      { type: 'act', act: 'click' },
      { type: 'act', act: 'click' },
      { type: 'act', act: 'keys', count: 3 },
      { type: 'act', act: 'click' },
      { type: 'act', act: 'keys', count: 1 },
      { type: 'client', state: 'left' },
    ],
  })
  t.equal(first!.events.length, 7)
  t.equal(new Set(first!.events.map((event) => Reflect.get(event, 'client'))).size, 1)
  t.match(second, { sessionId: 'ses_2', events: [{ type: 'client' }, { act: 'keys', count: 1 }] })
})

t.test('only so many at a time', async (t) => {
  const { noter, sendNow, eventsSent, due } = open(taken)
  const { did } = noter.connected(session, { kind: 'live', mode: 'control' })
  for (let n = 0; n < 10_000; n++) did(click)
  t.equal(due.length, 1)
  sendNow()
  const [{ events }] = eventsSent() as [NodeRequest<'note'>['request']]
  const most = sessionEventLimits.eventsPerMessage
  t.equal(events.length, most + 1)
  t.match(events.at(-1), { type: 'skipped', count: 10_001 - most })
})

t.test('a host that takes none does no harm, and later events are sent', async (t) => {
  const { noter, sendNow, eventsSent, due } = open(() => Promise.reject(new Error('it is gone')))
  const { did } = noter.connected(session, { kind: 'cdp' })
  sendNow()
  did(click)
  await until('it is due again', () => due.length === 1)
  sendNow()
  t.equal(eventsSent().length, 2)
})
