/**
 * A guest who may only watch has the link to a live view, and so the id of the session. They want to read
 * the steps of its tasks, which name pages, reasons and what was typed. Method: a real service, a session
 * made as any client makes one and one made as the official SDK does, plain sockets.
 */
import t from 'tap'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { RecordClient } from '../../helpers/gateway/record-socket.ts'
import { createSession, startService, type SessionAnswer } from '../../helpers/service/service.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const ws = `${service.baseUrl.replace('http', 'ws')}/ws`

t.test('the id in a link opens no steps', async (t) => {
  const { id, live_view_url } = await createSession(service.rest)
  t.match(live_view_url, id)
  await t.rejects(RecordClient.open(`${ws}?sessionId=${id}`), /401/)
  const keyed = await RecordClient.open(`${ws}?sessionId=${id}&apiKey=${devKey}`)
  keyed.drop()
  await service.rest('DELETE', `/v1/sessions/${id}`)
})

t.test('that of a session of the SDK does so on this machine, not through a proxy', async (t) => {
  const answer = await fetch(`${service.baseUrl}/v1/sessions`, {
    method: 'POST',
    headers: { 'anchor-api-key': devKey, 'content-type': 'application/json' },
    body: JSON.stringify({ browser: { headless: { active: true } } }),
  })
  const { data } = (await answer.json()) as SessionAnswer
  const url = `${ws}?sessionId=${data.id}`
  const near = await RecordClient.open(url)
  near.drop()
  const forwarded = { 'x-forwarded-for': '192.0.2.7' }
  await t.rejects(RecordClient.open(url, forwarded), /401/)
})
