/**
 * Goal: the trace of a session says what each command did, as JSON lines and as a file that opens
 * without the service, also after the session has ended. Method: the whole service, a headful and a
 * headless session; the file is opened in a browser without network.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import type { TraceCommand, TraceLine } from '../../../proto/browser-host/trace.ts'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { createSession, startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService()
t.teardown(() => service.stop())
const pages = await serveFixturePages()
t.teardown(() => pages.close())
const headers = { authorization: `Bearer ${service.key}` }
const ask = (path: string) => fetch(service.baseUrl + path, { headers })

async function linesOf(id: string): Promise<readonly TraceLine[]> {
  const answer = await ask(`/v1/sessions/${id}/trace?format=jsonl`)
  t.equal(answer.status, 200)
  t.match(answer.headers.get('content-type'), 'application/jsonl')
  const text = await answer.text()
  return text.split('\n').flatMap((line) => (line ? [JSON.parse(line) as TraceLine] : []))
}

for (const active of [true, false]) {
  t.test(`each command is in it, ${active ? 'headless' : 'headful'}`, async (t) => {
    const { id } = await createSession(service.rest, {
      browser: { headless: { active }, evaluate: { active: true }, tracing: { active: true } },
    })
    const base = `/v1/sessions/${id}`
    const run = (command: string, input: object) =>
      service.rest('POST', `${base}/commands/${command}`, input)
    await run('navigate', { url: pages.url('form') })
    await run('click', { target: 'button "Advanced"' })
    await run('evaluate', {
      expression: 'console.warn("from the page"); fetch("/asked?" + "x".repeat(9000))',
    })
    await run('snapshot', {})
    await run('click', { target: '#no-such', timeout: 200 })
    await run('mouse_click', { selector: '[name=name], input' })
    const [head, ...rest] = await linesOf(id)
    t.match(head, { type: 'trace', version: 1, session_id: id })
    const commands = rest.filter((line): line is TraceCommand => line.type === 'command')
    t.same(
      commands.map(({ n, command, outcome }) => [n, command, outcome === 'done']),
      [
        [1, 'navigate', true],
        [2, 'click', true],
        [3, 'evaluate', true],
        [4, 'snapshot', true],
        [5, 'click', false],
        [6, 'mouse_click', true],
      ],
    )
    const [navigated, clicked, evaluated, looked, failed] = commands
    t.match(navigated, { url: pages.url('form'), title: 'Sign up', changes: /Full name/ })
    t.match(navigated!.requests, [{ method: 'GET', url: pages.url('form'), status: 200 }])
    t.match(clicked, { input: { target: 'button "Advanced"' }, changes: /\S/ })
    t.match(evaluated!.console, [{ level: 'warn', text: 'from the page' }])
    t.match(evaluated!.requests?.at(-1), { url: /asked\?x{99,}…$/ })
    t.notOk(looked!.picture, 'reading changes nothing, so nothing is looked at')
    t.match(failed, { message: /no-such/ })
    for (const { command, picture, ms } of commands) {
      t.ok(ms >= 0)
      if (command === 'snapshot') continue
      t.same([...Buffer.from(picture!, 'base64').subarray(0, 2)], [0xff, 0xd8], 'a JPEG')
    }
    await service.rest('DELETE', base)
    await until('it has ended', async () => {
      return (await service.rest('GET', base)).body.data.status === 'completed'
    })
    const last = (await linesOf(id)).findLast(({ type }) => type === 'command')
    t.match(last, { n: 6 }, 'it outlives its session')
  })
}

t.test('as a file it opens without the service, and nothing in it runs', async (t) => {
  const { id } = await createSession(service.rest, {
    browser: { headless: { active: true }, evaluate: { active: true }, tracing: { active: true } },
  })
  const input = { expression: 'document.title = "<script>alert(1)</script>"' }
  await service.rest('POST', `/v1/sessions/${id}/commands/navigate`, { url: pages.url('form') })
  await service.rest('POST', `/v1/sessions/${id}/commands/evaluate`, input)
  const answer = await ask(`/v1/sessions/${id}/trace`)
  t.match(answer.headers.get('content-disposition'), `attachment; filename="trace-${id}.html"`)
  t.match(answer.headers.get('content-security-policy'), 'sandbox')
  const file = join(t.testdir({}), 'trace.html')
  await writeFile(file, await answer.text())
  const browser = await launchChromium()
  t.teardown(() => browser.close())
  const page = await browser.newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(pathToFileURL(file).href)
  t.equal(await page.locator('article').count(), 2)
  t.match(await page.locator('article').last().textContent(), '<script>alert(1)</script>')
  t.equal(await page.locator('script').count(), 0)
  const widths = await page
    .locator('img')
    .evaluateAll((all) =>
      all.map((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    )
  t.same(widths, [1000, 1000])
  t.same(
    asked.filter((url) => !url.startsWith('data:')),
    [pathToFileURL(file).href],
  )
})

t.test('a session that is not traced says how to have one that is', async (t) => {
  const { id } = await createSession(service.rest, { browser: { headless: { active: true } } })
  const answer = await service.rest('GET', `/v1/sessions/${id}/trace`)
  t.match(answer, { status: 404, body: { error: { message: /tracing.*active/ } } })
  const wrong = await service.rest('GET', `/v1/sessions/${id}/trace?format=pdf`)
  t.match(wrong, { status: 400, body: { error: { field: /format/ } } })
})
