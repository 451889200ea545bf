/**
 * Goal: browsers outlive their agent. After SIGKILL of a node agent its sessions go on with the same
 * browsers, clients, files and rules: the next agent takes them over. Method: a whole service, whose
 * supervisor restarts its agent; what a session has and may do is compared before and after.
 */
import { createServer, type ServerResponse } from 'node:http'
import t from 'tap'
import type { StorageState } from '../../../../proto/session/storage-state.ts'
import {
  browserPid,
  connectPlaywright,
  connectRaw,
  type RawCdp,
} from '../../../helpers/browser/browsers.ts'
import { isRunning, processesNaming } from '../../../helpers/lib/processes.ts'
import { closeServer, listenOnLoopback } from '../../../helpers/lib/loopback.ts'
import { until } from '../../../helpers/lib/until.ts'
import { fileClient, type DownloadJson } from '../../../helpers/service/files.ts'
import { createSession, startService, type SessionJson } from '../../../helpers/service/service.ts'

const half = Buffer.alloc(64 * 1024, 'x')
/** Answers that are held halfway. */
const slow: ServerResponse[] = []
const page = `<title>Kept</title><button onclick="document.title = ++n">Press</button><script>n = 0</script>`
/** Requests for pages that are held until the agent has been killed. */
const held = { urls: [] as string[], isOver: false, responses: [] as ServerResponse[] }
const site = createServer((request, response) => {
  if (request.url!.startsWith('/held')) {
    held.urls.push(`${request.method} ${request.url}`)
    if (!held.isOver) return void held.responses.push(response)
    return void response.setHeader('content-type', 'text/html').end(page)
  }
  if (request.url === '/') return void response.setHeader('content-type', 'text/html').end(page)
  response.setHeader('content-disposition', `attachment; filename="${request.url!.slice(1)}"`)
  if (!request.url!.startsWith('/slow')) return void response.end(`bytes of ${request.url}`)
  response.setHeader('content-length', 2 * half.length).write(half)
  slow.push(response)
})
const siteUrl = `http://127.0.0.1:${await listenOnLoopback(site)}/`
t.teardown(() => closeServer(site))
const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
const { rest } = service
const files = fileClient(service)

interface Acted {
  readonly data: { readonly title: string; readonly text: string }
  readonly error?: { readonly type: string }
}
const read = async (id: string) =>
  (await rest('GET', `/v1/sessions/${id}`)).body.data as SessionJson
const act = (id: string, command: string, body: object = {}) =>
  rest<Acted>('POST', `/v1/sessions/${id}/commands/${command}`, body)
/** Commands wait for the next agent; on a busy machine it may take longer than they do. */
const refOf = (id: string) =>
  until('an agent has the session', async () => {
    const { status, body } = await act(id, 'snapshot')
    return status === 200 && /(e\d+) button "Press"/.exec(body.data.text)?.[1]
  })
const becomes = (id: string, status: string) =>
  until(`it is ${status}`, async () => {
    const session = await read(id)
    return session.status === status && session
  })

/** The value of an expression on the session's page, once there is one. */
async function evaluate(client: RawCdp, expression: string): Promise<unknown> {
  const { targetInfos } = await client.send<{ targetInfos: { type: string; targetId: string }[] }>(
    'Target.getTargets',
  )
  const { targetId } = targetInfos.find(({ type }) => type === 'page')!
  const flat = { targetId, flatten: true }
  const { sessionId } = await client.send<{ sessionId: string }>('Target.attachToTarget', flat)
  const { result } = await client.send<{ result: { value?: unknown } }>(
    'Runtime.evaluate',
    { expression },
    sessionId,
  )
  return result.value
}

const atSite = (more: object = {}) => ({
  browser: { headless: { active: true } },
  ...more,
  session: { initial_url: siteUrl, ...(more as { session?: object }).session },
})

const strike = () => service.strike('node-agent')
const create = (body: object = {}) => createSession(rest, atSite(body))

for (const active of [true, false]) {
  const kind = active ? 'headless' : 'headful'
  await t.test(`a ${kind} session goes on, and its client does not notice`, async (t) => {
    const { id, cdp_url } = await create({ browser: { headless: { active } } })
    const client = await connectPlaywright(cdp_url)
    const page = client.contexts()[0]!.pages()[0]!
    await page.evaluate('globalThis.mark = 42')
    const closed = await page.context().newPage()
    await closed.goto(siteUrl.replace('127.0.0.1', 'localhost'))
    await closed.evaluate('localStorage.kept = "yes"')
    await closed.close()
    const raw = await connectRaw(cdp_url)
    const pid = await browserPid(raw)
    const refs = [await refOf(id)]
    t.match(await act(id, 'click', { target: refs[0] }), { body: { data: { title: '1' } } })

    // The supervisor waits longer each time that it restarts an agent.
    for (const title of active ? ['2', '3'] : ['2']) {
      await strike()
      t.equal(await page.evaluate('globalThis.mark'), 42)
      const next = await refOf(id)
      t.notOk(refs.includes(next), 'no ref means two elements')
      for (const old of refs) {
        t.match(await act(id, 'click', { target: old }), { body: { error: { type: 'stale_ref' } } })
      }
      refs.push(next)
      t.match(await act(id, 'click', { target: next }), { body: { data: { title } } })
    }
    t.match(await read(id), { status: 'running' })
    const state = await rest<{ data: StorageState }>('GET', `/v1/sessions/${id}/storage-state`)
    t.match(state.body.data.origins, [{ localStorage: [{ name: 'kept', value: 'yes' }] }])
    await client.close()
    raw.close()
    t.equal((await rest('DELETE', `/v1/sessions/${id}`)).status, 200)
    await until('its Chromium is gone', () => !isRunning(pid))
  })
}

