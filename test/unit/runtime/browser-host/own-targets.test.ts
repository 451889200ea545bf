/**
 * Goal: no message of the browser shows a client the service's own pages, other messages pass
 * unchanged, and a session to such a page that Chromium made is detached. Method: the filter alone,
 * with Chromium's messages; test/contract/sessions/scripts has a real browser.
 */
import t from 'tap'
import { OwnTargets } from '../../../../runtime/browser-host/cdp-rules/own-targets.ts'

const own = 'CFC2159C7CA5DC2662E7535150D6703A'
const other = '4C8C5790E885304288BE207814E1E7F7'

const info = (targetId: string, browserContextId: string) => ({
  ...{ targetId, type: 'tab', title: '', url: '', attached: false, browserContextId },
})
const event = (method: string, params: object, sessionId?: string) =>
  JSON.stringify({ method: `Target.${method}`, params, sessionId })

function setUp() {
  const sent: { id: number; method: string; params: Record<string, unknown> }[] = []
  const filter = new OwnTargets(own, (message) => sent.push(JSON.parse(message.toString())))
  const see = (text: string) => {
    const seen = filter.visible(Buffer.from(text))
    return seen && Buffer.from(seen).toString()
  }
  return { sent, see }
}

t.test('what is not about them passes, byte for byte', async (t) => {
  const { see, sent } = setUp()
  for (const text of [
    event('targetCreated', { targetInfo: info('T', other) }),
    event('targetDestroyed', { targetId: 'T' }),
    event('receivedMessageFromTarget', { sessionId: 'S', message: '{"id":1}', targetId: 'T' }),
    '{"id":1,"result":{"targetInfos":[]}}',
    '{"id":-2071954837,"result":{}}',
    'no JSON',
    // A page that knew the id would gain nothing by it.
    JSON.stringify({ method: 'Runtime.consoleAPICalled', params: { args: [{ value: own }] } }),
  ]) {
    t.equal(see(text), text)
  }
  t.same(sent, [])
})

t.test('their events are left out, from the first to the last', async (t) => {
  const { see, sent } = setUp()
  const targetInfo = info('7855FC76', own)
  const { targetId } = targetInfo
  t.equal(see(event('targetCreated', { targetInfo })), undefined)
  t.equal(see(event('targetInfoChanged', { targetInfo })), undefined)
  const attached = { sessionId: 'S1', targetInfo, waitingForDebugger: true }
  t.equal(see(event('attachedToTarget', attached, 'parent')), undefined)
  const [detach] = sent
  t.match(detach, {
    method: 'Target.detachFromTarget',
    params: { sessionId: 'S1' },
    sessionId: 'parent',
  })
  const answer = JSON.stringify({ id: detach!.id, result: {}, sessionId: 'parent' })
  t.equal(see(answer), undefined, 'the client did not make this call')
  t.equal(see(answer), answer, 'and one that it makes itself is answered')
  t.equal(see(event('detachedFromTarget', { sessionId: 'S1', targetId })), undefined)
  t.equal(see(event('targetCrashed', { targetId, status: 'crashed' })), undefined)
  for (const session of [undefined, 'parent']) {
    t.equal(see(event('targetDestroyed', { targetId }, session)), undefined)
  }
  t.equal(sent.length, 1)
})

t.test('lists have the others', async (t) => {
  const { see } = setUp()
  const targetInfos = [info('A', own), info('B', other)]
  t.same(JSON.parse(see(JSON.stringify({ id: 1, result: { targetInfos } }))!), {
    id: 1,
    result: { targetInfos: [targetInfos[1]] },
  })
  const result = { browserContextIds: [own, other], defaultBrowserContextId: 'D' }
  t.same(JSON.parse(see(JSON.stringify({ id: 2, result, sessionId: 'S' }))!), {
    id: 2,
    result: { browserContextIds: [other], defaultBrowserContextId: 'D' },
    sessionId: 'S',
  })
})

t.test('the same in sessions that are not flat', async (t) => {
  const { see, sent } = setUp()
  const nest = (message: string) =>
    event('receivedMessageFromTarget', { sessionId: 'outer', message, targetId: 'browser' })
  const targetInfo = info('7855FC76', own)
  t.equal(see(nest(nest(event('attachedToTarget', { sessionId: 'S1', targetInfo })))), undefined)
  const outer = JSON.parse(sent[0]!.params['message'] as string)
  t.match(sent[0], { method: 'Target.sendMessageToTarget', params: { sessionId: 'outer' } })
  t.match(outer, { method: 'Target.sendMessageToTarget', params: { sessionId: 'outer' } })
  t.match(JSON.parse(outer.params.message), {
    method: 'Target.detachFromTarget',
    params: { sessionId: 'S1' },
  })
  const answer = JSON.stringify({ id: sent[0]!.id, result: {} })
  for (const text of [answer, nest(answer), nest(nest(answer))]) t.equal(see(text), undefined)
  t.equal(see(nest(answer)), nest(answer), 'none is left')
  const list = { id: 1, result: { targetInfos: [targetInfo] } }
  const { params } = JSON.parse(see(nest(JSON.stringify(list)))!)
  t.same(JSON.parse(params.message), { id: 1, result: { targetInfos: [] } })
})
