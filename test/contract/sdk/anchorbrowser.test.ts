/**
 * Goal: the official SDK of the browser-service contract works unmodified, with only its base URL
 * changed.
 */
import Anchorbrowser, {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'anchorbrowser'
import { VERSION } from 'anchorbrowser/version'
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { startService, troupe, type Service } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage, type WebPage } from '../../helpers/pages/web-page.ts'

let service: Service
let site: WebPage
let client: Anchorbrowser

t.before(async () => {
  site = await serveWebPage()
  service = await startService()
  client = new Anchorbrowser({ apiKey: service.key, baseURL: service.baseUrl })
})
t.teardown(async () => {
  await service.stop()
  await site.close()
})

t.test('it is the version that the contract was read from', async (t) => {
  t.equal(VERSION, '0.16.3')
})

t.test('sessions: created, read, listed, ended, one and all', async (t) => {
  const options = { session: { tags: ['blue'], timeout: { idle_timeout: 2, max_duration: 3 } } }
  const { data: created } = await client.sessions.create(options)
  t.match(created, { id: /^ses_/, cdp_url: /^ws:/, live_view_url: /^http:/ })
  const id = created!.id!

  const { data: read } = await client.sessions.retrieve(id)
  t.match(read, { session_id: id, status: 'running', tags: ['blue'], credits_used: 0, steps: [] })
  t.match(read!.configuration, { session: { timeout: { idle_timeout: 2, max_duration: 3 } } })

  // Lists may lag behind the session for a moment.
  await until('it is listed as running', async () => {
    const { data: all } = await client.sessions.all.status()
    return all!.items!.find((item) => item.session_id === id)?.status === 'running'
  })

  t.same(await client.sessions.delete(id), { data: { status: 'success' } })
  t.same(await client.sessions.delete(id), { data: { status: 'success' } }, 'a second time too')
  await until('it has ended', async () => {
    return (await client.sessions.retrieve(id)).data!.status === 'completed'
  })

  const others = [await client.sessions.create(null), await client.sessions.create({})]
  t.same(await client.sessions.all.delete(), { data: { status: 'success' } })
  for (const { data } of others) {
    await until('it has ended with all', async () => {
      return (await client.sessions.retrieve(data!.id!)).data!.status === 'completed'
    })
  }
})

t.test('browser.connect and browser.create drive a page', async (t) => {
  const { data } = await client.sessions.create()
  const connected = await client.browser.connect(data!.id!)
  const page = connected.contexts()[0]!.pages()[0]!
  await page.goto(site.url)
  t.equal(await page.title(), 'Troupe test page')
  await connected.close()
  t.equal(
    (await client.sessions.retrieve(data!.id!)).data!.status,
    'running',
    'closing only leaves',
  )
  await client.sessions.delete(data!.id!)

  const created = await client.browser.create()
  t.equal(created.contexts().length, 1)
  await created.close()
  await client.sessions.all.delete()
})

t.test('profiles: made of a session, listed, begun with, and deleted', async (t) => {
  const { data } = await client.sessions.create({
    browser: { headless: { active: true }, profile: { name: 'shop', persist: true } },
  })
  const session_id = data!.id!
  const order = { name: 'copy', description: 'of now', source: 'session', session_id } as const
  t.same(await client.profiles.create(order), { data: { status: 'success' } })
  await client.sessions.delete(session_id)
  const { data: listed } = await client.profiles.list()
  t.match(listed, { count: 2, items: [{ name: 'copy' }, { name: 'shop', session_id }] })
  const { data: one } = await client.profiles.retrieve('copy')
  t.match(one, { name: 'copy', description: 'of now', source: 'session', status: 'ready' })
  const next = await client.sessions.create({ browser: { profile: { name: 'shop' } } })
  t.match((await client.sessions.retrieve(next.data!.id!)).data, { status: 'running' })
  await client.sessions.all.delete()
  for (const name of ['copy', 'shop']) {
    t.same(await client.profiles.delete(name), { data: { status: 'success' } })
    const gone = await client.profiles.retrieve(name).catch((error: unknown) => error)
    t.ok(gone instanceof NotFoundError)
  }
})

