/**
 * Goal: page commands do to an element what a person would, wherever its frame lives, and say
 * plainly when they cannot. Method: real Chromium on the fixture pages; each page writes down what
 * was done to it.
 */
import t from 'tap'
import { devtoolsUrl, openBrowserHost } from '../helpers/browser-host.ts'
import { connectRaw } from '../helpers/browsers.ts'
import { serveFixturePages } from '../helpers/fixture-pages.ts'
import { openPageSession } from '../helpers/page-session.ts'
import { pngSize } from '../helpers/png.ts'

t.setTimeout(120_000)

interface Targets {
  readonly targetInfos: readonly { readonly targetId: string; readonly type: string }[]
}

const pages = await serveFixturePages()
t.teardown(() => pages.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
const { claim, run, refusal } = await openPageSession(host, {
  browser: { viewport: { width: 1000, height: 700 }, evaluate: { active: true } },
})

const see = async <T>(expression: string) => (await run('evaluate', { expression })).value as T
const acted = () => see<string[]>('acted')
const open = (name: string) => run('navigate', { url: pages.url(name) })
const at = (name: string) => `[data-act="${name}"]`
const click = (target: string) => run('click', { target })
const value = (name: string) => see<string>(`document.querySelector('${at(name)}').value`)

t.test('a click, two clicks, the other button', async (t) => {
  await open('form')
  const { url, title } = await click(at('advanced'))
  t.same([url, title], [pages.url('form'), 'Sign up'])
  t.same(await acted(), ['advanced'])
  await click(at('terms'))
  t.ok(await see('document.querySelector("[data-act=terms]").checked'))
  await see('for (const type of ["dblclick", "auxclick"]) addEventListener(type, () => act(type))')
  await run('click', { target: at('advanced'), double: true })
  await run('click', { target: at('advanced'), button: 'middle' })
  t.same(await acted(), ['advanced', 'advanced', 'advanced', 'dblclick', 'auxclick'])
})

t.test('fields of every kind are filled', async (t) => {
  await open('form')
  const fill = (name: string, text: string, more = {}) =>
    run('type', { target: at(name), text, ...more })
  await fill('name', 'Grace "H" Hopper é🎉')
  t.equal(await value('name'), 'Grace "H" Hopper é🎉')
  await fill('email', 'grace@example.org')
  t.equal(await value('email'), 'grace@example.org', 'what was there is gone')
  await fill('about', '\nand ships\ttoo', { append: true })
  t.equal(await value('about'), 'Likes engines.\nand ships\ttoo')
  await fill('name', '')
  t.equal(await value('name'), '')
  await fill('born', '1906-12-09')
  t.equal(await value('born'), '1906-12-09')
  await fill('seats', '7')
  t.equal(await value('seats'), '7')
  await fill('signature', 'Grace')
  t.equal(await see(`document.querySelector('${at('signature')}').innerText`), 'Grace')
  await fill('name', 'x'.repeat(3_000))
  t.equal((await value('name')).length, 3_000)
  await fill('name', 'two\nlines')
  t.equal(await value('name'), 'two lines')
  t.same(await acted(), [], 'nothing was submitted')
  await run('click', { target: at('terms') })
  await fill('name', 'done', { submit: true })
  t.same(await acted(), ['submitted'])
})

t.test('what is not to be typed into says what to do instead', async (t) => {
  await open('form')
  const refusals: readonly (readonly [string, string, RegExp])[] = [
    [at('country'), 'Peru', /use select_option/],
    [at('terms'), 'yes', /is a checkbox.*use click/],
    [at('picture'), 'a.png', /use upload/],
    ['h1', 'text', /not a text field/],
    [at('born'), 'tomorrow', /takes a text like 2026-01-31/],
  ]
  for (const [target, text, message] of refusals) {
    t.match(await refusal('type', { target, text }), { type: 'bad_request', message }, target)
  }
})

t.test('options are chosen by value or label, and events tell the page', async (t) => {
  await open('form')
  await see('addEventListener("change", (e) => act("changed to " + e.target.value))')
  await run('select_option', { target: at('country'), value: 'fi' })
  await run('select_option', { selector: at('country'), label: ' Ghana ' })
  t.same(await acted(), ['changed to fi', 'changed to gh'])
  await run('select_option', { target: at('languages'), values: ['Finnish', 'Quechua'] })
  const chosen = `[...document.querySelector('${at('languages')}').selectedOptions].map((o) => o.value)`
  t.same(await see(chosen), ['Finnish', 'Quechua'])
  const missing = await refusal('select_option', { target: at('country'), value: 'Nowhere' })
  t.match(missing, { type: 'bad_request', message: /There are: .*"Finland"/ })
  t.same(missing.details['options'], ['Choose…', 'Finland', 'Ghana', 'Peru'])
  const two = await refusal('select_option', { target: at('country'), values: ['fi', 'gh'] })
  t.match(two.message, /one option only/)
  t.match((await refusal('click', { target: 'option[value=fi]' })).message, /use select_option/)
})

t.test('keys go where the keyboard is', async (t) => {
  await open('form')
  await run('type', { target: at('name'), text: 'abc' })
  for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'X', 'é', '+']) await run('press', { key })
  t.equal(await value('name'), 'aXé+c')
  await run('press', { key: 'Control+a' })
  await run('press', { key: 'Delete' })
  t.equal(await value('name'), '')
  t.match(await refusal('press', { key: 'Control+Nope' }), { type: 'bad_request' })
  t.match(await refusal('press', { key: 'a++b' }), {
    type: 'bad_request',
    details: { field: 'key' },
  })
})

