/**
 * Goal: the browser of a session has the extensions that it names, from the first byte of its first
 * page on, in pages, frames, pop-ups and contexts of a client; no other session has them.
 * Method: the whole service with real browsers, with a display and without, and unmodified clients.
 */
import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import { connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { markerFiles, markerZip } from '../../helpers/extensions/marker.ts'
import { upload, uploaded } from '../../helpers/extensions/uploading.ts'
import { zipOf } from '../../helpers/files/zip.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { isOwnNetwork, isWalled } from '../../helpers/service/isolation-here.ts'
import { newKey } from '../../helpers/service/keys.ts'
import {
  createSession,
  startService,
  type ErrorJson,
  type Rest,
} from '../../helpers/service/service.ts'

const skip = !isWalled && 'browsers see the files of this machine'

const asked: string[] = []
const server = createServer(({ url = '' }, response) => {
  asked.push(url)
  response.setHeader('content-type', 'text/html')
  response.end(url === '/' ? page : '<!doctype html><title>Other</title>')
})
const port = await listenOnLoopback(server)
t.teardown(() => closeServer(server))
const site = `http://localhost:${port}/`
const page = `<!doctype html><title>Page</title>
  <script>const first = document.documentElement.dataset.marked</script>
  <iframe src="http://127.0.0.1:${port}/frame"></iframe>
  <script>const tried = fetch('/unwanted').then(() => 'loaded', () => 'blocked')</script>`

const service = await startService()
t.teardown(() => service.stop())
const marker = await uploaded(service, 'marker', markerZip())

const bodyOf = (extensions: readonly string[], active = true, more: object = {}) => ({
  session: { initial_url: site },
  browser: { headless: { active }, extensions, ...more },
})

async function open(t: Test, body: object) {
  const { id, cdp_url: url } = await createSession(service.rest, body)
  const end = () => service.rest('DELETE', `/v1/sessions/${id}`)
  t.teardown(end)
  const client = await connectPlaywright(url)
  t.teardown(() => client.close())
  const context = client.contexts()[0]!
  const [first] = context.pages()
  await first!.waitForURL(site)
  return { id, url, client, context, page: first!, end }
}

const marked = 'document.documentElement.dataset.marked'
const workerUrl = `chrome-extension://${marker.chromium_id}/worker.js`

for (const active of [true, false]) {
  const how = active ? 'headless' : 'headful'
  t.test(`an extension works from the first byte, everywhere, ${how}`, { skip }, async (t) => {
    const { context, client, page } = await open(t, bodyOf([marker.id], active))
    t.equal(await page.evaluate('first'), '1.2', 'before the first script of the initial page')
    t.equal(await page.evaluate('tried'), 'blocked')
    t.notOk(asked.includes('/unwanted'))
    const frame = page.frames().find((one) => one.url().endsWith('/frame'))!
    t.equal(await frame.evaluate(marked), '1.2', 'in a frame of another site')
    const popup = context.waitForEvent('page')
    await page.evaluate(`open('/popup', '', 'width=400,height=400')`)
    const opened = await popup
    await opened.waitForURL(/popup/)
    t.equal(await opened.evaluate(marked), '1.2', 'in a pop-up')
    const own = await client.newContext()
    const ownPage = await own.newPage()
    await ownPage.goto(site)
    t.equal(await ownPage.evaluate('first'), '1.2', 'in a context of the client')
    await own.close()
    const worker = await until('a client finds its worker', () =>
      context.serviceWorkers().find((one) => one.url() === workerUrl),
    )
    await until('it has counted', async () => Number(await worker.evaluate('marks()')) >= 4)
    const shown = await context.newPage()
    await shown.goto(`chrome-extension://${marker.chromium_id}/popup.html`)
    t.equal(await shown.textContent('h1'), 'Marks pages')
  })
}

t.test('no other session has it', { skip }, async (t) => {
  const { context, page } = await open(t, bodyOf([]))
  t.notOk(await page.evaluate(marked))
  t.equal(await page.evaluate('tried'), 'loaded')
  t.same(context.serviceWorkers(), [])
})

t.test('clients find it by its name, and load none by a path', { skip }, async (t) => {
  const { url } = await open(t, bodyOf([marker.id]))
  const client = await connectRaw(url)
  t.teardown(() => client.close())
  const { extensions } = await client.send<{ extensions: unknown }>('Extensions.getExtensions')
  const [id, name, version] = [marker.chromium_id, 'Marker', '1.2']
  t.same(extensions, [{ id, name, version, path: '', enabled: true }])
  await t.rejects(client.send('Extensions.loadUnpacked', { path: '/tmp' }), {
    message: /POST \/v1\/extensions/,
  })
  await t.rejects(client.send('Extensions.uninstall', { id }), { message: /not for clients/ })
})

t.test('what it has stored is kept with a profile', { skip }, async (t) => {
  const profile = { profile: { name: 'marks', persist: true } }
  const first = await open(t, bodyOf([marker.id], true, profile))
  const countOf = async ({ context }: typeof first) => {
    const worker = () => context.serviceWorkers().find((one) => one.url() === workerUrl)
    const found = await until('its worker runs', worker)
    return Number(await found.evaluate('marks()'))
  }
  const before = await until('it has counted', () => countOf(first))
  await first.end()
  const second = await open(t, bodyOf([marker.id], true, profile))
  t.ok((await until('it has counted more', () => countOf(second))) >= before)
  await until('it goes on from there', async () => (await countOf(second)) > before)
})

t.test('an agent is killed, and the browser still has it', { skip }, async (t) => {
  const { url } = await open(t, bodyOf([marker.id]))
  await service.strike('node-agent')
  const client = await until('a client gets through', () =>
    connectPlaywright(url).catch(() => undefined),
  )
  t.teardown(() => client.close())
  const next = await client.contexts()[0]!.newPage()
  // Until the next agent has opened the way out again, pages do not load.
  await until('a page loads', () => next.goto(site).catch(() => undefined))
  t.equal(await next.evaluate('first'), '1.2')
})

interface ListAnswer {
  readonly data: readonly { readonly id: string }[]
  readonly error: ErrorJson
}

const refusalOf = async (rest: Rest, body: object) => {
  const { status, body: answer } = await rest('POST', '/v1/sessions', body)
  return { status, message: answer.error?.message }
}

t.test('another tenant cannot name it, and a deleted one cannot be named', { skip }, async (t) => {
  const { rest } = await newKey(service, 'stranger')
  t.same((await rest<ListAnswer>('GET', '/v1/extensions')).body.data, [])
  const none = 'ext_00000000000000000000000000'
  const messages = await Promise.all(
    [marker.id, none].map(async (id) => {
      const { status, message } = await refusalOf(rest, bodyOf([id]))
      t.equal(status, 404)
      return message!.replace(id, 'ID')
    }),
  )
  t.equal(messages[0], messages[1])
  for (const method of ['GET', 'DELETE']) {
    const answers = await Promise.all(
      [marker.id, none].map((id) => rest<ListAnswer>(method, `/v1/extensions/${id}`)),
    )
    t.match(answers, [{ status: 404 }, { status: 404 }])
  }
  const { id } = await uploaded(service, 'short-lived', markerZip())
  const { body } = await service.rest<ListAnswer>('GET', '/v1/extensions')
  t.same(
    body.data.map((one) => one.id),
    [marker.id, id],
  )
  t.same(await service.rest('DELETE', `/v1/extensions/${id}`).then((answer) => answer.body), {
    data: { data: { status: 'success' } },
  })
  t.match(await refusalOf(service.rest, bodyOf([id])), { status: 404, message: /no extension/ })
})

t.test('what Chromium refuses is told in its words, and leaves no session', { skip }, async (t) => {
  const modern = await uploaded(service, 'modern', markerZip({ minimum_chrome_version: '999' }))
  t.match(await refusalOf(service.rest, bodyOf([modern.id])), {
    status: 400,
    message: /Chromium does not load the extension Marker: .*999/,
  })
  const twin = await uploaded(service, 'marker', markerZip())
  t.equal(twin.chromium_id, marker.chromium_id, 'the same name has the same id')
  t.match(await refusalOf(service.rest, bodyOf([marker.id, twin.id])), {
    status: 400,
    message: /same id in Chromium/,
  })
  t.match(await upload(service, 'none', zipOf(markerFiles().slice(1))), {
    status: 400,
    body: { error: { message: /no manifest\.json/ } },
  })
})

t.test('from a terminal: a folder is uploaded, listed and deleted', { skip }, async (t) => {
  const files = markerFiles().map(({ name, text = '' }) => [name, text] as const)
  const folder = t.testdir(Object.fromEntries(files))
  const env = { SVC_BASE: service.baseUrl, SVC_API_KEY: service.key }
  const troupe = (...args: string[]) => runTroupe(['extensions', ...args], env)
  const added = await troupe('add', 'from a folder', folder)
  t.match(added, { code: 0, stdout: /^ext_\w+\n$/ })
  const id = added.stdout.trim()
  t.match((await troupe('list')).stdout, new RegExp(`${id} +from a folder +Marker 1\\.2`))
  const session = await open(t, bodyOf([id]))
  t.equal(await session.page.evaluate('first'), '1.2')
  t.match(await troupe('remove', id, '--yes'), { code: 0 })
  t.notMatch((await troupe('list')).stdout, id)
  t.match(await troupe('add', 'x', '/nowhere'), { code: 1, stderr: /cannot be read/ })
})

t.test('one that debugs pages takes no room on a desktop', { skip: !isOwnNetwork }, async (t) => {
  const debugging = markerZip({
    permissions: ['debugger', 'storage', 'tabs', 'declarativeNetRequest'],
  })
  const { id } = await uploaded(service, 'debugging', debugging)
  const { context, page } = await open(t, bodyOf([id], false))
  const worker = await until('its worker runs', () => context.serviceWorkers()[0])
  const height = await page.evaluate('innerHeight')
  await worker.evaluate(`chrome.tabs.query({}).then(([tab]) =>
    chrome.debugger.attach({ tabId: tab.id }, '1.3'))`)
  await page.evaluate(`(async () => {
    for (let i = 0; i < 30; i++) await new Promise(requestAnimationFrame)
  })()`)
  t.equal(await page.evaluate('innerHeight'), height)
})
