/**
 * Goal: scripts over REST as the document describes them, in a session whose clients see nothing of
 * them. Method: the whole service, one headless session, Playwright, Puppeteer and raw CDP.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import puppeteer from 'puppeteer-core'
import t from 'tap'
import { remoteCall } from '../../../gateway/mcp/remote.ts'
import { ServiceClient } from '../../../gateway/mcp/service.ts'
import { scriptTools } from '../../../gateway/mcp/tools/group-tools.ts'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { connectSpelt } from '../../helpers/gateway/spelt-cdp.ts'
import {
  createSession,
  headless,
  startService,
  type ErrorJson,
} from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

interface Answer {
  readonly data: {
    readonly value: unknown
    readonly logs: readonly string[]
    readonly results: readonly { readonly output: { readonly value: unknown } }[]
  }
  readonly error: ErrorJson & { readonly line?: number; readonly logs?: readonly string[] }
}

const service = await startService()
t.teardown(() => service.stop())
const pages = await serveFixturePages()
t.teardown(() => pages.close())
const session = await createSession(service.rest, headless)
const base = `/v1/sessions/${session.id}`
const post = (path: string, body: unknown) => service.rest<Answer>('POST', base + path, body)
const script = (code: string, more: object = {}) => post('/scripts', { code, ...more })

t.test(
  'a script has its own route, a name among the commands, and errors with lines',
  async (t) => {
    await post('/goto', { url: pages.url('table') })
    const code = `async ({ page, args, log }) => {
    log(await page.title())
    return (await page.$$(args.selector)).length
  }`
    const input = { code, arguments: { selector: '#rows tr' } }
    const expected = { value: 500, logs: ['Orders'], url: pages.url('table'), changes: '' }
    t.match(await post('/scripts', input), { status: 200, body: { data: expected } })
    t.match(await post('/commands/run_script', input), { status: 200, body: { data: expected } })
    const listed = await post('/actions', { actions: [{ command: 'run_script', input }] })
    t.equal(listed.body.data.results[0]!.output.value, 500)
    t.match(await script('async ({ log }) => {\n  log(1)\n  null.x\n}'), {
      status: 422,
      body: { error: { type: 'script_failed', line: 3, logs: ['1'] } },
    })
    t.match(await post('/scripts', {}), { status: 400, body: { error: { field: 'code' } } })
    t.match(await script('() => 1', { timeout: 1e6 }), { status: 400 })
  },
)

t.test('the MCP tool answers with value and logs, and with lines of errors', async (t) => {
  await post('/goto', { url: pages.url('table') })
  const [tool] = scriptTools
  t.equal(tool!.definition.name, 'run_script')
  const tokens = countTokens(JSON.stringify(tool!.definition))
  t.ok(tokens < 350, `${tokens} tokens`)
  const { baseUrl: base, key } = service
  const client = new ServiceClient(remoteCall({ base, key, clientKey: () => key }))
  const enter = async () => ({ session: session.id })
  const { signal } = new AbortController()
  const defaultSession = { enter }
  const context = { service: client, defaultSession, signal, hasPageMarks: false }
  const run = (code: string) => tool!.run({ session: session.id, input: { code } }, context)
  const answer = await run('({ log }) => { log("here"); return { n: 1 } }')
  t.match(answer.text, /On Orders .*\n[^]*Value: \{"n":1\}\nLogs:\nhere/)
  t.match(answer.structured, { value: { n: 1 }, logs: ['here'], session: session.id })
  await t.rejects(run('() => {\n  null.x\n}'), { type: 'script_failed', message: /at line 2/ })
})

t.test('neither clients nor lists of the session show the page of a script', async (t) => {
  await post('/goto', { url: pages.url('form') })
  const early = await connectPlaywright(session.cdp_url)
  t.teardown(() => early.close())
  const [context] = early.contexts()
  const seen: string[] = []
  context!.on('page', (page) => seen.push(page.url()))
  const raw = await connectSpelt(session.cdp_url)
  t.teardown(() => raw.close())
  await raw.say('{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}')
  const running = script(
    `async ({ page }) => {
      await page.evaluate(() => { document.title = 'runs' })
      await page.waitForFunction(() => document.title === 'go on')
      return 'done'
    }`,
  )
  const page = context!.pages()[0]!
  await until('the script runs', async () => (await page.title()) === 'runs')
  const { result } = await raw.say('{"id":2,"method":"Target.getTargets"}')
  const typesOf = (infos: readonly { readonly type: string }[]) => infos.map(({ type }) => type)
  const listed = typesOf(result!['targetInfos'] as { type: string }[])
  const discovered = typesOf(raw.received.flatMap(({ params }) => params?.targetInfo ?? []))
  for (const types of [listed, discovered]) {
    t.ok(types.includes('page'))
    t.notOk(types.includes('other'))
  }
  const cdp = new URL(session.cdp_url)
  const list = await service.rest<readonly { type: string }[]>('GET', `/json/list${cdp.search}`)
  t.ok(list.body.length > 0)
  t.notOk(list.body.some(({ type }) => type === 'other'))
  const late = await puppeteer.connect({ browserWSEndpoint: session.cdp_url })
  t.equal((await late.pages()).length, 1)
  await late.disconnect()
  t.equal(context!.pages().length, 1)
  await page.evaluate('document.title = "go on"')
  t.equal((await running).body.data.value, 'done')
  t.same(seen, [])
})

/** Commands by which clients ask for targets, with filters that match all of them; Chromium attaches pages through tabs. */
const seeking = [
  ['Target.setDiscoverTargets', { discover: true, filter: [{}] }],
  [
    'Target.setAutoAttach',
    {
      ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
      filter: [{ type: 'page', exclude: true }, {}],
    },
  ],
] as const

