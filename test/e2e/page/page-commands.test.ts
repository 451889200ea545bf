/**
 * Goal: tabs, waits, screenshots, recordings and scripts of a session do what they say, and a crash
 * or a closed tab ends nothing else. Method: real Chromium on the fixture pages.
 */
import t from 'tap'
import { nodeAgentLimits } from '../../../node-agent/limits.ts'
import { pageLimits } from '../../../node-agent/page/limits.ts'
import { devtoolsUrl } from '../../helpers/browser/browser-host.ts'
import { connectRaw } from '../../helpers/browser/browsers.ts'
import { at, openFixtures, openPageSession } from '../../helpers/browser/page-session.ts'
import { pngPixels, pngSize } from '../../helpers/files/png.ts'

interface Targets {
  readonly targetInfos: readonly { readonly targetId: string; readonly type: string }[]
}

const { pages, host, claim, run, refusal, see, acted, open, click } = await openFixtures(t)

t.test('tabs are opened, switched and closed, and commands act on the chosen one', async (t) => {
  await open('dialogs')
  const [first] = (await run('tab_list')).tabs
  const { opened } = await click(at('tab'))
  t.ok(opened)
  await run('click', { target: at('advanced') })
  t.same(await acted(), ['advanced'], 'the new tab is the selected one')
  await run('tab_select', { tab: first!.id })
  t.same(await acted(), [])
  const { tabs } = await run('tab_list')
  t.same(
    tabs.map(({ id, selected }) => [id, selected]),
    [
      [first!.id, true],
      [opened, false],
    ],
  )
  await run('tab_close', { tab: opened })
  const popup = await click(at('popup'))
  t.equal((await run('tab_list')).tabs.find(({ selected }) => selected)?.id, popup.opened)
  await run('tab_close', { tab: popup.opened })
  t.match(await refusal('tab_select', { tab: popup.opened }), { type: 'not_found' })
  t.match(await run('tab_new', { url: pages.url('form') }), { title: 'Sign up', selected: true })
  await see('void window.open("loading.html")')
  const { url } = await click(at('close'))
  t.equal(url, pages.url('form'), 'a tab that closed itself: the one that is selected now')
  await run('tab_close', { tab: (await run('tab_list')).tabs[1]!.id })
  await run('tab_close', { tab: first!.id })
  t.match((await run('tab_list')).tabs, [{ url: 'about:blank', selected: true }])
})

t.test('a wait ends when all its conditions hold, and says what is missing', async (t) => {
  await open('changing')
  const changes = run('wait_for', { text: 'LATE', timeout: 5_000 })
  await click(at('late'))
  await changes
  await run('wait_for', { text_gone: 'Idle', selector: '#save', url: 'changing.html' })
  const gone = run('wait_for', { url: '?left', text: 'Everything marked', network_idle: true })
  await click(at('leave'))
  t.equal((await gone).title, 'Sign up', 'through a navigation')
  const missing = await refusal('wait_for', { text: 'Nowhere', timeout: 100 })
  t.match(missing, { type: 'timeout', message: /the text "Nowhere"/ })
  await open('far-frames')
  await run('wait_for', { text: 'inside a frame' })
})

t.test('screenshots of an element, of the whole page, and small ones', async (t) => {
  await open('form')
  // The size of the whole page depends on the machine's fonts.
  const page = await see<{ width: number; height: number }>(
    '({ width: document.scrollingElement.scrollWidth, height: document.scrollingElement.scrollHeight })',
  )
  const whole = await run('screenshot', { full_page: true, max_width: 500 })
  const scaled = pngSize(Buffer.from(whole.image))
  t.equal(scaled.width, 500)
  t.equal(whole.scale, 500 / page.width)
  t.ok(Math.abs(scaled.height - page.height * whole.scale) <= 1)
  await see(`document.querySelector("h1").style.cssText =
    "position: absolute; margin: 0; left: 40.25px; top: 20.5px; width: 300.875px; height: 50.25px"`)
  const { image, left, top } = await run('screenshot', { target: 'h1' })
  t.same([left, top], [40, 20], 'from the first pixel that it has a part of')
  t.match(pngSize(Buffer.from(image)), { width: 342 - 40, height: 71 - 20 }, 'to the last')
  const jpeg = await run('screenshot', { format: 'jpeg', quality: 30 })
  t.same([jpeg.type, jpeg.image[0]], ['image/jpeg', 0xff])
  t.equal((await run('screenshot', { format: 'webp' })).type, 'image/webp')
  const small = await run('screenshot', { width: 300, height: 200 })
  t.match(pngSize(Buffer.from(small.image)), { width: 300, height: 200 })
  t.equal(await see('innerWidth'), 1000)
  t.equal(
    Buffer.from((await run('pdf')).pdf)
      .subarray(0, 5)
      .toString(),
    '%PDF-',
  )
})

