/**
 * An attacker uploads an extension with every permission that is accepted. They want the host's files,
 * its network past the filter, pages that are not theirs, and other sessions. Method: one service with
 * real browsers, each way tried from within the extension's worker; then hosts with fewer walls.
 */
import { createSocket } from 'node:dgram'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { markerZip } from '../../helpers/extensions/marker.ts'
import { upload, uploaded } from '../../helpers/extensions/uploading.ts'
import { zipOf } from '../../helpers/files/zip.ts'
import { until } from '../../helpers/lib/until.ts'
import { isOwnNetwork, isWalled } from '../../helpers/service/isolation-here.ts'
import { createSession, startService } from '../../helpers/service/service.ts'

const skip = !(isWalled && isOwnNetwork) && 'browsers have no network of their own here'

const guarded = ['debugger', 'management', 'privacy', 'proxy']
const manifest = {
  ...{ manifest_version: 3, name: 'Thief', version: '1' },
  permissions: [...guarded, 'downloads', 'scripting', 'storage', 'tabs', 'offscreen'],
  host_permissions: ['<all_urls>'],
  background: { service_worker: 'worker.js' },
}
const worker = `const caught = async (work) => {
  try { return { got: await work() } } catch (error) { return { refused: String(error) } }
}
const textOf = (url) => fetch(url).then((answer) => answer.text())
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms))`
const thiefZip = zipOf([
  { name: 'manifest.json', text: JSON.stringify(manifest) },
  { name: 'worker.js', text: worker },
  { name: 'page.html', text: '<!doctype html><title>Thief</title>' },
])

/** What an extension wants and must not reach: a server and a file of the host. */
let connections = 0
const server = createServer((_, response) => response.end('reached'))
server.on('connection', () => connections++)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const there = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
let datagrams = 0
const udp = createSocket('udp4').on('message', () => datagrams++)
await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
t.teardown(() => {
  server.close()
  udp.close()
})

/** What the filter answers with. */
const blocked = /^Blocked by the network policy of this session/

interface Tried {
  readonly got?: unknown
  readonly refused?: string
}

async function openThief(t: Test) {
  const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
  t.teardown(() => service.stop())
  const { id } = await uploaded(service, 'thief', thiefZip)
  const session = await createSession(service.rest, {
    session: { network: { allow_private: false } },
    browser: { headless: { active: true }, evaluate: { active: true }, extensions: [id] },
  })
  const client = await connectPlaywright(session.cdp_url)
  t.teardown(() => client.close())
  const context = client.contexts()[0]!
  const own = await until('its worker runs', () => context.serviceWorkers()[0])
  const tried = (code: string) => own.evaluate<Tried>(`caught(async () => { ${code} })`)
  return { service, session, context, tried }
}

