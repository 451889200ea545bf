/**
 * An attacker with a session wants everybody's: all browsers of a host are connected by one process,
 * so they make it fail, or keep it busy. Method: a real service with a name server of ours, a site that
 * never answers, a program in the place of a browser, and beside the attacker a session of somebody else.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { sandboxPorts } from '../../../runtime/browser-host/isolation/own-network.ts'
import {
  browserProfile,
  connectPlaywright,
  connectRaw,
  devtoolsOf,
} from '../../helpers/browser/browsers.ts'
import { descendantsOf } from '../../helpers/lib/processes.ts'
import { serve } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveNames } from '../../helpers/network/name-server.ts'
import { startBystander } from '../../helpers/service/bystander.ts'
import { isOwnNetwork } from '../../helpers/service/isolation-here.ts'
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
  return { id, url, browser, page: browser.contexts()[0]!.pages()[0]!, end }
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

/** A program opens so many connections, as fast as it can, and leaves each with half a request. */
const flood = `
  let left = 20_000
  let open = 0
  const next = () => {
    while (open < 1_500 && left > 0) {
      left--
      open++
      const socket = require('node:net').connect(${sandboxPorts.proxyPort}, '127.0.0.1')
      const late = setTimeout(() => socket.destroy(), 1_000)
      socket.on('error', () => undefined).once('connect', () => socket.write(Buffer.from([5, 9])))
      socket.once('close', () => {
        clearTimeout(late)
        open--
        next()
      })
    }
  }
  next()
`

t.test(
  'with 20,000 connections of a program in the place of a browser',
  { skip: !isOwnNetwork && 'browsers share the network of the host' },
  async (t) => {
    const { url } = await open(t)
    const taken = await insideOf(url)
    const entered = [`--target=${taken}`, '--user', '--preserve-credentials', '--net']
    const program = spawn('nsenter', [...entered, process.execPath, '-e', flood], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = once(program, 'exit')
    await othersAreServed(t, 'while-flooded')
    t.same(await ended, [0, null])
    await othersAreServed(t, 'after-the-flood')
  },
)

/** A process in the network of the session's browser. */
async function insideOf(url: string): Promise<number> {
  const client = await connectRaw(url)
  const address = (await devtoolsOf(await browserProfile(client)))!
  client.close()
  const [, socket] = /^ws\+unix:([^:]+):/.exec(address)!
  const relays = descendantsOf(agent).filter(({ command }) => command.startsWith('socat '))
  return relays.find(({ command }) => command.includes(socket!))!.pid
}

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))

t.test('the end of that process is the end of its connections, and of no session', async (t) => {
  const egress = () => descendantsOf(agent).find(({ command }) => /egress\.js/.test(command))?.pid
  const { page } = bystander
  await othersAreServed(t, 'before-the-end')
  for (let round = 0; round < 3; round++) {
    const before = egress()!
    process.kill(before, 'SIGKILL')
    await othersAreServed(t, `after-the-end-${round}`)
    t.not(egress(), before)
    t.equal(await page.evaluate('document.title'), 'Here', 'the client is still attached')
    const denied = await page.goto(`http://denied.example:${port}/`)
    t.equal(denied?.status(), 403, 'with the same rules')
  }
})
