/**
 * Goal: page commands do to an element what a person would, wherever its frame lives, and say
 * plainly when they cannot. Method: real Chromium on the fixture pages; each page writes down what
 * was done to it.
 */
import t from 'tap'
import { openBrowserHost } from '../helpers/browser-host.ts'
import { serveFixturePages } from '../helpers/fixture-pages.ts'
import { openPageSession } from '../helpers/page-session.ts'

t.setTimeout(120_000)

const pages = await serveFixturePages()
t.teardown(() => pages.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
const { run, refusal } = await openPageSession(host, {
  browser: { viewport: { width: 1000, height: 700 }, evaluate: { active: true } },
})

const see = async <T>(expression: string) => (await run('evaluate', { expression })).value as T
const acted = () => see<string[]>('acted')
const open = (name: string) => run('navigate', { url: pages.url(name) })
const at = (name: string, of = '') => `${of}[data-act="${name}"]`

t.test('a click, two clicks, the other button', async (t) => {
  await open('form')
  const { url, title } = await run('click', { target: at('advanced') })
  t.same([url, title], [pages.url('form'), 'Sign up'])
  t.same(await acted(), ['advanced'])
  await run('click', { target: at('terms') })
  t.ok(await see('document.querySelector("[data-act=terms]").checked'))
  await see('addEventListener("dblclick", ({ button }) => act("double " + button))')
  await run('click', { target: at('advanced'), double: true })
  t.same(await acted(), ['advanced', 'advanced', 'advanced', 'double 0'])
})

t.test('fields of every kind are filled', async (t) => {
  await open('form')
  const value = (name: string) =>
    see<string>(
      `(() => { const e = document.querySelector('${at(name)}'); return e.value ?? e.innerText })()`,
    )
  await run('type', { target: at('name'), text: 'Grace "H" Hopper é🎉' })
  t.equal(await value('name'), 'Grace "H" Hopper é🎉')
  await run('type', { target: at('email'), text: 'grace@example.org' })
  t.equal(await value('email'), 'grace@example.org', 'what was there is gone')
  await run('type', { target: at('about'), text: '\nand ships\ttoo', append: true })
  t.equal(await value('about'), 'Likes engines.\nand ships\ttoo')
  await run('type', { target: at('name'), text: '' })
  t.equal(await value('name'), '')
  await run('type', { target: at('born'), text: '1906-12-09' })
  t.equal(await value('born'), '1906-12-09')
  await run('type', { target: at('seats'), text: '7' })
  t.equal(await value('seats'), '7')
  await run('type', { target: at('signature'), text: 'Grace' })
  t.equal(await value('signature'), 'Grace')
  await run('type', { target: at('name'), text: 'x'.repeat(3_000) })
  t.equal((await value('name')).length, 3_000)
  await run('type', { target: at('name'), text: 'two\nlines' })
  t.equal(await value('name'), 'two lines')
  t.same(await acted(), [], 'nothing was submitted')
})

t.test('frames, same process or not', async (t) => {
  await open('frames')
  await run('click', { target: at('inner') })
  await run('click', { target: at('inner-open') })
  await run('click', { target: at('written') })
  await run('type', { target: at('inner-field'), text: 'near' })
  t.same(await acted(), ['inner', 'inner-open', 'written'])
  await open('far-frames')
  await run('click', { target: at('inner') })
  await run('type', { target: at('inner-field'), text: 'far away', submit: true })
  t.same(await acted(), ['inner'])
})