await t.test(
  'its files and what it may reach are as before, its dialog is dismissed',
  async (t) => {
    const network = { allow: ['127.0.0.1'], allow_private: true }
    const { id, cdp_url } = await create({ session: { network } })
    const uploads = `/v1/sessions/${id}/uploads`
    const downloads = `/v1/sessions/${id}/downloads`
    const client = await connectRaw(cdp_url)
    const clickTo = (name: string) =>
      evaluate(client, `Object.assign(document.createElement('a'), { href: '/${name}' }).click()`)
    const { body } = await files.upload(uploads, 'notes.txt', 'hello')
    const list = () => files.list<DownloadJson>(downloads)
    const states = async () => (await list()).map(({ state }) => state)
    for (const [at, name] of ['first.txt', 'slow.bin'].entries()) {
      await clickTo(name)
      await until(`${name} begins`, async () => (await list()).length === at + 1)
    }
    await until('the first is there', async () => (await states())[0] === 'completed')
    await until('the other is halfway', () => slow.length === 1)
    const before = await list()
    t.match(await act(id, 'snapshot'), { status: 200 })
    const answer = evaluate(client, 'confirm("Sure?")')
    const isOpen = async () => (await act(id, 'snapshot')).body.error?.type === 'dialog_open'
    await until('the dialog is seen', isOpen)

    await strike()
    t.equal(await answer, false)
    const after = await list()
    const names = (all: readonly DownloadJson[]) =>
      all.map(({ id: file, suggested_file_name: name }) => [file, name])
    t.same(names(after), names(before))
    // The agent's way out has ended with it, and so have its browsers' connections.
    await until('none is in progress', async () => !(await states()).includes('in_progress'))
    t.same(await states(), ['completed', 'canceled'])
    t.equal((await files.bytes(`${downloads}/${after[0]!.id}`)).text, 'bytes of /first.txt')
    t.equal((await files.bytes(`${uploads}/${body.data.id}`)).text, 'hello')
    t.match(await files.upload(uploads, 'notes.txt', 'again'), { status: 200 })
    t.same((await files.list(uploads)).map(({ name }) => name).length, 2)
    await clickTo('next.txt')
    await until('another one is complete', async () => (await states())[2] === 'completed')

    const other = siteUrl.replace('127.0.0.1', 'localhost')
    t.match(await act(id, 'navigate', { url: siteUrl }), { body: { data: { title: 'Kept' } } })
    const refused = { body: { error: { reason: 'blocked_by_policy' } } }
    t.match(await act(id, 'navigate', { url: other }), refused)
    client.close()
    await rest('DELETE', `/v1/sessions/${id}`)
  },
)

await t.test(
  'a page that was being loaded is loaded again, a form is not sent twice',
  async (t) => {
    const [link, form] = [await create(), await create()]
    const clients = await Promise.all([link, form].map((one) => connectRaw(one.cdp_url)))
    await evaluate(clients[0]!, "location.href = '/held-link'")
    const send = `const form = document.createElement('form')
    Object.assign(form, { method: 'POST', action: '/held-form' })
    document.body.append(form)
    form.submit()`
    await evaluate(clients[1]!, send)
    await until('both have asked', () => held.urls.length === 2)

    await strike()
    held.isOver = true
    for (const response of held.responses) response.destroy()
    t.match(await act(link.id, 'snapshot'), { body: { data: { title: 'Kept' } } })
    t.match((await act(form.id, 'snapshot')).body.data.title, '127.0.0.1')
    t.same(held.urls.slice(2), ['GET /held-link'])
    for (const client of clients) client.close()
    for (const { id } of [link, form]) await rest('DELETE', `/v1/sessions/${id}`)
  },
)

await t.test('it is told how such a browser ended; a session that ends meanwhile', async (t) => {
  const [closed, killed, left] = [await create(), await create(), await create()]
  const clients = await Promise.all([closed, killed, left].map((one) => connectRaw(one.cdp_url)))
  const pids = await Promise.all(clients.map(browserPid))
  process.kill(service.pidOf('node-agent'), 'SIGKILL')
  t.equal((await rest('DELETE', `/v1/sessions/${left.id}`)).status, 200)
  const isBack = async () => (await act(closed.id, 'snapshot')).status === 200
  await until('the next agent serves them', isBack)
  process.kill(pids[1]!, 'SIGKILL')
  await clients[0]!.send('Browser.close').catch(() => undefined)
  t.match(await becomes(closed.id, 'completed'), { reason: 'browser_closed' })
  t.match(await becomes(killed.id, 'failed'), { reason: 'browser_crashed' })
  t.match(await becomes(left.id, 'completed'), { reason: 'deleted' })
  await until('nothing of them is left', () => !pids.some(isRunning))
})

await t.test('a service that is killed as a whole leaves nothing', async (t) => {
  await create()
  process.kill(service.pid, 'SIGKILL')
  await until('everything is gone', () => processesNaming(service.dataDir).length === 0)
  t.pass()
})
