/**
 * An attacker wants all of the host: its memory, its disk, so that nobody else has any. Method: pages
 * that ask for more and more, in a browser of a real service, beside a session of somebody else.
 */
import { createServer } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import t, { type Test } from 'tap'
import type { Page } from 'playwright-core'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { startBystander } from '../../helpers/service/bystander.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'
import { openSocket } from '../../helpers/lib/socket-fate.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({
  env: { POOL_HEADLESS: '1', SESSION_MEMORY_MB: '900', SESSION_DISK_MB: '150' },
})
function* endless() {
  for (const part = Buffer.alloc(2 ** 20, 'x'); ;) yield part
}
const site = createServer(({ url }, response) => {
  if (url === '/')
    return response.setHeader('content-type', 'text/html').end('<title>Greedy</title>')
  // The icon that a browser asks for by itself must not fill its disk, too.
  if (url !== '/endless') return response.writeHead(404).end()
  response.setHeader('content-disposition', 'attachment')
  // The browser that it goes to is ended.
  return pipeline(Readable.from(endless()), response, () => undefined)
})
const siteUrl = `http://127.0.0.1:${await listenOnLoopback(site)}/`
t.teardown(async () => {
  await service.stop()
  await closeServer(site)
})
const beside = await startBystander(service)

const bystander = await createSession(service.rest, headless)

async function greedy(t: Test, ask: (page: Page) => Promise<unknown>) {
  const { rest } = await newKey(service, t.name.replaceAll(' ', '-'), '--allow-private')
  const session = await createSession(rest, headless)
  const socket = await openSocket(session.cdp_url)
  const browser = await connectPlaywright(session.cdp_url)
  const page = browser.contexts()[0]!.pages()[0]!
  await page.goto(siteUrl)
  // It is cut off in the middle of what it asks for.
  void ask(page).catch(() => undefined)
  const data = await until('the session has ended', async () => {
    const { data } = (await rest('GET', `/v1/sessions/${session.id}`)).body
    return data.status === 'failed' && data
  })
  t.equal(await socket.closed, 4013)
  const { rest: others } = service
  t.equal((await others('GET', `/v1/sessions/${bystander.id}`)).body.data.status, 'running')
  return data
}

const fillMemory = `(async () => {
  const held = []
  for (let i = 1; i <= 200; i++) {
    held.push(new Uint8Array(20 * 1024 * 1024).fill(i))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return held.length
})()`

const fillDisk = `(async () => {
  const root = await navigator.storage.getDirectory()
  const file = await root.getFileHandle('large', { create: true })
  const writer = await file.createWritable()
  const part = new Uint8Array(8 * 1024 * 1024).map(() => Math.random() * 256)
  for (let i = 0; i < 200; i++) {
    await writer.write(part)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await new Promise(() => {})
})()`

t.test('memory', async (t) => {
  const session = await greedy(t, (page) => page.evaluate(fillMemory))
  t.match(session, { reason: 'out_of_resources', message: /more than 900 MiB of memory/ })
})

t.test('disk', async (t) => {
  const session = await greedy(t, (page) => page.evaluate(fillDisk))
  t.match(session, { reason: 'out_of_resources', message: /more than 150 MiB of disk/ })
})

t.test('disk, by a download that never ends', async (t) => {
  const session = await greedy(t, (page) => page.evaluate(`location.href = '/endless'`))
  t.match(session, { reason: 'out_of_resources', message: /more than 150 MiB of disk/ })
})

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