t.test('from within a browser with all walls', { skip }, async (t) => {
  const { service, session, context, tried } = await openThief(t)
  const secret = join(service.dataDir, 'secret.txt')
  writeFileSync(secret, 'planted')

  await t.test('no file of the host is there', async (t) => {
    for (const path of [secret, join(service.dataDir, 'seal.key'), '/etc/passwd', '/etc/shadow']) {
      const read = await tried(`return textOf(${JSON.stringify(`file://${path}`)})`)
      t.ok(read.refused, path)
    }
    const opened = await tried(`
      const { id } = await chrome.tabs.create({ url: 'file:///usr' })
      await later(500)
      const [{ result }] = await chrome.scripting.executeScript({
        target: { tabId: id }, func: () => document.body.innerText })
      return result`)
    t.notMatch(opened.got, /bin/, 'nor a tab with what is')
    const settings = await tried(`
      const { id } = await chrome.tabs.create({ url: 'chrome://settings' })
      await later(500)
      return (await chrome.tabs.get(id)).title`)
    t.notMatch(settings.got, /^Settings/)
  })

  await t.test('no connection leaves but through the filter', async (t) => {
    const direct = `chrome.proxy.settings.set({ value: { mode: 'direct' } })`
    const single = `{ scheme: 'http', host: '127.0.0.1', port: ${new URL(there).port} }`
    const other = `chrome.proxy.settings.set({
      value: { mode: 'fixed_servers', rules: { singleProxy: ${single} } } })`
    const script = `chrome.proxy.settings.set({ value: { mode: 'pac_script', pacScript: {
      data: 'function FindProxyForURL() { return "PROXY 127.0.0.1:${new URL(there).port}" }' } } })`
    for (const setting of ['undefined', direct, other, script]) {
      await tried(`await ${setting}`)
      for (const url of [there, 'http://nowhere.invalid/', `${service.baseUrl}/health/ready`]) {
        const { got, refused } = await tried(`return textOf(${JSON.stringify(url)})`)
        t.ok(refused ?? blocked.test(String(got)), `${setting} ${url}`)
      }
    }
    await tried(`await chrome.proxy.settings.clear({})`)
    const ice = `stun:127.0.0.1:${udp.address().port}`
    await tried(`await chrome.privacy.network.webRTCIPHandlingPolicy.set({ value: 'default' })
      await chrome.offscreen.createDocument({
        url: 'page.html', reasons: ['WEB_RTC'], justification: 'to leave' })`)
    const pages = context.pages()
    await pages[0]!.evaluate(`(async () => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: ${JSON.stringify(ice)} }] })
      peer.createDataChannel('x')
      await peer.setLocalDescription(await peer.createOffer())
      await new Promise((resolve) => setTimeout(resolve, 500))
    })()`)
    const removed = await tried(`
      const all = (await chrome.management.getAll()).filter(({ id }) => id !== chrome.runtime.id)
      for (const { id } of all) await caught(() => chrome.management.setEnabled(id, false))
      return [all.length, await caught(() => textOf(${JSON.stringify(there)}))]`)
    t.match(removed.got, [Number, { got: blocked }])
    t.equal(connections, 0)
    t.equal(datagrams, 0)
  })

  await t.test('the debugger gives no more than a client has', async (t) => {
    await service.rest('POST', `/v1/sessions/${session.id}/scripts`, { code: '() => 1' })
    const found = await tried(`return chrome.debugger.getTargets()`)
    const targets = found.got as readonly { readonly url: string; readonly id: string }[]
    t.ok(targets.length > 0)
    const call = (method: string, params: object) => `
      const [tab] = await chrome.tabs.query({})
      const target = { tabId: tab.id }
      await caught(() => chrome.debugger.attach(target, '1.3'))
      return chrome.debugger.sendCommand(target, ${JSON.stringify(method)}, ${JSON.stringify(params)})`
    for (const [method, params] of [
      ['Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/tmp' }],
      ['Extensions.loadUnpacked', { path: '/tmp' }],
      ['Tethering.bind', { port: 7 }],
      ['SystemInfo.getInfo', {}],
      ['Browser.getBrowserCommandLine', {}],
    ] as const) {
      t.match(await tried(call(method, params)), { refused: String }, method)
    }
    await tried(call('Page.navigate', { url: there }))
    await tried(call('Page.navigate', { url: `file://${secret}` }))
    const shown = await tried(
      call('Runtime.evaluate', { expression: 'document.documentElement.innerText' }),
    )
    t.notMatch(JSON.stringify(shown), /planted|reached/)
    t.equal(connections, 0)
  })

  await t.test('downloads stay in their folder', async (t) => {
    const save = (filename: string) =>
      tried(`return chrome.downloads.download({
        url: 'data:text/plain,x', filename: ${JSON.stringify(filename)} })`)
    for (const name of ['../out.txt', '/tmp/out.txt', '~/out.txt/../../x']) {
      t.match(await save(name), { refused: String }, name)
    }
  })
})

t.test('a host whose browsers share its network', { skip: !isWalled }, async (t) => {
  const service = await startService({ env: { POOL_HEADLESS: '1', NETWORK_ISOLATION: 'off' } })
  t.teardown(() => service.stop())
  const { id, needs_own_network: needs } = await uploaded(service, 'thief', thiefZip)
  t.same(needs, guarded)
  const marker = await uploaded(service, 'marker', markerZip())
  const create = (extensions: readonly string[]) =>
    service.rest('POST', '/v1/sessions', {
      browser: { headless: { active: true }, extensions },
    })
  t.match((await create([id])).body.error, {
    type: 'unsupported_option',
    message: /Thief: .*debugger and management and privacy and proxy: .+/,
  })
  t.match(await create([marker.id]), { status: 200 })
})

t.test('programs of the host are for no extension', async (t) => {
  const service = await startService({ env: { POOL_HEADLESS: '0' } })
  t.teardown(() => service.stop())
  for (const [change, message] of [
    [{ permissions: ['nativeMessaging'] }, /nativeMessaging/],
    [{ host_permissions: ['file:///*'] }, /file:/],
  ] as const) {
    const { status, body } = await upload(service, 'thief', markerZip(change))
    t.equal(status, 400)
    t.match(body.error.message, message)
  }
})
