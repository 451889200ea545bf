/**
 * Goal: page commands and the contract's tools over REST: shapes, refusals that name their field,
 * and the official SDK's own methods. Method: the whole service, one headless session.
 */
import Anchorbrowser, { type APIError } from 'anchorbrowser'
import t from 'tap'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { pngSize } from '../../helpers/files/png.ts'
import { createSession, startService, type ErrorJson } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService()
t.teardown(() => service.stop())
const pages = await serveFixturePages()
t.teardown(() => pages.close())

interface Answer {
  readonly data: {
    readonly url: string
    readonly title: string
    readonly text: string
    readonly changes: string
    readonly value: unknown
    readonly tabs: readonly { readonly id: string; readonly selected: boolean }[]
    readonly id: string
  }
  readonly status: string
  readonly error: ErrorJson & { readonly field?: string; readonly why?: string }
}

const session = await createSession(service.rest, {
  browser: { headless: { active: true }, evaluate: { active: true } },
})
const base = `/v1/sessions/${session.id}`
const send = (method: string, path: string, body?: unknown) =>
  service.rest<Answer>(method, base + path, body)
const run = async (command: string, input: object = {}) => {
  const { status, body } = await send('POST', `/commands/${command}`, input)
  if (status !== 200) throw new Error(`${command}: ${body.error.message}`)
  return body.data
}
const acted = async () => (await run('evaluate', { expression: 'acted' })).value

t.test('a page is read and acted on, and the answer says what changed', async (t) => {
  const there = await run('navigate', { url: pages.url('form') })
  t.match(there, { url: pages.url('form'), title: 'Sign up', changes: /Full name/ })
  const snapshot = await send('GET', '/snapshot?urls=true&max_tokens=500')
  t.match(snapshot, { status: 200, body: { data: { title: 'Sign up', text: /e\d+ textbox/ } } })
  const ref = /(e\d+) button "Advanced"/.exec(snapshot.body.data.text)![1]!
  await run('click', { target: ref })
  t.same(await acted(), ['advanced'])
  t.match(await send('POST', '/hover', { selector: 'h1' }), {
    status: 200,
    body: { data: { title: 'Sign up', changes: '' } },
  })
  t.equal((await send('POST', '/hover', { x: 5, y: 5 })).status, 200)
  const chosen = await send('POST', '/select-option', { selector: 'select', label: 'Peru' })
  t.match(chosen, { status: 200, body: { data: { changes: /Peru/ } } })
  t.equal((await send('POST', '/wait-for', { text: 'everything MARKED' })).status, 200)
})

t.test('tabs are listed, opened, selected and closed', async (t) => {
  const list = async () => (await send('GET', '/tabs')).body.data.tabs
  const [first] = await list()
  const { body } = await send('POST', '/tabs', { url: pages.url('spans') })
  t.match(body.data, { url: pages.url('spans'), title: 'Things without a role', selected: true })
  t.same(
    (await list()).map(({ selected }) => selected),
    [false, true],
  )
  t.match(await send('POST', `/tabs/${first!.id}/select`), { body: { data: { selected: true } } })
  t.same(await acted(), ['advanced'])
  t.same((await send('DELETE', `/tabs/${body.data.id}`)).body, { status: 'success' })
  t.equal((await list()).length, 1)
  t.match(await send('DELETE', '/tabs/none'), {
    status: 404,
    body: { error: { type: 'not_found' } },
  })
})

t.test('a refusal names its field, or gives a reason', async (t) => {
  const refusals: readonly (readonly [string, string, unknown, object])[] = [
    ['POST', '/hover', {}, { code: 400, field: 'target' }],
    ['POST', '/hover', { x: 1 }, { code: 400, field: 'target' }],
    ['POST', '/hover', { target: 'a', selector: 'b' }, { code: 400, field: 'target' }],
    ['POST', '/hover', { selector: '##' }, { code: 400, field: 'target' }],
    ['POST', '/hover', { selector: '#no', timeout: 50 }, { code: 404, type: 'element_not_found' }],
    ['POST', '/select-option', { selector: 'select' }, { code: 400, field: 'values' }],
    ['POST', '/select-option', { selector: 'h1', value: 'a' }, { code: 400, field: 'target' }],
    ['POST', '/select-option', { selector: 'select', value: '?' }, { code: 400, field: 'values' }],
    ['POST', '/wait-for', {}, { code: 400, field: 'text' }],
    ['POST', '/wait-for', { text: 'x', timeout: -1 }, { code: 400, field: 'timeout' }],
    ['POST', '/wait-for', { text: 'never there', timeout: 50 }, { code: 504, type: 'timeout' }],
    ['POST', '/tabs', { url: 'javascript:1' }, { code: 400, field: 'url' }],
    ['POST', '/tabs/x/select', undefined, { code: 404, type: 'not_found' }],
    ['GET', '/snapshot?max_tokens=many', undefined, { code: 400, field: 'max_tokens' }],
    ['GET', '/screenshot?quality=101', undefined, { code: 400, field: 'quality' }],
    ['GET', '/screenshot?width=100', undefined, { code: 400, field: 'width' }],
    ['POST', '/commands/click', { target: 'e99999' }, { code: 409, type: 'stale_ref' }],
    ['POST', '/commands/click', { target: 'button[disabled]', timeout: 200 }, { why: 'disabled' }],
    ['POST', '/commands/type', { target: 'h1' }, { code: 400, field: 'text' }],
    ['POST', '/commands/press', { key: 'Nope' }, { code: 400 }],
    ['POST', '/commands/navigate', {}, { code: 400, field: 'url' }],
    ['POST', '/commands/evaluate', { expression: 'nope()' }, { code: 400, field: 'expression' }],
    ['POST', '/commands/upload', { target: 'h1' }, { code: 400, field: 'name' }],
    ['POST', '/commands/upload', { target: 'h1', name: 'a' }, { code: 400, field: 'content' }],
    ['POST', '/commands/handle_dialog', { accept: true }, { code: 409, type: 'conflict' }],
  ]
  for (const [method, path, body, error] of refusals) {
    const told = `${path} ${JSON.stringify(body)}`
    t.match((await send(method, path, body)).body, { error: { message: String, ...error } }, told)
  }
})