t.test('a picture of all of the page is the same wherever the page is scrolled', async (t) => {
  await open('form')
  await see(`document.body.innerHTML = ['red', 'blue'].map((colour) =>
    '<div style="height: 1500px; background: ' + colour + '"></div>').join('')`)
  const picture = async () =>
    Buffer.from((await run('screenshot', { full_page: true, max_width: 100 })).image)
  // Chromium takes the scroll bars away with the first picture, and does not bring them back.
  await picture()
  const top = await picture()
  await see('scrollTo(0, 1200)')
  t.ok((await picture()).equals(top))
  t.equal(await see('scrollY'), 1200)
})

const tall = { rows: 170, rowPx: 100 }
const tallPage = `(document.documentElement.style.scrollbarWidth = 'none', document.body.style.margin = 0, document.body.innerHTML =
  '<i style="position: fixed; top: 0; left: 0; width: 50px; height: 50px; background: #000"></i>' +
  Array.from({ length: ${tall.rows} }, (_, n) => '<div style="height: ${tall.rowPx}px; background: rgb(' +
    (n % 200 + 20) + ', ' + (n * 7 % 200 + 20) + ', 90)"></div>').join('') +
  '<button style="position: absolute; left: 300px; top: 16950px">Last</button>',
  document.scrollingElement.clientWidth)`

t.test(
  'a page higher than Chromium draws at once is whole in a PNG, its fixed head once',
  async (t) => {
    await open('form')
    const size = { width: await see<number>(tallPage), height: tall.rows * tall.rowPx }
    const whole = await run('screenshot', { full_page: true })
    t.same(pngSize(whole.image), size)
    t.equal(whole.cut_from, undefined)
    const { pixel } = pngPixels(whole.image)
    for (const n of [0, 40, 41, 81, 82, 122, 123, 163, 164, 169]) {
      const colour = [(n % 200) + 20, ((n * 7) % 200) + 20, 90]
      t.same(pixel(200, n * tall.rowPx + 3), colour, `the top of row ${n}`)
      t.same(pixel(200, n * tall.rowPx + tall.rowPx - 3), colour, `the end of row ${n}`)
    }
    t.same(pixel(10, 10), [0, 0, 0])
    t.not(pixel(10, pageLimits.pictureSlicePx + 10)[2], 0, 'the fixed head is drawn once')
    const marked = pngPixels((await run('screenshot', { full_page: true, marks: true })).image)
    t.notSame(marked.pixel(301, 16_951), pixel(301, 16_951), 'marks reach the last slice')
    const scaled = await run('screenshot', { full_page: true, max_width: 250 })
    t.equal(scaled.cut_from, undefined, 'it fits when scaled down')
    t.ok(Math.abs(pngSize(scaled.image).height - (size.height * 250) / size.width) <= 1)
    const jpeg = await run('screenshot', { full_page: true, format: 'jpeg', quality: 10 })
    t.same(jpeg.cut_from, size, 'a JPEG is cut off, and says so')
    const cropped = await run('screenshot', { full_page: true, format: 'webp', max_height: 900 })
    t.same(cropped.cut_from, size)
    t.equal((await run('screenshot', { max_height: 9_000 })).cut_from, undefined)
  },
)

