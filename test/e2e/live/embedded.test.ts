/**
 * Goal: a page of a customer's own shows a live view that was made for it, as high as its picture, and
 * hears what becomes of the session; no other page can. Method: pages of several origins in a real
 * browser, with the element that the service offers.
 */
import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '1' } })
t.teardown(() => service.stop())
const browser = await launchChromium()
t.teardown(() => browser.close())

let link = ''
const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html')
  response.end(`<!doctype html><title>Ours</title><body style="margin: 0">
    <script src="${service.baseUrl}/web/embed/live-view.js"></script>
    <script>
      const heard = []
      addEventListener('state', ({ detail }) => heard.push(detail))
    </script>
    <troupe-live src="${link}" style="width: 720px"></troupe-live>`)
})
const port = await listenOnLoopback(server)
t.teardown(() => closeServer(server))
const ours = `http://127.0.0.1:${port}`
const other = `http://localhost:${port}`

interface LinkAnswer {
  readonly data: { readonly live_view_url: string }
  readonly error: { readonly message: string }
}

async function linkFor(t: Test, body: object, ancestors?: readonly string[]) {
  const session = await createSession(service.rest, body)
  t.teardown(() => service.rest('DELETE', `/v1/sessions/${session.id}`))
  const answer = await service.rest<LinkAnswer>('POST', `/v1/sessions/${session.id}/live-tokens`, {
    mode: 'control',
    ...(ancestors && { frame_ancestors: ancestors }),
  })
  return { session, url: answer.body.data.live_view_url }
}

async function open(t: Test, origin: string) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 900 } })
  t.teardown(() => page.close())
  await page.goto(origin)
  return page
}

const desktop = { browser: { viewport: { width: 1440, height: 900 } } }

for (const [how, body, heightOfPicture] of [
  ['headless', headless, 900],
  // With the browser's own bars.
  ['headful', desktop, 987],
] as const) {
  t.test(`a page for which the link was made shows it, ${how}`, async (t) => {
    const { session, url } = await linkFor(t, body, [ours, 'https://app.example'])
    link = url
    const page = await open(t, ours)
    const frame = page.frameLocator('iframe')
    await frame.locator('body[data-state=connected]').waitFor()
    const isAsHighAsItsPicture = async () => {
      const height = `document.querySelector('.bar').offsetHeight`
      const bar = Number(await frame.locator('.bar').evaluate(height))
      const box = await page.locator('iframe').boundingBox()
      return Math.abs(box!.height - (720 * heightOfPicture) / 1440 - bar) < 6
    }
    await until('the frame is as high as its picture', isAsHighAsItsPicture)
    // As after a title or a badge that comes later than the picture.
    await frame.locator('.bar').evaluate(`document.querySelector('.bar').style.padding = '40px'`)
    await until('the frame is as high as its picture and the bar', isAsHighAsItsPicture)
    await service.rest('DELETE', `/v1/sessions/${session.id}`)
    const last = () => page.evaluate<{ state: string; reason?: string }>('heard.at(-1)')
    await until('the page hears of the end', async () => (await last()).state === 'ended')
    t.same(await last(), { state: 'ended', reason: 'deleted' })
    t.match(await page.evaluate('heard'), [{ state: 'connected' }])
  })
}

t.test('no other page can, and no page with a link that names none', async (t) => {
  const { url } = await linkFor(t, headless, ['https://app.example', ours])
  const plain = await linkFor(t, headless)
  for (const [given, origin] of [
    [url, other],
    [plain.url, ours],
    [plain.session.live_view_url, ours],
    [url.replace(/token=control\./, 'token=control.x'), ours],
  ] as const) {
    link = given
    const page = await open(t, origin)
    const refused = () => page.frames().some((frame) => frame.url().startsWith('chrome-error:'))
    await until(`${origin} is refused`, refused)
    t.notMatch(await page.evaluate('JSON.stringify(heard)'), /connected/)
  }
  const { headers } = await fetch(url)
  t.match(
    headers.get('content-security-policy'),
    `frame-ancestors https://app.example ${ours};`,
    'each of them by name',
  )
})

t.test('only origins are named, and none that stands for others', async (t) => {
  const { id } = await createSession(service.rest, headless)
  for (const bad of ['*', 'https://*', 'https://a.example/path', 'data:,x', 'https://a;sandbox']) {
    const answer = await service.rest<LinkAnswer>('POST', `/v1/sessions/${id}/live-tokens`, {
      frame_ancestors: [bad],
    })
    t.equal(answer.status, 400, bad)
    t.match(answer.body.error.message, /frame_ancestors/)
  }
})
