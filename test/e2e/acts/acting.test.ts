/**
 * Goal: page commands act on an element as a person would, in any frame, and say plainly when they
 * cannot. Method: real Chromium on the fixture pages; each page records what was done to it.
 */
import { Readable } from 'node:stream'
import t from 'tap'
import type { ServiceError } from '../../../proto/errors.ts'
import { at, openFixtures } from '../../helpers/browser/page-session.ts'

const { pages, run, refusal, see, acted, open, click, browserOf } = await openFixtures(t)
const value = (name: string) => see<string>(`document.querySelector('${at(name)}').value`)

t.test('single clicks, double clicks and other buttons work', async (t) => {
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

t.test('a text restricted to some domains is typed only into their documents', async (t) => {
  const [here, there] = [pages.url('form'), pages.otherUrl('form')].map((url) => new URL(url).host)
  const fill = (target: string, text: string, origin: string) =>
    run('type', { target, text, origins: [origin] })
  const refused = (target: string, origin: string) =>
    refusal('type', { target, text: 'x', origins: [origin] })
  await open('form')
  for (const text of ['1234', 'long enough to be inserted']) {
    await fill(at('name'), text, here!)
    t.equal(await value('name'), text)
  }
  const error = await refused(at('name'), there!)
  t.match(error, { type: 'origin_not_allowed', details: { origin: `http://${here}` } })
  t.equal(await value('name'), 'long enough to be inserted', 'nothing was typed')
  await open('far-frames')
  await refused(at('inner-field'), here!)
  await fill(at('inner-field'), '1234', there!)
  t.match(await run('find', { text: 'Inner field' }), { text: /: 1234/ })
})

t.test('a frame that takes the focus gets nothing of such a text', async (t) => {
  const here = new URL(pages.url('form')).host
  await open('far-frames')
  await see(`document.body.insertAdjacentHTML('afterbegin', '<input id=code>')`)
  await see(`document.querySelector('#code').oninput = () =>
    document.querySelector('iframe').focus()`)
  const error = await refusal('type', { target: '#code', text: '1234', origins: [here] })
  t.match(error, { type: 'conflict', message: /moved the focus away/ })
  t.equal(await see(`document.querySelector('#code').value`), '1')
  t.notMatch(await run('find', { text: 'Inner field' }), { text: /: \d/ })
})

t.test('elements that take no text are refused with what to do instead', async (t) => {
  await open('form')
  const refusals: readonly (readonly [string, string, RegExp])[] = [
    [at('country'), 'Peru', /use select_option/],
    [at('terms'), 'yes', /is a checkbox.*use click/],
    [at('picture'), 'a.png', /use upload/],
    ['h1', 'text', /not a text field/],
    [at('born'), 'tomorrow', /requires a text like 2026-01-31/],
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
  t.match(missing, { type: 'bad_request', message: /Its options: .*"Finland"/ })
  t.same(missing.details['options'], ['Choose…', 'Finland', 'Ghana', 'Peru'])
  const two = await refusal('select_option', { target: at('country'), values: ['fi', 'gh'] })
  t.match(two.message, /only one option/)
  t.match((await refusal('click', { target: 'option[value=fi]' })).message, /use select_option/)
})

t.test('keys go to the focused element', async (t) => {
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

t.test('a target may be a role and a name, or a ref, or match several', async (t) => {
  await open('changing')
  await click('button "Add a row"')
  const { matches } = await click(at('remove'))
  t.equal(matches, 3, 'the first that is seen is taken, and how many there were is told')
  t.equal(await see('rows.children.length'), 2)
  const both = await refusal('click', { target: 'a', selector: 'b' }).catch((error) => error)
  t.match(String(both), /target/)
})

t.test('an element that cannot be acted on is refused with the reason', async (t) => {
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

t.test('an element that is covered, moves, or comes late is waited for', async (t) => {
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

t.test('an element out of sight is scrolled to, also from under a bar', async (t) => {
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

t.test('frames of the same or another process, of this or another origin', async (t) => {
  await open('frames')
  for (const name of ['inner', 'inner-open', 'written']) await click(at(name))
  await run('type', { target: at('inner-field'), text: 'near' })
  t.same(await acted(), ['inner', 'inner-open', 'written'])
  for (const name of ['near-frames', 'far-frames']) {
    await open(name)
    await click(at('inner'))
    for (const text of ['far', 'far and long enough']) {
      await run('type', { target: at('inner-field'), text })
      t.ok((await run('find', { text: 'Inner field' })).text.includes(`: ${text}`), text)
    }
    const { text } = await run('extract_text', { target: 'h2' })
    t.match(text, /^\W*Inside a frame\W*$/, `a part of ${name}`)
  }
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

t.test('dialogs are reported, block everything else, and are answered', async (t) => {
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

t.test('requests that an action causes are in its answer', async (t) => {
  await open('loading')
  t.match((await click(at('fetch'))).changes, /Fetched 200/)
  const { url } = await click(at('down'))
  t.match(url, /#down$/)
})

t.test('drags: native, by pointer, and with scrolling on the way', async (t) => {
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

t.test('files go into inputs, and into a chooser that a button opens', async (t) => {
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

t.test('several files go into one input, chooser or drop zone in one act', async (t) => {
  await open('loading')
  const more = [
    { name: 'b.txt', content: 'two' },
    { name: 'c.txt', content: 'three' },
  ]
  const files = { name: 'a.txt', content: 'one', more }
  t.match(await refusal('upload', { target: '#file', ...files }), {
    type: 'bad_request',
    message: /takes only one file/,
    details: { field: 'more' },
  })
  t.match(await refusal('upload', { target: at('choose'), ...files }), { message: /only one file/ })
  await see(
    `document.querySelectorAll('input[type=file]').forEach((input) => (input.multiple = true))`,
  )
  await run('upload', { target: '#file', ...files })
  const texts = `Promise.all([...file.files].map(async (one) => [one.name, await one.text()]))`
  const sent = [
    ['a.txt', 'one'],
    ['b.txt', 'two'],
    ['c.txt', 'three'],
  ]
  t.same(await see(texts), sent)
  await run('upload', { target: at('choose'), ...files })
  t.match((await acted()).at(-1), /a\.txt/)
  const { uploads } = browserOf().files
  const before = async (name: string, text: string) =>
    (await uploads.receive(name, Readable.from([Buffer.from(text)]))).id
  const ids = [await before('d.txt', 'four'), await before('e.txt', 'five')]
  await run('upload', { target: '#file', name: 'a.txt', content: 'one', uploads: ids })
  t.same(await see(texts), [sent[0], ['d.txt', 'four'], ['e.txt', 'five']], 'uploaded before')
  await run('upload', { target: '#file', uploads: ids.slice(1) })
  t.same(await see(texts), [['e.txt', 'five']])
  t.match(await refusal('upload', { target: '#file', uploads: ['fil_none'] }), {
    type: 'not_found',
  })
})

t.test('files are dropped where a page takes dropped files and has no input', async (t) => {
  await open('loading')
  await see(
    `document.body.insertAdjacentHTML('beforeend', '<div id="zone" style="height: 60px">Drop here</div>')`,
  )
  const file = { name: 'a b.txt', content: 'aGk=', base64: true }
  const address = await see('location.href')
  t.match(await refusal('upload', { target: '#zone', ...file }), { type: 'bad_request' })
  t.equal(await see('location.href'), address, 'the file is not opened in place of the page')
  await see(`['dragover', 'drop'].forEach((type) => document.addEventListener(type, (event) => {
    if (!event.target.closest('#zone')) return
    event.preventDefault()
    if (type === 'drop') window.dropped = event.dataTransfer.files
  }))`)
  await run('upload', { target: '#zone', ...file })
  t.equal(await see('dropped.length'), 1)
  t.equal(await see('dropped[0].name'), 'a b.txt')
  t.equal(await see('dropped[0].text()'), 'hi')
})

t.test('a hidden checkbox is clicked by its label', async (t) => {
  await open('loading')
  await click(at('styled'))
  t.ok(await see('styled.checked'))
})

t.test('every clickable element of a page is acted on by its ref', async (t) => {
  const inside: Readonly<Record<string, readonly string[]>> = {
    ...{ spans: [], inbox: [], 'tic-tac-toe': [] },
    shadow: ['open', 'closed', 'closed-in-open', 'wrapped'],
    frames: ['inner', 'inner-open', 'written'],
    'far-frames': ['inner', 'inner-open'],
    'near-frames': ['inner', 'inner-open', 'between'],
  }
  for (const [name, more] of Object.entries(inside)) {
    await open(name)
    const wanted = await see<string[]>(`[...document.querySelectorAll('[data-act]')]
      .map((element) => element.dataset.act)`)
    const { text } = await run('snapshot')
    for (const target of new Set(text.match(/\be\d+(?= )/g))) {
      await run('click', { target, timeout: 1_000 }).catch((error: ServiceError) => {
        // The row is removed together with its delete button.
        if (error.type !== 'stale_ref') throw error
      })
    }
    const done = await acted()
    const left = [...wanted, ...more].filter((what) => !done.includes(what))
    t.same(left, [], name)
  }
})
