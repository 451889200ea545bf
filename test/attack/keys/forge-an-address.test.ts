/**
 * An attacker has a copy of the store, and wants to forge the `cdp_url` of a session that is not
 * theirs. Method: what the store holds of the secret that signs them, then the secret itself, as if
 * the seal had not held; and the operator who changes it.
 */
import t from 'tap'
import { devKeyId, sessionKey } from '../../../proto/accounts/key.ts'
import { socketCodes } from '../../../gateway/server/closing.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { openSealer, sealedWith } from '../../../runtime/accounts/seal/seal.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { newKey, troupeOf } from '../../helpers/service/keys.ts'
import { LiveSocket } from '../../helpers/gateway/live-socket.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'
import { openSocket } from '../../helpers/lib/socket-fate.ts'
import { openedSecret, storedSecret } from '../../helpers/service/opened-secret.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())

const { policyViolation } = socketCodes

const opened = () => openedSecret(insider, service.dataDir)

const session = await createSession(service.rest, headless)

function forged(secret: string): string {
  const url = new URL(session.cdp_url)
  url.searchParams.set('apiKey', sessionKey(secret, session.id, devKeyId))
  return url.href
}

t.test('what the store holds signs nothing', async (t) => {
  const kept = await storedSecret(insider)
  t.match(kept, /^v1\.[\w-]{8}\./, 'it is sealed')
  for (const secret of [kept, kept.split('.')[2]!, '']) {
    t.equal((await openSocket(forged(secret))).status, 401)
  }
})

t.test('a secret that got out is changed, and what it signed ends', async (t) => {
  const key = await newKey(service, 'own')
  const own = await createSession(key.rest, headless)
  const tokens = `/v1/sessions/${own.id}/tokens`
  const order = { scopes: ['cdp'], ttl_seconds: 600 }
  const { body } = await key.rest<{ data: { cdp_url: string } }>('POST', tokens, order)
  const sockets = [
    await openSocket(forged(await opened())),
    await openSocket(own.cdp_url),
    await openSocket(body.data.cdp_url),
  ]
  for (const { status } of sockets) t.equal(status, 101)
  const watched = await LiveSocket.open(own.live_view_url)
  const byKey = await openSocket(own.cdp_url.replace(/tss_[^&]+/, key.text))
  t.equal(byKey.status, 101)

  const before = await opened()
  await troupeOf(service, 'secret', 'rotate', '--yes')
  t.not(await opened(), before)
  for (const { closed } of sockets) t.equal(await closed, policyViolation)
  t.match(await watched.closed, { code: policyViolation })
  for (const url of [forged(before), own.cdp_url, body.data.cdp_url]) {
    t.equal((await openSocket(url)).status, 401)
  }
  await t.rejects(LiveSocket.open(own.live_view_url), /401/)

  let isOver = false
  void byKey.closed.then(() => (isOver = true))
  const fresh = (await key.rest<{ data: { cdp_url: string } }>('GET', `/v1/sessions/${own.id}`))
    .body
  t.not(fresh.data.cdp_url, own.cdp_url)
  const again = await openSocket(fresh.data.cdp_url)
  t.equal(again.status, 101, 'the session goes on, with another address')
  again.close()
  t.notOk(isOver, 'who came with a key stays')
  byKey.close()
})

t.test('the secret is sealed anew with the other secrets', async (t) => {
  const before = await opened()
  const config = loadConfig({ DATA_DIR: service.dataDir })
  const [old] = openSealer(config).keyIds()
  t.equal(sealedWith(await storedSecret(insider)), old)
  await until('an old key is needed no more', async () => {
    const { stdout } = await troupeOf(service, 'credentials', 'reseal', '--new-key')
    return /re-sealed the secret of the service/.test(stdout)
  })
  t.equal(sealedWith(await storedSecret(insider)), openSealer(config).keyIds()[0])
  t.equal(await opened(), before)
})
