/**
 * Goal: an element has the role and the name in a snapshot that browsers compute for it by the
 * specifications (ARIA, accessible name). Method: Chromium's own accessibility tree of every fixture
 * page; where ours says more or less, it is listed here with the reason.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { CdpPipe } from '../../../node-agent/cdp/cdp.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'

const compared =
  /^(button|checkbox|combobox|link|menuitem|radio|searchbox|slider|spinbutton|switch|tab|textbox|treeitem)$/
/** Chromium lists the parts of its own widgets for dates. */
const partsOfDates = /^(button "Show date picker|spinbutton "(Month|Day|Year) )/
/** Pages whose snapshot is longer than the longest that can be asked for. */
const tooLong = new Set(['article', 'table'])
const others: Readonly<Record<string, readonly string[]>> = {
  // Ours is `file`, since it is uploaded to and not clicked.
  form: ['button "Picture'],
  'hidden-controls': [
    ...['above', 'away', 'behind', 'clear', 'clipped', 'cut', 'scaled', 'thin', 'whole-cut'],
  ].map((way) => `button "file ${way}`),
  // Words that the page sets apart are two words for a reader.
  'inline-blocks': ['button "3left'],
  // It is in a tab of the same name, which a click reaches as well.
  noise: ['link "News'],
  // Text that no person can see is no part of a name.
  'unreadable-names': [
    'button "Savebutton-injected',
    'button "Sendwhite-injected',
    'button "all-injected',
    'link "Openopacity-injected',
    'textbox "Name label-injected',
    'textbox "Townlabelledby-injected',
  ],
}

const pages = await serveFixturePages()
t.teardown(() => pages.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
const browser = { headless: { active: true }, viewport: { width: 1200, height: 800 } }
const { run } = await openPageSession(host, { browser })
const [held] = host.sessions.held()
const { cdp } = held!.browser as unknown as { readonly cdp: CdpPipe }

/** Role and the beginning of the name of each element that Chromium says can be acted on. */
async function namedByChromium(url: string): Promise<readonly string[]> {
  const { targetInfos } = await cdp.send('Target.getTargets')
  const { targetId } = targetInfos.find((one) => one.type === 'page' && one.url === url)!
  const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
  const { nodes } = await cdp.send('Accessibility.getFullAXTree', {}, { sessionId })
  await cdp.send('Target.detachFromTarget', { sessionId })
  return nodes.flatMap(({ ignored, role, name }) => {
    const said = String(name?.value ?? '')
      .replace(/\s+/g, ' ')
      .trim()
      .replaceAll('"', "'")
    const isCompared = !ignored && said !== '' && compared.test(String(role?.value))
    return isCompared ? [`${String(role?.value)} "${said.slice(0, 60)}`] : []
  })
}

const files = readdirSync(join(packageRoot, 'test/fixtures/pages'))
const names = files.flatMap((file) => (file.endsWith('.html') ? [file.slice(0, -5)] : []))

let elements = 0
for (const name of names.filter((one) => !tooLong.has(one))) {
  t.test(name, async (t) => {
    const url = pages.url(name)
    await run('navigate', { url })
    const { text } = await run('snapshot', { max_tokens: 20_000 })
    const named = await namedByChromium(url)
    elements += named.length
    const missing = named.filter((line) => !text.includes(line) && !partsOfDates.test(line))
    t.same([...new Set(missing)].sort(), others[name] ?? [])
  })
}

t.test('there are many elements to compare', async (t) => {
  t.ok(elements > 500, `${elements} elements`)
})
