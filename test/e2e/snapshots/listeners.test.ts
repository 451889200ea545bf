/**
 * Goal: whatever listens for the pointer has a ref, and says for what if it is not a click; what
 * listens for others swallows none of them. Method: pages with listeners of every kind, and the
 * same page made with real releases of frameworks, in real Chromium.
 */
import t from 'tap'
import { PageControl, type PagedBrowser } from '../../../node-agent/page/page-control.ts'
import { TabView } from '../../../node-agent/page/snapshot/tab-view.ts'
import { inPageText } from '../../helpers/browser/page-text.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { frameworkNames, serveFrameworkPages } from '../../helpers/pages/framework-pages.ts'
import { until } from '../../helpers/lib/until.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

const pages = await serveFixturePages()
t.teardown(() => pages.close())
const frameworks = await serveFrameworkPages()
t.teardown(() => frameworks.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
await host.claim({ browser: { viewport: { width: 1280, height: 800 } } })
const control = new PageControl(host.sessions.held()[0]!.browser as unknown as PagedBrowser)
const tab = await control.selected()
const view = new TabView(tab)
const textNow = async () =>
  (await view.snapshot({ urls: false, maxTokens: commandLimits.snapshotTokens })).text
const run = (expression: string) => tab.send('Runtime.evaluate', { expression })
/** Each line of its own, and each element of a line. */
const thingsIn = (text: string) =>
  text.split('\n').flatMap((line) => line.trim().split(/ (?=e\d+ [a-z])/))
const plain = (thing: string) => thing.replace(/^e\d+ /, '')

interface Listening {
  readonly act: string
  readonly told: string | null
  readonly text: string
}

/** What the page says that listens on it. */
const listening = () =>
  tab.evaluate(
    inPageText<readonly Listening[]>(
      `() => [...document.querySelectorAll('[data-act]')].map((element) => ({
        act: element.dataset.act,
        told: element.dataset.on ?? null,
        text: element.innerText,
      }))`,
    ),
  )

/** The names of elements that no ref leads to. */
async function withoutRef(text: string): Promise<readonly string[]> {
  const refs = [...text.matchAll(/\be\d+(?= [a-z])/g)].map(([ref]) => ref)
  const met = new Set<string>()
  for (const ref of refs) {
    const { backendNodeId } = await view.resolve(ref)
    const { node } = await tab.send('DOM.describeNode', { backendNodeId })
    const at = node.attributes?.indexOf('data-act') ?? -1
    if (at !== -1) met.add(node.attributes![at + 1]!)
  }
  return (await listening()).flatMap(({ act }) => (met.has(act) ? [] : [act]))
}

t.test('each kind of listener has a ref, and what is no click is told', async (t) => {
  await control.goto(pages.url('listeners'))
  const text = await textNow()
  t.same(await withoutRef(text), [], text)
  t.same(thingsIn(text).map(plain), [
    '# Listeners',
    'clickable "Open it"',
    'element "Rename it" on dblclick',
    'element "More of it" on contextmenu',
    'element "What is it" on hover',
    'element "Carry it" on drag',
    'element "Drop it here" on drop',
    'element "File" on hover',
    'element #column on resize',
    'element "Map" on drag',
    'clickable "Open or more" on contextmenu',
    'button "Save" on contextmenu',
    'button "Hinted"',
    '##',
    'element "Chapter" on dblclick',
    'table: 2 rows',
    'element #row on contextmenu Ada | 1815',
    'Grace | 1906',
    'Nothing listens here.',
  ])
})

t.test('a menu that style alone opens keeps its ref while it is open', async (t) => {
  await control.goto(pages.url('listeners'))
  const [, closed] = /(e\d+) element "File" on hover/.exec(await textNow()) ?? []
  const { x, y } = await tab.evaluate(
    inPageText<{ readonly x: number; readonly y: number }>(
      `() => document.getElementById('menu').getBoundingClientRect().toJSON()`,
    ),
  )
  const move = { type: 'mouseMoved', x: x + 5, y: y + 5 } as const
  await tab.send('Input.dispatchMouseEvent', move)
  const open = await until('the menu is open', async () => {
    const text = await textNow()
    return text.includes('Save') && /File.*Save/s.test(text) && text
  })
  t.match(open, new RegExp(`${closed} element .*on hover`))
})

t.test('a listener that is added later, or to what listened already, is told', async (t) => {
  await control.goto(pages.url('listeners'))
  await textNow()
  await run(`on('plain', 'dblclick'); on('click', 'drop')`)
  const text = await textNow()
  t.match(text, /e\d+ element "Nothing listens here\." on dblclick/)
  t.match(text, /e\d+ clickable "Open it" on drop/)
})

t.test(
  'what a framework has put into a frame that came later has a ref, for as long as it is there',
  async (t) => {
    await control.goto(pages.url('listeners'))
    t.notMatch(await textNow(), 'Rendered later')
    await run(`
    const frame = document.body.appendChild(document.createElement('iframe'))
    const rendered = frame.contentDocument.createElement('div')
    rendered.textContent = 'Rendered later'
    rendered['__reactProps$x'] = { onClick() {} }
    frame.contentDocument.body.append(rendered)
  `)
    t.match(await textNow(), /e\d+ clickable "Rendered later"/)
    await run(`delete rendered['__reactProps$x']`)
    const text = await textNow()
    t.match(text, 'Rendered later')
    t.notMatch(text, 'clickable "Rendered later"')
  },
)

t.test('what listens for others swallows neither their refs nor their lines', async (t) => {
  await control.goto(pages.url('delegates'))
  const text = await textNow()
  t.same(await withoutRef(text), [], text)
  const plainLines = text.split('\n').map((line) => line.replace(/\be\d+ (?=[a-z])/g, ''))
  for (const line of [
    '## Orders',
    'Two are open.',
    'One is late.',
    'clickable "Sort" clickable "Filter"',
    'clickable "Pencil 1.20 EUR"',
    'clickable "One"',
    'clickable "Two"',
  ]) {
    t.ok(plainLines.includes(line), line)
  }
  t.match(text, /Terms that nobody reads.*such as the word quokka\.$/m, 'long text is whole')
})

for (const name of frameworkNames) {
  t.test(`what only a framework knows has a ref: ${name}`, async (t) => {
    await control.goto(frameworks.url(name))
    await until(`${name} has rendered`, async () => (await listening()).length >= 9)
    const text = await textNow()
    t.same(await withoutRef(text), [], text)
    const things = thingsIn(text)
    for (const { told, text: shown } of await listening()) {
      const own = things.find((thing) => thing.includes(`"${shown}"`)) ?? ''
      t.match(own, /^e\d+ (clickable|element|button) /, shown)
      t.equal(/ on (.*)$/.exec(own)?.[1] ?? null, told, own)
    }
    t.ok(things.includes('Nothing listens here.'), 'and what does not listen has none')
    t.notMatch(text, /#root/, 'nor has what listens for all')
  })
}

/** As jQuery UI builds it: items are delegated to the list, roles are on what is in them. */
const menu = `
  <style>.item { cursor: pointer }</style>
  <ul id="menu" role="menu" style="width: 120px; list-style: none; padding: 0">
    <li class="item"><div role="menuitem" tabindex="-1">Katina</div></li>
    <li class="item" style="position: relative">
      <div role="menuitem" tabindex="-1" aria-haspopup="true">Ferne</div>
      <ul id="sub" role="menu" style="position: absolute; left: 120px; top: 0; width: 120px; display: none">
        <li class="item"><div role="menuitem" tabindex="-1">Nia</div></li>
      </ul>
    </li>
  </ul>
  <p>Orders that you placed in June are shown here</p><input id="running">
  <p>We ship. Then you pay</p><input id="sentence">
  <p>Which of your orders do you mean?</p><input id="question">
  <p>Order number (on the back of the letter)</p><input id="hint">
  <p>First name</p><input id="short">`

t.test('the role wins over the handler around it; running text is no label', async (t) => {
  await control.goto(frameworks.url('jquery3'))
  await until('jQuery has rendered', async () => (await listening()).length >= 9)
  await run(`document.body.innerHTML = ${JSON.stringify(menu)};
    jQuery('#menu').on('click', '.item', () => undefined)`)
  const read = async () =>
    (await textNow())
      .split('\n')
      .map((line) => line.trim())
      .map(plain)
  const closed = await read()
  for (const name of ['Katina', 'Ferne']) {
    const lines = closed.filter((line) => line.includes(`"${name}"`))
    t.match(lines, [/^menuitem /], `${name}: ${lines.join('; ')}`)
    t.equal(lines.length, 1)
  }
  await run(`sub.style.display = 'block'`)
  const opened = await read()
  t.notOk(
    opened.some((line) => line.startsWith('clickable')),
    opened.join('\n'),
  )
  t.ok(opened.some((line) => line.startsWith('menuitem "Nia"')))
  for (const text of ['Orders that you placed in June are shown here', 'We ship. Then you pay']) {
    t.ok(closed.includes(text), `stays text: ${text}`)
  }
  for (const name of [
    'Which of your orders do you mean?',
    'Order number (on the back of the letter)',
    'First name',
  ]) {
    t.ok(closed.includes(`textbox "${name}"`), `is a name: ${name}`)
  }
})
