/**
 * Somebody whose key is revoked wants to go on: by the sockets that are open, by the `cdp_url` and the
 * links that they have copied, by a link that was to be good for ten seconds. Method: a real service
 * and Chromium, keys made and revoked by the command line, plain sockets.
 */
import t from 'tap'
import { socketCodes } from '../../../gateway/server/closing.ts'
import { newKey, troupeOf } from '../../helpers/service/keys.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'
import { openSocket } from '../../helpers/lib/socket-fate.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())

const { policyViolation } = socketCodes

t.test('revoking a key cuts off what is connected with it, and it alone', async (t) => {
  const [theirs, ours] = [await newKey(service, 'leaked'), await newKey(service, 'kept')]
  const session = await createSession(theirs.rest, headless)
  const path = `/v1/sessions/${session.id}`
  const { body } = await ours.rest<{ data: { cdp_url: string; live_view_url: string } }>(
    'GET',
    path,
  )
  const ws = (key: string) =>
    `${service.baseUrl.replace('http', 'ws')}/ws?apiKey=${key}&sessionId=${session.id}`

  const bad = [await openSocket(session.cdp_url), await openSocket(ws(theirs.text))]
  const good = [await openSocket(body.data.cdp_url), await openSocket(ws(ours.text))]
  for (const { status } of [...bad, ...good]) t.equal(status, 101)
  const watched = await LiveSocket.open(session.live_view_url)
  const watching = await LiveSocket.open(body.data.live_view_url)

  await troupeOf(service, 'keys', 'revoke', theirs.id)
  for (const { closed } of bad) t.equal(await closed, policyViolation)
  t.match(await watched.closed, { code: policyViolation, reason: /^key_over/ })
  for (const url of [session.cdp_url, ws(theirs.text)]) t.equal((await openSocket(url)).status, 401)
  await t.rejects(LiveSocket.open(session.live_view_url), /401/)
  const listing = session.cdp_url.replace('ws:', 'http:').replace('/?', '/json/list?')
  t.equal((await fetch(listing)).status, 401)

  const again = await openSocket(body.data.cdp_url)
  t.equal(again.status, 101, 'the session goes on for another key of its tenant')
  again.close()
  for (const { close } of good) close()
  t.equal(watching.told[0]?.['type'], 'hello')
  watching.close()
  const { stdout } = await troupeOf(service, 'keys', 'revoke', theirs.id, '--end-sessions')
  t.match(stdout, `ended ${session.id}`)
  await until('the session has ended', async () => {
    const { body } = await ours.rest<{ data: { status: string } }>('GET', path)
    return body.data.status === 'completed'
  })
  t.match(
    (await troupeOf(service, 'keys', 'revoke', theirs.id, '--end-sessions')).stdout,
    /no sessions/,
  )
})

t.test('a key cannot be put in the place of another in a cdp_url', async (t) => {
  const [one, two] = [await newKey(service, 'one'), await newKey(service, 'two')]
  const session = await createSession(one.rest, headless)
  t.match(session.cdp_url, `tss_${one.id}_`)
  for (const other of [two.id, 'dev', '']) {
    const forged = session.cdp_url.replace(`tss_${one.id}`, `tss_${other}`)
    t.equal((await openSocket(forged)).status, 401, other)
  }
  await one.rest('DELETE', `/v1/sessions/${session.id}`)
})

t.test('a link to the live view ends when it says, or when all links are ended', async (t) => {
  const key = await newKey(service, 'links')
  const session = await createSession(key.rest, headless)
  const path = `/v1/sessions/${session.id}/live-tokens`
  const wish = { mode: 'control', ttl_seconds: 10 }
  const { body } = await key.rest<{ data: { live_view_url: string } }>('POST', path, wish)
  const short = await LiveSocket.open(body.data.live_view_url)
  const lasting = await LiveSocket.open(session.live_view_url)
  t.match(await short.closed, { code: policyViolation, reason: /^link_over/ })
  t.notOk(
    short.told.some(({ type }) => type === 'token'),
    'nothing was given that opens it again',
  )
  await t.rejects(LiveSocket.open(body.data.live_view_url), /401/)

  t.match(await key.rest('DELETE', path), { status: 200 })
  t.match(await lasting.closed, { code: policyViolation, reason: /^link_over/ })
  await t.rejects(LiveSocket.open(session.live_view_url), /401/)
  const fresh = await until('there is a link that is good', async () => {
    const { body } = await key.rest<{ data: { live_view_url: string } }>(
      'GET',
      `/v1/sessions/${session.id}`,
    )
    return LiveSocket.open(body.data.live_view_url).catch(() => undefined)
  })
  fresh.close()
  const other = await newKey(service, 'stranger')
  t.match(await other.rest('DELETE', `/v1/sessions/ses_nothing/live-tokens`), { status: 404 })
  await key.rest('DELETE', `/v1/sessions/${session.id}`)
  t.match(await key.rest('DELETE', path), { status: 410 })
})