t.test('a target may be a role and a name, a ref, or match several', async (t) => {
  await open('changing')
  await click('button "Add a row"')
  const { matches } = await click(at('remove'))
  t.equal(matches, 3, 'the first that is seen is taken, and how many there were is told')
  t.equal(await see('rows.children.length'), 2)
  const both = await refusal('click', { target: 'a', selector: 'b' }).catch((error) => error)
  t.match(String(both), /target/)
})

t.test('what cannot be acted on says why', async (t) => {
  await open('changing')
  const late = { timeout: 200 }
  await see('document.body.insertAdjacentHTML("beforeend", "<div class=cover id=cover>Wait</div>")')
  t.match(await refusal('click', { target: '#save', ...late }), {
    type: 'not_actionable',
    message: /#save is covered by div#cover\.cover "Wait"/,
    details: { why: 'covered', covered_by: 'div#cover.cover "Wait"' },
  })
  await see('document.getElementById("cover").remove(), save.disabled = true')
  t.match(await refusal('click', { target: '#save', ...late }), { details: { why: 'disabled' } })
  await see('save.style.visibility = "hidden"')
  t.match(await refusal('click', { target: '#save', ...late }), { details: { why: 'hidden' } })
  t.match(await refusal('click', { target: '#nothing', ...late }), { type: 'element_not_found' })
  t.match(await refusal('click', { target: '#[', ...late }), { type: 'bad_request' })
  t.same(await acted(), [])
})

t.test('what is covered for a while, or moves, or comes late, is waited for', async (t) => {
  await open('changing')
  await click(at('cover'))
  await click('#save')
  t.same(await acted(), ['Covered', 'Saved'])
  await click(at('jump'))
  await click(at('jump'))
  t.same((await acted()).filter((what) => what === 'Jumped').length, 2)
  await open('loading')
  await click(at('grow'))
  await click(at('grown'))
  t.same(await acted(), ['grown'])
})

t.test('what is out of sight is scrolled to, from under a bar too', async (t) => {
  await open('shop')
  await see(`document.body.insertAdjacentHTML('afterbegin',
    '<div style="position:fixed;inset:0 0 auto;height:300px;background:#eee">Bar</div>')`)
  await see(`document.body.insertAdjacentHTML('beforeend',
    '<button id=last onclick="last.textContent = 1">Last</button>')`)
  await click('#last')
  await run('scroll_page', { pages: -50 })
  t.equal(await see('scrollY'), 0)
  await run('scroll_page', { target: '#last', pages: 0 })
  t.ok((await see<number>('scrollY')) > 300)
  t.equal(await see('last.textContent'), '1')
})

t.test('frames, of the same process or another', async (t) => {
  await open('frames')
  for (const name of ['inner', 'inner-open', 'written']) await click(at(name))
  await run('type', { target: at('inner-field'), text: 'near' })
  t.same(await acted(), ['inner', 'inner-open', 'written'])
  await open('far-frames')
  await click(at('inner'))
  await run('type', { target: at('inner-field'), text: 'far' })
  const { matches = 1 } = await run('wait_for', { selector: at('inner') })
  t.equal(matches, 1)
  t.same(await acted(), ['inner'])
  await see(
    'document.querySelector("iframe").style.transform = "translate(40px, 900px) scale(0.5)"',
  )
  await click(at('inner'))
  t.same(await acted(), ['inner', 'inner'])
  await see(`document.body.insertAdjacentHTML('beforeend',
    '<div id=lid style="position:fixed;inset:0;background:#eee"></div>')`)
  t.match(await refusal('click', { target: at('inner'), timeout: 300 }), {
    details: { why: 'covered', covered_by: 'div#lid' },
  })
})

t.test('a closed shadow root is reached by its refs', async (t) => {
  const { changes } = await open('shadow')
  const refOf = (name: string) => new RegExp(`(e\\d+) \\w+ "${name}"`).exec(changes)?.[1] ?? name
  await click(refOf('Closed root'))
  await click(refOf('Closed in open'))
  await run('type', { target: refOf('Code'), text: '1234' })
  await run('click', { target: at('open') })
  t.same(await acted(), ['closed', 'closed-in-open', 'open'])
  await open('form')
  const stale = await refusal('click', { target: refOf('Closed root') })
  t.match(stale, { type: 'stale_ref', details: { cause: 'navigated' } })
})

