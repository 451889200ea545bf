/**
 * Goal: SIGKILL of any one process of the service loses nothing that could be kept, and the client
 * is told truthfully what was lost. The browser of a session is lost with its own process; everything
 * else comes back.
 */
import t from 'tap'
import { browserPid, connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { isRunning, processesNaming } from '../../helpers/lib/processes.ts'
import {
  createSession,
  isReady,
  startService,
  type SessionJson,
} from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const env = { POOL_HEADLESS: '2' }
const service = await startService({ env })
t.teardown(() => service.stop())

let created = 0
const create = () => {
  created++
  return createSession(service.rest)
}

async function read(id: string): Promise<SessionJson> {
  return (await service.rest('GET', `/v1/sessions/${id}`)).body.data
}

const ready = () => until('the service is ready', () => isReady(service.rest))

await t.test('Chromium: the socket closes with 4010 and the session has failed', async (t) => {
  const { id, cdp_url } = await create()
  const client = await connectRaw(cdp_url)
  process.kill(await browserPid(client), 'SIGKILL')
  const { code, reason } = await client.closed
  t.equal(code, 4010, reason)
  const session = await until('the session has failed', async () => {
    const session = await read(id)
    return session.status === 'failed' && session
  })
  t.equal(session.reason, 'browser_crashed')
})

for (const [program, name, mark] of [
  ['actors', 'actor host', 42],
  ['node-agent', 'node agent', 44],
] as const) {
  await t.test(`${name}: the CDP connection is unaffected, the session goes on`, async (t) => {
    const { id, cdp_url } = await create()
    const browser = await connectPlaywright(cdp_url)
    const page = browser.contexts()[0]!.pages()[0]!
    await page.evaluate(`globalThis.mark = ${mark}`)
    await service.strike(program)
    t.equal(await page.evaluate('globalThis.mark'), mark)
    t.equal((await read(id)).status, 'running')
    await ready()
    const next = await create()
    await browser.close()
    for (const made of [id, next.id]) {
      t.equal((await service.rest('DELETE', `/v1/sessions/${made}`)).status, 200)
    }
  })
}

await t.test('an actor host that hangs is replaced, and the session goes on', async (t) => {
  const { id } = await create()
  const hung = service.pidOf('actors')
  process.kill(hung, 'SIGSTOP')
  t.teardown(() => isRunning(hung) && process.kill(hung, 'SIGCONT'))
  const session = await until('another one answers for it', async () => {
    const { status, body } = await service.rest('GET', `/v1/sessions/${id}`)
    return status === 200 && !isRunning(hung) && body.data
  })
  t.equal(session.status, 'running')
  t.match(service.output(), /actors.*it did not answer for \d+ s and was ended/s)
  t.equal((await service.rest('DELETE', `/v1/sessions/${id}`)).status, 200)
})

await t.test('nats-server: connections and sessions survive it', async (t) => {
  const { id, cdp_url } = await create()
  const browser = await connectPlaywright(cdp_url)
  const page = browser.contexts()[0]!.pages()[0]!
  await page.evaluate('globalThis.mark = 43')
  await service.strike('nats-server')
  t.equal(await page.evaluate('globalThis.mark'), 43)
  await until('it is told that it is back', () =>
    /! nats-server +ended \(killed by SIGKILL\).*\n(.*\n)*.*✓ nats-server +up/.test(
      service.output(),
    ),
  )
  await ready()
  const session = await until('the session answers', async () => {
    const { status, body } = await service.rest('GET', `/v1/sessions/${id}`)
    return status === 200 && body.data
  })
  t.equal(session.status, 'running')
  await browser.close()
  await service.rest('DELETE', `/v1/sessions/${id}`)
})

await t.test('gateway: the socket drops, the same URL attaches again', async (t) => {
  const { id, cdp_url } = await create()
  const client = await connectRaw(cdp_url)
  await client.send('Runtime.evaluate', {}).catch(() => undefined) // Any answer will do.
  await service.strike('gateway')
  await client.closed
  await ready()
  const second = await connectRaw(cdp_url)
  t.ok(await second.send('Browser.getVersion'))
  second.close()
  t.equal((await read(id)).status, 'running')
  await service.rest('DELETE', `/v1/sessions/${id}`)
})

await t.test(
  'troupe up: nothing runs 5 s later, and the next start knows every session that it had',
  async (t) => {
    const { id } = await create()
    process.kill(service.pid, 'SIGKILL')
    await until('everything is gone', () => processesNaming(service.dataDir).length === 0)
    const again = await startService({ dataDir: service.dataDir, env })
    const session = await until('the session is lost', async () => {
      const { body } = await again.rest('GET', `/v1/sessions/${id}`)
      return body.data?.status === 'lost' && body.data
    })
    t.equal(session.reason, 'node_lost')
    await until('every session made before is listed', async () => {
      const list = await again.rest<{ data: { total: number } }>('GET', '/v1/sessions')
      return list.body.data.total === created
    })
    await again.stop()
  },
)
