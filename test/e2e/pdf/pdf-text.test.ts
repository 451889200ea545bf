/**
 * Goal: a PDF that a tab or a frame shows can be read: in snapshots, `find` and `extract_text`,
 * without a trace of it on the screen. Method: PDFs printed by Chromium, shown by its own viewer,
 * without and with a display.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { openPageReaders, withoutRefs } from '../../helpers/pages/page-readers.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { pngPixels } from '../../helpers/files/png.ts'
import { until } from '../../helpers/lib/until.ts'

/** Ways to show a PDF in a page, by the path of the page. */
const frames = new Map([
  ['/iframe', '<iframe width="500" height="400" src="/bill"></iframe>'],
  ['/object', '<object width="500" height="400" data="/bill">No viewer</object>'],
  ['/embed', '<embed width="500" height="400" type="application/pdf" src="/bill">'],
])
const served = new Map<string, Uint8Array>()
const server = createServer(({ url = '' }, response) => {
  const pdf = served.get(url)
  response.setHeader('content-type', pdf ? 'application/pdf' : 'text/html')
  response.end(pdf ?? `<p>Around</p>${frames.get(url) ?? ''}`)
})
await listenOnLoopback(server)
t.teardown(() => closeServer(server))
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const bill =
  '<title>Bill</title><h1>Invoice 7</h1><p>Total   42 EUR</p>' +
  '<div style="page-break-before: always">The second page</div>'
const told = [' pdf "Bill": 2 pages', '  Invoice 7', '  Total 42 EUR', '  The second page']

for (const reader of await openPageReaders(t)) {
  const { mode, run, open, evaluate, snapshot, find, extract } = reader
  const print = async (path: string, html: string) => {
    await open('form')
    await evaluate(`document.documentElement.innerHTML = ${JSON.stringify(html)}`)
    served.set(path, (await run('pdf')).pdf)
  }
  /** The page as it is drawn, without the viewer's buttons and small pictures around it. */
  const drawn = async () => {
    const { pixel } = pngPixels((await run('screenshot')).image)
    const row = (y: number) => Array.from({ length: 300 }, (_, x) => pixel(400 + 2 * x, y).join())
    return Array.from({ length: 150 }, (_, y) => row(80 + 2 * y)).flat()
  }

  t.test(`${mode}: the text of a PDF in the tab`, async (t) => {
    await print('/bill', bill)
    await run('navigate', { url: `${address}/bill` })
    const before = await until('the viewer has drawn it', async () => {
      const pixels = await drawn()
      const isThere = pixels.includes('0,0,0') && pixels.includes('255,255,255')
      return isThere && isDeepStrictEqual(pixels, await drawn()) && pixels
    })
    const lines = withoutRefs(await snapshot())
    t.same(lines.slice(0, 5), ['frame:', ...told], lines.join('\n'))
    t.match(lines.join('\n'), /button "Download"/, 'the viewer’s buttons come after the text')
    const isAsBefore = async () => isDeepStrictEqual(await drawn(), before)
    await until('nothing is left selected', isAsBefore)
    t.match(await find('second'), 'The second page')
    await run('wait_for', { text: 'the SECOND page', timeout: 5_000 })
    const absent = { text: 'The third page', timeout: 300 }
    await t.rejects(run('wait_for', absent), { message: /third page/ })
    t.equal((await extract('markdown')).trim(), 'Invoice 7\nTotal 42 EUR\nThe second page')
  })

  for (const path of frames.keys()) {
    t.test(`${mode}: the text of a PDF in a page: ${path}`, async (t) => {
      await run('navigate', { url: `${address}${path}` })
      await run('wait_for', { text: 'Invoice 7', timeout: 20_000 })
      const lines = withoutRefs(await snapshot()).map((line) => line.trim())
      t.ok(lines.includes('Around'))
      t.notOk(lines.includes('No viewer'))
      const at = lines.indexOf(told[0]!.trim())
      const inside = told.map((line) => line.trim())
      t.same(lines.slice(at, at + told.length), inside)
      t.match(await extract('markdown'), /Around\s+Invoice 7\nTotal 42 EUR/)
    })
  }

  t.test(`${mode}: a PDF without text says so`, async (t) => {
    await print(
      '/scan',
      '<title>Scan</title><div style="width: 9em; height: 9em; background: red">',
    )
    await run('navigate', { url: `${address}/scan` })
    const wanted = /pdf "Scan" \(no text in it, as in a scan: take a screenshot\): 1 page/
    await until('it is told', async () => wanted.test(await snapshot()))
    t.notMatch(await snapshot(), 'loading')
  })
}
