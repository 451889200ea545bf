/**
 * An attacker with a session wants what lies beside it: ports of the host, other browsers there, a
 * way to speak to their own browser that nobody reads. Method: one service, a real Chromium, the
 * calls that would give it, in every way of spelling them that Chromium understands.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import t from 'tap'
import { networkExtension } from '../../../node-agent/network/extension.ts'
import { freePort } from '../../../runtime/lib/network/free-port.ts'
import { createSession, startService } from '../../helpers/service/service.ts'
import { connectSpelt, nested, spellings } from '../../helpers/gateway/spelt-cdp.ts'
import { filesBelow } from '../../helpers/files/files-below.ts'
import { until } from '../../helpers/lib/until.ts'

// On the host's network, where a port that a call opens can be seen and DevTools reached.
const service = await startService({ env: { POOL_HEADLESS: '1', NETWORK_ISOLATION: 'off' } })
t.teardown(() => service.stop())
const session = await createSession(service.rest)

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = connect({ host: '127.0.0.1', port })
    probe.once('error', () => resolve(false))
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
  })

t.test('Chromium understands the spellings that are tried here', async (t) => {
  const found = filesBelow(service.dataDir)
  const portFile = found.find((name) => name.endsWith('/DevToolsActivePort'))!
  const [port, path] = readFileSync(portFile, 'utf8').split('\n')
  const cdp = await connectSpelt(`ws://127.0.0.1:${port}${path}`)
  t.teardown(() => cdp.close())
  for (const [name, spell] of Object.entries(spellings)) {
    const text = spell(JSON.stringify({ id: 1, method: 'Browser.getVersion' }))
    t.match(await cdp.say(text), { id: 1, result: { product: /Chrome/ } }, name)
  }
})

t.test('calls that reach past the session are refused, however they are written', async (t) => {
  const cdp = await connectSpelt(session.cdp_url)
  t.teardown(() => cdp.close())
  const { result } = await cdp.say('{"id":1,"method":"Target.getTargets"}')
  const targets = result!['targetInfos'] as { type: string; targetId: string }[]
  const { targetId } = targets.find(({ type }) => type === 'page')!
  const attach = { id: 2, method: 'Target.attachToTarget', params: { targetId } }
  const attached = await cdp.say(JSON.stringify(attach))
  const nestedId = String(attached.result!['sessionId'])
  const port = await freePort('127.0.0.1')
  const calls = [
    { id: 3, method: 'Tethering.bind', params: { port } },
    { id: 3, method: 'Extensions.loadUnpacked', params: { path: networkExtension } },
    { id: 3, method: 'Target.exposeDevToolsProtocol', params: { targetId } },
    {
      id: 3,
      method: 'Target.setRemoteLocations',
      params: { locations: [{ host: '127.0.0.1', port }] },
    },
    { id: 3, method: 'Cast.enable' },
  ]
  for (const call of calls) {
    for (const [name, spell] of Object.entries(spellings)) {
      const text = spell(JSON.stringify(call))
      t.ok((await cdp.say(text)).error, `${call.method}: ${name}`)
      t.ok((await cdp.say(spell(nested(text, nestedId)))).error, `${call.method}: ${name}, nested`)
    }
  }
  t.equal(await listens(port), false)
  const inPage = nested(
    '{"id":5,"method":"Runtime.evaluate","params":{"expression":"typeof cdp"}}',
    nestedId,
  )
  await cdp.say(inPage)
  const message = await until('the page answers', () => {
    const texts = cdp.received.flatMap(({ params }) => params?.message ?? [])
    return texts.find((text) => JSON.parse(text).id === 5)
  })
  t.match(JSON.parse(message), { result: { result: { value: 'undefined' } } })
})
