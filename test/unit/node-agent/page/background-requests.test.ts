/** Goal: requests that stay open by design are recognised, and ordinary ones are waited for. */
import t from 'tap'
import {
  isBackgroundRequest,
  isStreamedAnswer,
} from '../../../../node-agent/page/network/background-requests.ts'

const loaderId = 'a document'
const isBackground = (url: string, type = 'Fetch', by = loaderId) =>
  isBackgroundRequest({ type, url, loaderId: by })

t.test('what stays open, or ends without a word', async (t) => {
  const site = 'https://a.test'
  t.ok(isBackground(`blob:${site}/0`, 'Script'))
  t.ok(isBackground(`${site}/worker.js`, 'Script', ''))
  t.ok(isBackground(`${site}/events`, 'EventSource'))
  for (const path of [
    '/socket.io/?EIO=4&transport=polling',
    '/_matrix/client/v3/sync?timeout=30000',
    '/longpoll/7',
    '/api/poll',
    '/db/_changes?feed=longpoll',
  ]) {
    t.ok(isBackground(site + path), path)
  }
})

t.test('what is asked and answered', async (t) => {
  const site = 'https://a.test'
  t.notOk(isBackground(`${site}/app.js`, 'Script'))
  t.notOk(isBackground(`${site}/poll`, 'Document'), 'a page of that name')
  for (const path of ['/api/polls', '/poll/7/votes', '/search?q=timeout', '/?q=/polling/']) {
    t.notOk(isBackground(site + path), path)
  }
})

t.test('answers that go on', async (t) => {
  t.ok(isStreamedAnswer('text/event-stream'))
  t.notOk(isStreamedAnswer('application/json'))
})