t.test('dialogs are told, stop everything else, and are answered', async (t) => {
  await open('dialogs')
  t.match(await click(at('alert')), { dialog: 'alert: Hello', changes: '' })
  for (const command of ['click', 'hover'] as const) {
    t.match(await refusal(command, { target: at('confirm') }), { type: 'dialog_open' })
  }
  await run('handle_dialog', { accept: true })
  t.match(await click(at('confirm')), { dialog: 'confirm: Sure?' })
  await run('handle_dialog', { accept: false })
  await click(at('prompt'))
  await run('handle_dialog', { accept: true, text: 'Grace' })
  await click(at('confirm'))
  await run('press', { key: 'Enter' })
  t.same(await acted(), ['alert', 'confirm false', 'prompt Grace', 'confirm true'])
  t.match(await refusal('handle_dialog', { accept: true }), { type: 'conflict' })
  await see('onbeforeunload = (event) => event.preventDefault()')
  await open('form')
  t.equal(await see('document.title'), 'Sign up', 'who navigates means to leave')
})

t.test('an action that leads to another page answers from there', async (t) => {
  await open('changing')
  const { url, title, changes } = await click(at('leave'))
  t.same([url, title], [pages.url('form?left'), 'Sign up'])
  t.match(changes, /Full name/)
  t.equal((await run('navigate', { go: 'back' })).title, 'Changing')
  t.equal((await run('navigate', { go: 'forward' })).title, 'Sign up')
  await see('document.title = "Changed"')
  t.equal((await run('navigate', { go: 'reload' })).title, 'Sign up')
  t.match(await refusal('navigate', { go: 'forward' }), { type: 'conflict' })
  t.match(await refusal('navigate', { url: 'http://127.0.0.1:1/' }), { type: 'navigation_failed' })
})

t.test('what an action has the page fetch is in its answer', async (t) => {
  await open('loading')
  t.match((await click(at('fetch'))).changes, /Fetched 200/)
  const { url } = await click(at('down'))
  t.match(url, /#down$/)
})

t.test('tabs are opened, switched and closed, and are what is acted on', async (t) => {
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

t.test('drags: native ones, a pointer’s, and to where one must scroll', async (t) => {
  await open('drag')
  await run('drag', { from: at('card'), to: at('pile') })
  await run('drag', { from: at('card'), to: at('far') })
  await run('drag', { from: at('handle'), to: at('card') })
  t.same(await acted(), ['card on pile', 'card on far', 'moved'])
})

t.test('a virtual list is scrolled and clicked', async (t) => {
  await open('virtual-list')
  await run('scroll_page', { target: '#view', pages: 50 })
  await click(at('row-505'))
  t.same(await acted(), ['row-505'])
})

t.test('files reach inputs, and the chooser a button opens', async (t) => {
  await open('loading')
  const file = { name: 'a b.txt', content: 'aGk=', base64: true }
  await run('upload', { target: '#file', ...file })
  await run('upload', { target: at('choose'), ...file })
  t.same(await acted(), ['chose a b.txt', 'chose a b.txt'], 'under its name both times')
  t.equal(await see('file.files[0].text()'), 'hi')
  t.match(await refusal('upload', { target: at('down'), ...file }), { type: 'bad_request' })
  t.match(await refusal('upload', { target: '#file', ...file, content: '%' }), {
    details: { field: 'content' },
  })
})

t.test('a hidden checkbox is its label to a hand', async (t) => {
  await open('loading')
  await click(at('styled'))
  t.ok(await see('styled.checked'))
})

t.test('waiting ends when all that is named is so, and says what is missing', async (t) => {
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

t.test('pictures of an element, of all of the page, small ones', async (t) => {
  await open('form')
  const whole = await run('screenshot', { full_page: true, max_width: 500 })
  const { width, height } = pngSize(Buffer.from(whole.image))
  t.equal(width, 500)
  t.ok(height > 0 && whole.scale === 0.5)
  const { image, left, top } = await run('screenshot', { target: 'h1' })
  const box = await see<{ x: number; y: number; width: number }>(
    'document.querySelector("h1").getBoundingClientRect().toJSON()',
  )
  t.same([left, top], [box.x, box.y])
  t.equal(pngSize(Buffer.from(image)).width, Math.ceil(box.width))
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

t.test('the console and the network are written down once asked for', async (t) => {
  await open('loading')
  await run('console')
  await run('network')
  await click(at('log'))
  await click(at('fetch'))
  t.match((await run('console')).lines.at(-1), { level: 'warn', text: 'logged 7' })
  const { requests } = await run('network')
  t.match(requests.at(-1), { method: 'GET', url: pages.url('article'), status: 200, type: 'fetch' })
})

t.test('a script’s errors are its caller’s', async (t) => {
  t.equal(await see('() => 1 + 1'), 2)
  t.same(await see('Promise.resolve({ a: [1] })'), { a: [1] })
  t.equal(await see('undefined'), null)
  for (const expression of ['nope()', '(', 'window', 'Promise.reject(new Error("no"))']) {
    t.match(await refusal('evaluate', { expression }), { type: 'bad_request' }, expression)
  }
})

t.test('a page that crashes, or goes while it is acted on, ends nothing else', async (t) => {
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

t.test('a session is asked for leave before scripts run in it', async (t) => {
  const plain = await openPageSession(host)
  t.match(await plain.refusal('evaluate', { expression: '1' }), { type: 'forbidden' })
  plain.end()
})
