/**
 * Goal: a snapshot contains every clickable element of a page, each with a ref that means that
 * element and no other, and nothing that a person cannot see. Method: real Chromium on the fixture
 * pages, whose elements have data-act when they can be acted on; the debugger, which sees into
 * every frame and closed root, lists them.
 */
import t, { type Test } from 'tap'
import { PageControl, type PagedBrowser } from '../../../node-agent/page/page-control.ts'
import { FrameTargets } from '../../../node-agent/page/tabs/remote-frames.ts'
import { TabView } from '../../../node-agent/page/snapshot/tab-view.ts'
import type { Tab } from '../../../node-agent/page/tabs/tab.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { inPageText } from '../../helpers/browser/page-text.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'
import { serve } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

const pages = await serveFixturePages()
t.teardown(() => pages.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
await host.claim({ browser: { viewport: { width: 1280, height: 800 } } })
const control = new PageControl(host.sessions.held()[0]!.browser as unknown as PagedBrowser)
const tab = await control.selected()
const view = new TabView(tab)

const open = (name: string) => control.goto(pages.url(name))
const maxTokens: number = commandLimits.snapshotTokens
const textOf = async (tokens = maxTokens) =>
  (await view.snapshot({ urls: false, maxTokens: tokens })).text
const refsIn = (text: string) => [...text.matchAll(/\be\d+(?= [a-z])/g)].map(([ref]) => ref)
const run = (expression: string) =>
  tab.send('Runtime.evaluate', { expression, awaitPromise: true, userGesture: true })
const refOf = (text: string, what: string): string => {
  const ref = new RegExp(`(e\\d+) ${what}`).exec(text)?.[1]
  if (ref === undefined) throw new Error(`no ${what} in: ${text}`)
  return ref
}

async function goBack() {
  const { entries, currentIndex } = await tab.call('Page.getNavigationHistory')
  await tab.call('Page.navigateToHistoryEntry', { entryId: entries[currentIndex - 1]!.id })
}

interface Node {
  readonly backendNodeId: number
  readonly attributes?: readonly string[]
  readonly children?: readonly Node[]
  readonly shadowRoots?: readonly Node[]
  readonly contentDocument?: Node
}

/** The data-act of every node below, with its process and its id for the debugger. */
function actable(node: Node, session: string): [string, string][] {
  const at = node.attributes?.indexOf('data-act') ?? -1
  const own: [string, string][] =
    at === -1 ? [] : [[`${session}/${node.backendNodeId}`, node.attributes![at + 1]!]]
  const below = [...(node.children ?? []), ...(node.shadowRoots ?? [])]
  if (node.contentDocument) below.push(node.contentDocument)
  return [...own, ...below.flatMap((one) => actable(one, session))]
}

async function allActable(of: Tab): Promise<Map<string, string>> {
  const sessions = [of.session, ...(await (await FrameTargets.of(of)).sessions())]
  const found = await Promise.all(
    sessions.map(async (session) => {
      const depth = { depth: -1, pierce: true }
      const { root } = await of.send('DOM.getDocument', depth, undefined, session)
      await of.send('DOM.disable', {}, undefined, session)
      return actable(root, session)
    }),
  )
  return new Map(found.flat())
}

const clickablePages = {
  form: 16,
  shop: 560,
  article: 160,
  frames: 5,
  'far-frames': 8,
  'near-frames': 8,
  shadow: 6,
  canvas: 5,
  spans: 11,
  'tic-tac-toe': 9,
  inbox: 9,
  'virtual-list': 11,
  dialogs: 7,
  'right-to-left': 4,
  changing: 10,
}

for (const [name, atLeast] of Object.entries(clickablePages)) {
  t.test(`every clickable element is in the snapshot: ${name}`, async (t) => {
    await open(name)
    const wanted = await until(`${name} has come up`, async () => {
      const all = await allActable(tab)
      return all.size >= atLeast && all
    })
    const text = await textOf(commandLimits.snapshotTokensMax)
    const met = new Map<string, string>()
    for (const ref of refsIn(text)) {
      const { sessionId, backendNodeId } = await view.resolve(ref)
      const key = `${sessionId}/${backendNodeId}`
      t.notOk(met.has(key), `${ref} is the only ref of its element`)
      met.set(key, ref)
    }
    const missing = [...wanted].filter(([key]) => !met.has(key)).map(([, act]) => act)
    t.same(missing, [], text.slice(0, 3_000))
    t.same(refsIn(await textOf(commandLimits.snapshotTokensMax)), refsIn(text), 'the refs hold')
  })
}

t.test(
  'invisible elements are left out, and so are names that differ from the text they show',
  async (t) => {
    await open('form')
    const text = await textOf()
    const unseen = await tab.evaluate(
      inPageText<string[]>(
        '() => [...document.querySelectorAll("[data-unseen]")].map((one) => one.textContent)',
      ),
    )
    t.equal(unseen.length, 7)
    for (const one of unseen) t.notMatch(text, one)
    t.notMatch(text, 'secret word')
    await open('right-to-left')
    const odd = await textOf()
    t.match(odd, 'safetxet desrever zerowidth tag half\uFFFD end')
    t.match(odd, 'السعر ١٢٫٥٠ دولاراً')
    t.notMatch(odd, /[\u202A-\u202E\u200B]|[\u{E0000}-\u{E007F}]/u)
  },
)

t.test('fields have names, values and states', async (t) => {
  await open('form')
  await run('document.querySelector("[data-act=email]").focus()')
  const text = (await textOf()).replace(/^ *e\d+ /gm, '')
  for (const line of [
    'textbox "Full name*" required',
    'textbox "E-mail*" required focused: ada@example.org',
    'textbox "Password": ••••',
    'combobox "Country": Choose… (Choose…, Finland, Ghana, Peru)',
    'listbox "Languages" multiple: Akan, Quechua (Akan, Finnish, Quechua)',
    'radio "Free" checked',
    'radio "Paid"',
    'checkbox "I accept the terms" required',
    'slider "Seats": 3 (1–9)',
    'date "Born": 1815-12-10',
    'file "Picture"',
  ]) {
    t.ok(text.split('\n').includes(line), line)
  }
  t.match(text, 'button "Advanced" collapsed')
  t.match(text, 'button "Delete account" disabled')
})

t.test('the budget is kept, what is left out is named, and what is in view is kept', async (t) => {
  for (const name of ['table', 'shop', 'article', 'huge?tokens']) {
    await open(name)
    for (const tokens of [commandLimits.snapshotTokensMin, 1_000, maxTokens]) {
      const { text, more } = await view.snapshot({ urls: false, maxTokens: tokens })
      t.ok(countTokens(text) <= tokens, `${name} in ${tokens}: ${countTokens(text)}`)
      t.ok(more > 0, `${name} in ${tokens} has more`)
      t.match(text.split('\n').at(-1), /^… .*more below; use find or scroll$/)
    }
  }
  await open('table')
  await run('document.querySelector("#rows tr:nth-child(300)").scrollIntoView()')
  const text = await textOf(2_000)
  t.match(text, / 1300 \| /)
  t.match(text, /… \d+ more above, \d+ more below; use find or scroll$/)
})

t.test('a DOM of 20 MB is read within bounds, and searched to its end', async (t) => {
  await open('huge?bytes')
  const bytes = await tab.evaluate(
    inPageText<number>('() => document.documentElement.outerHTML.length'),
  )
  t.ok(bytes > 20_000_000)
  const { text, more } = await view.snapshot({ urls: false, maxTokens })
  t.ok(countTokens(text) <= maxTokens)
  t.ok(more > 10_000)
  t.match(text, /^# Huge\ne\d+ button "First button"/)
  t.match(text, /… at least \d+ more below; use find or scroll$/)
  t.match((await view.find('go 19990', 1_000)).text, 'link "go 19990"')
  const said = await view.extract({ format: 'markdown', maxChars: commandLimits.extractChars })
  t.ok(said.text.length <= commandLimits.extractChars && said.text.length > 100_000)
  t.ok(said.more > 5_000_000)
})

t.test('reading does not disturb pages with handlers in attributes', async (t) => {
  for (let round = 0; round < 4; round++) {
    for (const name of ['changing', 'form', 'article', 'spans']) {
      await open(name)
      await textOf()
      if (name !== 'form') continue
      await goBack()
      await textOf()
    }
  }
  t.match(await textOf(), 'By attribute')
})

t.test('a page that navigates while it is read is read at its new place', async (t) => {
  for (let round = 0; round < 5; round++) {
    await open('changing')
    // A page that has begun to leave answers nothing before it is there.
    const read = textOf().catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.type === 'timeout')) throw error
      return textOf()
    })
    const [text] = await Promise.all([read, run('location.href = "shop.html"')])
    t.match(text, /Changing|Tools|is still loading|Nothing is there/)
    await until('it is there', async () => (await textOf()).includes('Imprint'))
  }
})