t.test('a high picture that is too large to be sent ends earlier, and says so', async (t) => {
  await open('form')
  await see(`(document.documentElement.style.scrollbarWidth = 'none',
    document.body.innerHTML = '<canvas width="250" height="250" hidden></canvas><div id="noise"></div>',
    document.body.style.margin = 0)`)
  await see(`{
    const canvas = document.querySelector('canvas'), pen = canvas.getContext('2d')
    const noise = pen.createImageData(250, 250)
    noise.data.forEach((_, at) => (noise.data[at] = at % 4 === 3 ? 255 : Math.random() * 256))
    pen.putImageData(noise, 0, 0)
    document.querySelector('#noise').style.cssText =
      'width: 250px; height: 17000px; background: url(' + canvas.toDataURL() + ')'
  }`)
  const { image, cut_from: size } = await run('screenshot', { full_page: true })
  t.match(size, { height: 17_000 })
  const { width, height } = pngSize(image)
  t.equal(width, size!.width)
  t.equal(height, 2 * pageLimits.pictureSlicePx, 'as many slices as there is room for')
  t.ok(image.length <= nodeAgentLimits.screenshotBytes)
})

t.test('the console and the network are recorded once that is asked for', async (t) => {
  await open('loading')
  await run('console')
  await run('network')
  await click(at('log'))
  await click(at('fetch'))
  t.match((await run('console')).lines.at(-1), {
    ...{ level: 'warn', text: 'logged 7', source: /\/loading\S*:\d+:\d+$/ },
  })
  const { requests } = await run('network')
  t.match(requests.at(-1), { method: 'GET', url: pages.url('article'), status: 200, type: 'fetch' })
})

t.test('bodies of answers are kept once somebody wants them', async (t) => {
  await open('loading')
  const fetched = async (input: object = {}) => {
    await click(at('fetch'))
    const url = pages.url('article')
    const { requests } = await run('network', input)
    return requests.findLast((request) => request.url === url)!.id
  }
  await run('network')
  const early = await fetched()
  t.match(await refusal('response_body', { id: early }), { type: 'conflict', message: /bodies/ })
  await run('network', { bodies: true })
  const id = await fetched()
  const kept = await run('response_body', { id })
  t.match(kept, { url: pages.url('article'), status: 200, type: 'text/html', base64: false })
  t.match(kept.body, /<title>/)
  t.match(await refusal('response_body', { id: early }), {
    type: 'not_found',
    message: /ask again/,
  })
  t.match(await refusal('response_body', { id: 'x' }), { type: 'not_found', message: /no request/ })
})

t.test('a script’s errors are returned to its caller', async (t) => {
  t.equal(await see('() => 1 + 1'), 2)
  t.same(await see('Promise.resolve({ a: [1] })'), { a: [1] })
  t.equal(await see('undefined'), null)
  for (const expression of ['nope()', '(', 'window', 'Promise.reject(new Error("no"))']) {
    t.match(await refusal('evaluate', { expression }), { type: 'bad_request' }, expression)
  }
})

t.test('a page that crashes or closes during an action ends nothing else', async (t) => {
  await open('changing')
  const lost = refusal('click', { target: '#nothing', timeout: 10_000 })
  const client = await connectRaw(devtoolsUrl(claim))
  const { targetInfos } = await client.send<Targets>('Target.getTargets')
  const { targetId } = targetInfos.find(({ type }) => type === 'page')!
  const attach = { targetId, flatten: true }
  const { sessionId } = await client.send<{ sessionId: string }>('Target.attachToTarget', attach)
  client.send('Page.crash', {}, sessionId).catch(() => undefined) // It does not live to answer.
  t.match(await lost, { type: 'conflict', message: /crashed/ })
  client.close()
  await open('form')
  await click(at('advanced'))
  t.same(await acted(), ['advanced'])
})

t.test('scripts need the session’s permission', async (t) => {
  const plain = await openPageSession(host)
  t.match(await plain.refusal('evaluate', { expression: '1' }), { type: 'forbidden' })
  plain.end()
})
