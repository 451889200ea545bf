/**
 * Goal: a list of sessions shows small pictures of them that their pages do not notice, and a page
 * that hangs holds nothing up. Method: real Chromium.
 */
import t from 'tap'
import type { Browser } from '../../../node-agent/browser/browser.ts'
import { pageLimits } from '../../../node-agent/page/limits.ts'
import { Glances } from '../../../node-agent/sessions/glances.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'
import { until } from '../../helpers/lib/until.ts'

const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
const glances = new Glances(
  {
    heldBy: (id) => host.sessions.heldBy(id) as unknown as Browser,
    holdsBrowser: (id) => host.sessions.holdsBrowser(id),
  },
  { of: () => Promise.resolve(undefined) },
  systemClock,
)

const pageOf = (script: string) =>
  `data:text/html,${encodeURIComponent(`<title>A page</title><h1>Hello</h1><script>${script}</script>`)}`

async function opened(url: string, isHeadless = true) {
  const session = await openPageSession(host, {
    session: { initial_url: url },
    browser: { headless: { active: isHeadless }, evaluate: { active: true } },
  })
  await until('the page has its title', async () => {
    const pages = await host.sessions.heldBy(session.sessionId).pages()
    return pages[0]?.title === 'A page'
  })
  return session
}

/** From the frame header of a JPEG. */
function sizeOf(jpeg: Buffer): { readonly width: number; readonly height: number } {
  for (let at = 2; at < jpeg.length; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const kind = jpeg.readUInt8(at + 1)
    if (kind !== 0xc0 && kind !== 0xc2) continue
    return { height: jpeg.readUInt16BE(at + 5), width: jpeg.readUInt16BE(at + 7) }
  }
  throw new Error('no frame header')
}

t.test('a small picture, taken once for all who look, and not noticed by the page', async (t) => {
  const script =
    "seen = []; for (const n of ['resize', 'blur', 'focus', 'visibilitychange']) addEventListener(n, () => seen.push(n))"
  const { sessionId, run } = await opened(pageOf(script))
  const all = await Promise.all(Array.from({ length: 5 }, () => glances.of(sessionId)))
  const [{ pages, image } = { pages: [] }] = all
  t.match(pages, [{ title: 'A page' }])
  t.ok(
    all.every((each) => each.image === image),
    'one picture for five',
  )
  const { width, height } = sizeOf(Buffer.from(image!))
  t.ok(
    width <= pageLimits.glanceWidthPx && height <= pageLimits.glanceHeightPx,
    `${width} × ${height}`,
  )
  const { value } = (await run('evaluate', { expression: 'JSON.stringify(seen)' })) as {
    readonly value?: unknown
  }
  t.equal(value, '[]')
})

t.test('a page that hangs has a name and no picture, or an old one', async (t) => {
  const { sessionId } = await opened(pageOf('setTimeout(() => { for (;;); }, 200)'))
  const { pages } = await glances.of(sessionId)
  t.equal(pages.length, 1)
})

t.test('a session with a desktop has a picture of its page', async (t) => {
  const { sessionId } = await opened(pageOf(''), false)
  const { pages, image } = await glances.of(sessionId)
  t.match(pages, [{ title: 'A page' }])
  t.ok(sizeOf(Buffer.from(image!)).width <= pageLimits.glanceWidthPx)
})

t.test('a session that is not here is refused', async (t) => {
  await t.rejects(glances.of('ses_unknown'), { message: /no such session/ })
})