t.test('a page that is loading and shows nothing yet is waited for', async (t) => {
  let held: (() => void) | undefined
  const origin = await serve(t, (_request, response) => {
    response.setHeader('content-type', 'text/html').write('<!doctype html><title>Late</title>')
    held = () => response.end('<button>Here I am')
  })
  await run(`location.href = '${origin}'`)
  await until('it has begun', async () => {
    return (await tab.evaluate(inPageText('() => document.title')).catch(() => '')) === 'Late'
  })
  const text = textOf()
  held!()
  t.match(await text, 'button "Here I am"')
})

t.test(
  'a ref survives what the page does around its element, and a navigation away and back',
  async (t) => {
    await open('changing')
    const before = await textOf()
    const remove = refOf(before, 'button "Remove"')
    const save = refOf(before, 'button "Save"')
    await run('rerender()')
    t.equal(refOf(await textOf(), 'button "Save"'), save)
    await view.resolve(remove)
    await open('form')
    await rejectsStale(t, save, 'navigated')
    await goBack()
    await until('the page is back', async () => {
      const url = await tab.evaluate(inPageText<string>('() => location.href')).catch(() => '')
      return url === pages.url('changing')
    })
    t.equal(refOf(await textOf(), 'button "Save"'), save, 'as it was')
    await view.resolve(remove)
  },
)

