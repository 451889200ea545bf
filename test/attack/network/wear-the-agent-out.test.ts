/**
 * An attacker with a session wants everybody's: all browsers of a host are connected by one process,
 * so they make it fail, or keep it busy. Method: a real service with a name server of ours, a site that
 * never answers, and beside the attacker a session of somebody else.
 */
import { createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { serve } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveNames } from '../../helpers/network/name-server.ts'
import { startBystander } from '../../helpers/service/bystander.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

const connectionsMost = 40

/** Of no machine, so that a connection to it fails in the call that begins it. */
const unreachable = '255.255.255.255'

const names = await serveNames((name) => {
  if (name.endsWith('.slow.example')) return 'silent'
  return name.startsWith('unreachable') ? [unreachable] : ['127.0.0.1']
})
const service = await startService({
  env: {
    POOL_HEADLESS: '1',
    DNS_SERVERS: names.address,
    SESSION_CONNECTIONS: String(connectionsMost),
  },
})
t.teardown(async () => {
  await service.stop()
  names.close()
})
const beside = await startBystander(service)
const agent = service.pidOf('node-agent')
const key = await newKey(service, 'attacker', '--allow-private')

/** A session whose connections the agent makes, also where browsers have no network of their own. */
async function open(t: Test) {
  const network = { allow_private: true, deny: ['denied.example'] }
  const { id, cdp_url: url } = await createSession(key.rest, { ...headless, session: { network } })
  const browser = await connectPlaywright(url)
  const end = async () => {
    await browser.close()
    await key.rest('DELETE', `/v1/sessions/${id}`)
  }
  t.teardown(end)
  return { id, browser, page: browser.contexts()[0]!.pages()[0]!, end }
}

const bystander = await open(t as unknown as Test)
const site = await serve(t as unknown as Test, (_, response) => {
  response.setHeader('content-type', 'text/html').end('<title>Here</title>')
})
const { port } = new URL(site)

/** A name that was not looked up before, in the session of somebody else. */
async function othersAreServed(t: Test, name: string): Promise<void> {
  t.equal((await bystander.page.goto(`http://${name}.example:${port}/`))?.status(), 200)
  t.equal(service.pidOf('node-agent'), agent, 'it is the same agent')
}

t.test('with an address to which no connection can be made', async (t) => {
  const { page } = await open(t)
  await page.goto(`http://page.example:${port}/`)
  for (const scheme of ['http', 'https', 'http']) {
    const seen = await page.evaluate(
      `new Promise((resolve) => {
        const picture = new Image()
        picture.onerror = () => resolve('failed')
        picture.src = '${scheme}://unreachable-${scheme}.example/'
      })`,
    )
    t.equal(seen, 'failed')
  }
  await othersAreServed(t, 'after-unreachable')
})

t.test('with names that nobody answers for', async (t) => {
  const { page } = await open(t)
  await page.goto(`http://page.example:${port}/`)
  await page.evaluate(
    `for (let i = 0; i < 90; i++) new Image().src = 'http://' + i + '.slow.example/'`,
  )
  const slow = () => new Set(names.asked.filter((name) => name.endsWith('.slow.example')))
  await until('more are looked up than a process has threads for it', () => slow().size > 8)
  await othersAreServed(t, 'while-slow')
})

t.test('with connections', async (t) => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => {
    sockets.add(socket)
    socket.resume().on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port: silentPort } = silent.address() as { readonly port: number }
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const { browser, end } = await open(t)
  const refused = async () => {
    const headers = { authorization: `Bearer ${service.key}` }
    const text = await (await fetch(`${service.baseUrl}/metrics`, { headers })).text()
    return Number(/^troupe_browser_connections_refused_total\{.*\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  for (let i = 0; i < 3; i++) {
    const page = await (await browser.newContext()).newPage()
    await page.goto(`http://page.example:${port}/`).catch(() => null)
    await page.evaluate(
      `for (let i = 0; i < 60; i++) {
        fetch('http://' + i + '.silent.example:${silentPort}/', { mode: 'no-cors' }).catch(() => 0)
      }`,
    )
  }
  await until('some are refused, and the operator is told', async () => (await refused()) > 0)
  t.ok(sockets.size > 0 && sockets.size <= connectionsMost, String(sockets.size))
  await othersAreServed(t, 'while-full')
  await end()
  await until('none outlives the session', () => sockets.size === 0)
})

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