t.test('files: uploaded, for agents too, and downloads retrieved', async (t) => {
  const { data } = await client.sessions.create({ browser: { headless: { active: true } } })
  const id = data!.id!
  const file = () => new File(['content'], 'notes.txt')
  const uploaded = await client.sessions.uploadFile(id, { file: file() })
  t.match(uploaded, { data: { status: 'success', message: /notes.txt/ } })
  const given = await client.sessions.agent.files.upload(id, { file: file() })
  t.match(given, { data: { status: 'success', message: String } })

  const browser = await client.browser.connect(id)
  const page = browser.contexts()[0]!.pages()[0]!
  await page.evaluate(`Object.assign(document.createElement('a'), {
    href: 'data:text/plain,saved', download: 'saved.txt',
  }).click()`)
  const item = await until('it is downloaded', async () => {
    const { data } = await client.sessions.retrieveDownloads(id)
    return data!.count === 1 && data!.items!.find(({ size }) => size === 5)
  })
  t.match(item, { id: String, suggested_file_name: 'saved.txt', duration: Number })
  const bytes = await until('it is whole', async () => {
    const response = await fetch(item.file_link!, { headers: { 'anchor-api-key': service.key } })
    return response.ok && (await response.text())
  })
  t.equal(bytes, 'saved')
  await browser.close()
  await client.sessions.all.delete()
})

t.test('a base URL that ends with a slash works too', async (t) => {
  const slashed = new Anchorbrowser({ apiKey: service.key, baseURL: `${service.baseUrl}/` })
  const browser = await slashed.browser.create()
  t.equal(browser.contexts()[0]!.pages().length, 1)
  await browser.close()
  await client.sessions.all.delete()
})

t.test('errors are of the SDK’s classes, with our messages', async (t) => {
  const refused = async (promise: Promise<unknown>) =>
    promise.then(
      () => t.fail('it was not refused'),
      (error: unknown) => error,
    )
  const wrongKey = new Anchorbrowser({ apiKey: 'wrong', baseURL: service.baseUrl })
  t.ok((await refused(wrongKey.sessions.create())) instanceof AuthenticationError)
  const unknown = await refused(client.sessions.retrieve('ses_00000000000000000000000000'))
  t.ok(unknown instanceof NotFoundError)
  t.match(unknown, {
    error: { error: { code: 404, message: 'There is no session with this id.' } },
  })
  const bad = await refused(
    client.sessions.create({ browser: { captcha_solver: { active: true } } }),
  )
  t.ok(bad instanceof BadRequestError)
  const foreign = new Anchorbrowser({
    apiKey: service.key,
    baseURL: service.baseUrl,
    defaultHeaders: { origin: 'https://evil.example' },
  })
  t.ok((await refused(foreign.sessions.create())) instanceof PermissionDeniedError)

  const limited = new Anchorbrowser({ apiKey: keyForOne(), baseURL: service.baseUrl })
  await limited.sessions.create()
  const tooMany = await refused(limited.sessions.create())
  t.ok(tooMany instanceof RateLimitError)
  t.match(tooMany, { error: { error: { type: 'session_limit', current: 1, limit: 1 } } })
  await limited.sessions.all.delete()
})

t.test('the key may be in the other header, and environment variables suffice', async (t) => {
  const swapped = new Anchorbrowser({
    apiKey: service.key,
    baseURL: service.baseUrl,
    defaultHeaders: { 'service-api-key': service.key, 'anchor-api-key': null },
  })
  t.match(await swapped.sessions.all.status(), { data: { count: Number } })

  process.env['ANCHORBROWSER_API_KEY'] = service.key
  process.env['ANCHORBROWSER_BASE_URL'] = service.baseUrl
  t.teardown(() => {
    delete process.env['ANCHORBROWSER_API_KEY']
    delete process.env['ANCHORBROWSER_BASE_URL']
  })
  t.match(await new Anchorbrowser().sessions.all.status(), { data: { count: Number } })
})

function keyForOne(): string {
  const args = ['keys', 'create', '--tenant', 'one', '--name', 'test', '--max-sessions', '1']
  const env = { ...process.env, DATA_DIR: service.dataDir }
  return spawnSync(process.execPath, [troupe, ...args], { env, encoding: 'utf8' }).stdout.trim()
}