async function rejectsStale(t: Test, ref: string, cause: string, nearest?: string) {
  const error: unknown = await view.resolve(ref).then(
    () => undefined,
    (error: unknown) => error,
  )
  t.ok(error instanceof ServiceError)
  if (!(error instanceof ServiceError)) return
  t.match(error, { type: 'stale_ref', status: 409, details: { ref, cause } })
  if (nearest !== undefined) t.equal(error.details['nearest'], nearest)
}

t.test('a stale ref is refused with the reason and the most similar element', async (t) => {
  await open('changing')
  const remove = refOf(await textOf(), 'button "Remove"')
  await run('replace()')
  const now = refOf(await textOf(), 'button "Remove"')
  await rejectsStale(t, remove, 'removed', `${now} button "Remove"`)
  await rejectsStale(t, 'e999999', 'never_given')
  for (const name of ['frames', 'near-frames', 'far-frames']) {
    await open(name)
    const inner = await until(
      'the frame is read',
      async () => /(e\d+) button "Inner button"/.exec(await textOf())?.[1],
    )
    await run('for (const frame of document.querySelectorAll("iframe")) frame.remove()')
    await until('the frame is gone', async () => !(await textOf()).includes('Inner button'))
    await rejectsStale(t, inner, 'frame_gone')
  }
})

t.test('a change is answered alone; a new document by a snapshot of it', async (t) => {
  await open('changing')
  const save = refOf(await textOf(), 'button "Save"')
  const mark = await view.mark()
  t.equal((await view.changesSince(mark, maxTokens)).text, '')
  await run('save.click(); add()')
  const { text: changes } = await view.changesSince(mark, maxTokens)
  t.match(changes, /^\+ Saved$/m)
  t.match(changes, new RegExp(`^~ ${save} button "Save" disabled$`, 'm'))
  t.match(changes, /^\+ Row 3 e\d+ button "Remove"$/m)
  t.match(changes, /^- Idle$/m)
  t.equal(changes.split('\n').length, 4)
  await open('form')
  const { text: other } = await view.changesSince(mark, 200)
  t.match(other, /^The page is another now, .*form\.html:\n# Sign up\n/)
  t.ok(countTokens(other) <= 200)
})

t.test('a table with listeners on its cells keeps its rows', async (t) => {
  await open('table')
  const rows = (text: string) => text.split('\n').filter((line) => line.includes(' | '))
  const before = await textOf()
  await run('document.querySelector("table").onclick = () => {}')
  const text = await textOf()
  t.match(text, /\btable .*: \d+ rows$/m)
  t.same(rows(text), rows(before))
})

t.test('find searches the whole page, and names the heading', async (t) => {
  await open('article')
  const { text, more } = await view.find('note 35.2', 1_000)
  t.match(text, /^## Section 35\n.*link "note 35\.2"/)
  t.equal(more, 0)
  const many = await view.find('machine', 500)
  t.ok(countTokens(many.text) <= 500)
  t.ok(many.more > 50)
  t.same(await view.find('not in there at all', 1_000), { text: '', more: 0 })
})

t.test('a role and a name find the element of a snapshot, in every frame', async (t) => {
  await open('far-frames')
  const refs = await until('both frames are there', async () => {
    const all = await view.byRole('button', 'Inner button')
    return all.length === 2 && all
  })
  const found = await Promise.all(refs.map((ref) => view.resolve(ref)))
  t.notOk(found.some(({ sessionId }) => sessionId === found[1]!.tab.session && sessionId === ''))
  t.equal((await view.byRole('button', 'Near button')).length, 1)
  t.same(await view.byRole('link', 'Near button'), [])
})

t.test('text as Markdown and HTML, of the page or a part, within bounds', async (t) => {
  await open('article')
  const { text } = await view.extract({ format: 'markdown', maxChars: 2_000 })
  t.match(text, /^# The analytical engine\n\nBy \[A\. Writer\]\(http.*#author\), 1 May 2024/)
  t.match(text, '> It might act upon other things besides number.')
  t.match(text, '```\nstore[1] = mill.add(store[2], store[3])\n```')
  t.match(text, '1. The store holds numbers.\n2. The mill works on them.\n  - It adds.')
  t.notMatch(text, 'Nothing here is for sale')
  const part = await view.extract({ format: 'markdown', maxChars: 100 })
  t.equal(part.text.length, 100)
  t.ok(part.more > 50_000)
  const html = await view.extract({ format: 'html', maxChars: 2_000 })
  t.match(html.text, '<h1>The analytical engine</h1>')
  await open('table')
  const [ref] = await view.byRole('link', 'Open')
  const row = await view.resolve(ref!)
  t.equal((await view.extract({ within: row, format: 'markdown', maxChars: 100 })).text, 'Open')
})

t.test('links have their addresses when asked for', async (t) => {
  await open('article')
  const { text } = await view.snapshot({ urls: true, maxTokens })
  t.match(text, /e\d+ link "History" <http.*#history>/)
  t.notMatch(await textOf(), '#history')
})