t.test('screenshots in other formats, and binary results as base64', async (t) => {
  const shot = (query: string) =>
    fetch(`${service.baseUrl}${base}/screenshot${query}`, {
      headers: { 'service-api-key': service.key },
    })
  const jpeg = await shot('?format=jpeg&quality=40&max_width=300')
  t.equal(jpeg.headers.get('content-type'), 'image/jpeg')
  const whole = await shot('?full_page=true&max_width=300')
  t.equal(pngSize(Buffer.from(await whole.arrayBuffer())).width, 300)
  t.equal(whole.headers.get('x-cut-from'), null)
  const cropped = await shot('?full_page=true&max_height=20')
  t.match(cropped.headers.get('x-cut-from'), /^\d{3,}x\d{3,}$/, 'a picture that is cut off says so')
  const pdf = Buffer.from(String(((await run('pdf')) as unknown as { pdf: string }).pdf), 'base64')
  t.equal(pdf.subarray(0, 5).toString(), '%PDF-')
})

t.test('the SDK’s tools work in a session and without one', async (t) => {
  const client = new Anchorbrowser({ apiKey: service.key, baseURL: service.baseUrl })
  const { tools } = client
  const sessionId = session.id
  const url = pages.url('loading')
  const markdown = await tools.fetchWebpage({ sessionId, url, format: 'markdown', wait: 1 })
  t.match(markdown, /# Loading/)
  t.match(await tools.fetchWebpage({ sessionId }), /<h1>Loading<\/h1>/)
  t.match(await tools.fetchWebpage({ url: pages.url('form'), format: 'markdown' }), /# Sign up/)
  await tools.fetchWebpage({ sessionId, url: pages.url('form'), new_page: true })
  t.match(await tools.fetchWebpage({ sessionId, page_index: 0 }), /<h1>Loading<\/h1>/)
  const picture = await tools.screenshotWebpage({ url, width: 400, height: 300, image_quality: 80 })
  t.equal(picture.headers.get('content-type'), 'image/png')
  t.match(pngSize(Buffer.from(await picture.arrayBuffer())), { width: 400, height: 300 })
  const options = { capture_full_height: true, scroll_all_content: true }
  const whole = await tools.screenshotWebpage({ sessionId, url: pages.url('shop'), ...options })
  t.ok(pngSize(Buffer.from(await whole.arrayBuffer())).height > 900)
  const pdf = await client.post<Response>('/v1/tools/page-pdf', {
    body: { url, landscape: true },
    __binaryResponse: true,
  })
  t.equal(pdf.headers.get('content-type'), 'application/pdf')
  const running = async () =>
    (await client.sessions.all.status()).data!.items!.filter(({ status }) => status === 'running')
  await until('their own sessions have ended', async () => (await running()).length === 1)
  const refusals: readonly (readonly [number, () => Promise<unknown>])[] = [
    [400, () => tools.fetchWebpage({})],
    [400, () => tools.fetchWebpage({ sessionId, page_index: 9 })],
    [400, () => tools.screenshotWebpage({ url, s3_target_address: 's3://x' })],
    [422, () => tools.fetchWebpage({ url: 'http://127.0.0.1:1' })],
    [404, () => tools.fetchWebpage({ sessionId: 'ses_none' })],
  ]
  for (const [status, refused] of refusals) {
    const error = await refused().catch((error: APIError) => error)
    t.equal((error as APIError).status, status)
  }
})

t.test('scripts need permission, and an ended session says that it has ended', async (t) => {
  const plain = await createSession(service.rest)
  const path = `/v1/sessions/${plain.id}`
  const script = { expression: '1' }
  const { body } = await service.rest<Answer>('POST', `${path}/commands/evaluate`, script)
  t.match(body.error, { code: 403, type: 'forbidden' })
  await service.rest('DELETE', path)
  for (const verb of ['/hover', '/commands/click']) {
    const gone = await service.rest<Answer>('POST', path + verb, { target: 'h1' })
    t.match(gone.body.error, { code: 410, type: 'session_ended' })
  }
})