t.test('nor do they to a client that asks for targets of every type, and waits', async (t) => {
  await post('/goto', { url: pages.url('form') })
  const puppeteerClient = await puppeteer.connect({ browserWSEndpoint: session.cdp_url })
  t.teardown(() => puppeteerClient.disconnect())
  const targets: string[] = []
  puppeteerClient.on('targetcreated', (target) => targets.push(target.type()))
  const raw = await connectRaw(session.cdp_url)
  t.teardown(() => raw.close())
  const all = { filter: [{}] }
  const { targetInfos: atFirst } = await raw.send<Targets>('Target.getTargets', all)
  const known = new Set(atFirst.map(({ targetId }) => targetId))
  for (const [method, params] of seeking) await raw.send(method, params)
  // The same in sessions of the browser, flat and not flat.
  const { targetInfo: browser } = await raw.send<Itself>('Target.getTargetInfo')
  const { targetId } = browser
  const attach = (flatten: boolean) =>
    raw.send<Attached>('Target.attachToTarget', { targetId, flatten })
  const [flat, deep] = [await attach(true), await attach(false)]
  for (const [method, params] of seeking) {
    await raw.send(method, params, flat.sessionId)
    const message = JSON.stringify({ id: 1, method, params: { ...params, flatten: false } })
    await raw.send('Target.sendMessageToTarget', { sessionId: deep.sessionId, message })
  }
  const earlier = raw.events.length
  const running = script(
    `async ({ page }) => {
      await page.evaluate(() => { document.title = 'runs' })
      await page.waitForFunction(() => document.title === 'go on')
      return page.browser().targets().map((target) => target.type())
    }`,
  )
  const [page] = await puppeteerClient.pages()
  await until('the script runs', async () => (await page!.title()) === 'runs')
  const { targetInfos } = await raw.send<Targets>('Target.getTargets', all)
  t.same(
    targetInfos.filter(({ targetId }) => !known.has(targetId)),
    [],
  )
  const { browserContextIds } = await raw.send<{ browserContextIds: string[] }>(
    'Target.getBrowserContexts',
  )
  t.same(browserContextIds, [])
  await page!.evaluate('document.title = "go on"')
  const { value } = (await running).body.data
  t.notOk((value as string[]).includes('other'), 'nor does the script see its own')
  await raw.send('Browser.getVersion')
  // Connections, such as the script's own, are targets as well, with ids of another form.
  const mentioned = raw.events
    .slice(earlier)
    .join()
    .matchAll(/targetId\\?":\\?"([0-9A-F]{32})/g)
  t.same(
    [...mentioned].map(([, id]) => id!).filter((id) => !known.has(id)),
    [],
  )
  t.same(targets, [])
  const newPage = await puppeteerClient.newPage()
  t.equal(await newPage.evaluate('1 + 1'), 2, 'and Puppeteer goes on')
  await newPage.close()
})

interface Targets {
  readonly targetInfos: readonly { readonly targetId: string; readonly type: string }[]
}

interface Itself {
  readonly targetInfo: { readonly targetId: string }
}

interface Attached {
  readonly sessionId: string
}
