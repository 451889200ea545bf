/**
 * An attacker wants the gateway's memory: sockets on which a message is begun and never finished, as
 * large as the protocol of browsers allows. Method: a real service, frames without an end on each kind
 * of socket that needs no such size.
 */
import { once } from 'node:events'
import t from 'tap'
import WebSocket from 'ws'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { startBystander } from '../../helpers/service/bystander.ts'
import { createSession, startService } from '../../helpers/service/service.ts'

const MiB = 2 ** 20
const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const beside = await startBystander(service)
const { id, live_view_url } = await createSession(service.rest)
const socketBase = service.baseUrl.replace('http', 'ws')

/** Resolves when the service ends the connection; rejects when it has taken all of it. */
async function fill(url: string, bytes: number): Promise<void> {
  const client = new WebSocket(url, { perMessageDeflate: false })
  client.on('error', () => undefined)
  await once(client, 'open')
  const closed = once(client, 'close')
  const part = Buffer.alloc(MiB)
  for (let sent = 0; sent < bytes && client.readyState === client.OPEN; sent += part.length) {
    await new Promise<void>((resolve) => client.send(part, { fin: false }, () => resolve()))
  }
  client.ping()
  const answer = once(client, 'pong').then(() => 'taken')
  const outcome = await Promise.race([closed.then(() => 'closed'), answer])
  client.terminate()
  if (outcome === 'taken') throw new Error(`${bytes} bytes of one message were kept`)
}

t.test('followers of steps and viewers cannot begin what is never finished', async (t) => {
  await t.resolves(fill(`${socketBase}/ws?apiKey=${devKey}&sessionId=${id}`, 2 * MiB))
  const live = live_view_url.replace('http', 'ws').replace('?', '/socket?')
  await t.resolves(fill(live, 32 * MiB))
})

t.test('nor by another spelling of the path', async (t) => {
  const query = `apiKey=${devKey}&sessionId=${id}`
  for (const path of ['//ws', '/ws/']) {
    await t.resolves(fill(`${socketBase}${path}?${query}`, 2 * MiB), path)
  }
})

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
