/**
 * Goal: a session ends at the right time and with the true reason, its sockets close with the code
 * of that reason, and browsers are never given beyond the limit. Limits that are minutes over REST
 * are shortened through the actor.
 */
import t from 'tap'
import { newId } from '../../../proto/ids.ts'
import { devTenant } from '../../../proto/accounts/key.ts'
import { sessionActor } from '../../../proto/session/session-protocol.ts'
import { sessionOptions } from '../../../proto/session/session.ts'
import { connectRaw } from '../../helpers/browser/browsers.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import {
  createSession,
  headless,
  startService,
  type SessionAnswer,
} from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const env = { POOL_HEADLESS: '1', MAX_SESSIONS: '2', QUEUE_SIZE: '1', QUEUE_WAIT_SECONDS: '3' }
const service = await startService({ env })
t.teardown(() => service.stop())
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())
const { rest } = service

const read = async (id: string) => (await rest('GET', `/v1/sessions/${id}`)).body.data
const end = (id: string) => rest('DELETE', `/v1/sessions/${id}`)
const ended = (id: string) =>
  until(`${id} has ended`, async () => {
    const session = await read(id)
    return session.status === 'completed' && session
  })
const inLine = async () => {
  const { body } = await rest<string>('GET', '/metrics')
  return Number(/^troupe_browsers\{[^}]*state="queued"\} (\d+)/m.exec(body)?.[1])
}

/** A session whose limits are fractions of a minute, which REST does not accept. */
async function createShort(limits: { maxDurationMinutes?: number; idleTimeoutMinutes?: number }) {
  const id = newId('ses')
  const options = { ...sessionOptions(headless), ...limits }
  const key = { tenant: devTenant, keyId: 'dev', keyName: 'test' }
  const input = { id, ...key, options, createdAtMs: Date.now() }
  await insider.directory.create(sessionActor, id, input, { untilSettled: true })
  const url = new URL(service.baseUrl.replace('http', 'ws'))
  url.search = String(new URLSearchParams({ apiKey: service.key, sessionId: id }))
  return { id, cdpUrl: url.href }
}

/** A busy machine may be too slow to connect to so short a session: then it tries a longer one. */
async function connectShort(maxDurationMinutes = 0.04) {
  const { id, cdpUrl } = await createShort({ maxDurationMinutes })
  try {
    return { id, client: await connectRaw(cdpUrl) }
  } catch (error) {
    if ((await read(id)).reason !== 'max_duration' || maxDurationMinutes > 1) throw error
    return connectShort(maxDurationMinutes * 3)
  }
}

await t.test('idle: counted from the end of the last connection, not before', async (t) => {
  const { id, cdpUrl } = await createShort({ idleTimeoutMinutes: 0.02 })
  const client = await connectRaw(cdpUrl)
  t.notOk('idle_expires_at' in (await read(id)), 'a connected session has no idle deadline')
  client.close()
  await until('the idle time runs', async () => 'idle_expires_at' in (await read(id)))
  t.equal((await ended(id)).reason, 'idle')
})

await t.test('max_duration: ends a busy session too, its socket closes with 4002', async (t) => {
  const { id, client } = await connectShort()
  const { code, reason } = await client.closed
  t.equal(code, 4002, reason)
  t.equal((await ended(id)).reason, 'max_duration')
})

await t.test('beyond the limit callers queue, beyond the queue they get 429', async (t) => {
  const first = await createSession(rest)
  const second = await createSession(rest)
  const third = createSession(rest)
  await until('the third stands in line', async () => (await inLine()) === 1)
  const refused = await rest<{ error: Record<string, unknown> }>('POST', '/v1/sessions', headless)
  t.equal(refused.status, 429)
  t.match(refused.body.error, { type: 'queue_full', current: 2, limit: 2, position: 2 })
  t.match(refused.headers.get('retry-after'), /^[1-9]\d*$/)
  t.equal((await rest('GET', '/v1/sessions')).status, 200, 'listing works at the limit')
  await end(first.id)
  const { id } = await third
  t.equal((await read(id)).status, 'running')
  await Promise.all([end(second.id), end(id)])
})

await t.test('a caller that waits too long is told so', async (t) => {
  const taken = [await createSession(rest), await createSession(rest)]
  const late = await rest('POST', '/v1/sessions', headless)
  t.equal(late.status, 429)
  t.equal(late.body.error.type, 'queue_timeout')
  await Promise.all(taken.map(({ id }) => end(id)))
})

await t.test('a caller that disconnected is never given a browser', async (t) => {
  const taken = [await createSession(rest), await createSession(rest)]
  const leaving = new AbortController()
  const request = fetch(`${service.baseUrl}/v1/sessions`, {
    method: 'POST',
    headers: { 'service-api-key': service.key },
    signal: leaving.signal,
  })
  await until('it stands in line', async () => (await inLine()) === 1)
  leaving.abort()
  await t.rejects(request)
  await until('the line is empty', async () => (await inLine()) === 0)
  type List = { data: { sessions: SessionAnswer['data'][] } }
  const newest = await rest<List>('GET', '/v1/sessions?sort_order=desc&limit=10')
  t.equal((await ended(newest.body.data.sessions[0]!.id)).reason, 'caller_gone')
  await Promise.all(taken.map(({ id }) => end(id)))
  const next = await createSession(rest)
  await end(next.id)
})

await t.test('draining: a stopping service sends the reason on every socket', async (t) => {
  const client = await connectRaw((await createSession(rest)).cdp_url)
  await insider.close()
  await service.stop()
  const { code, reason } = await client.closed
  t.equal(code, 4012, reason)
})
