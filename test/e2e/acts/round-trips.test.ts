/**
 * Goal: an act finds its element and looks at it in one round trip. Method: the calls that an agent
 * sends to a real Chromium, and which of them were unanswered when the look was sent.
 */
import t from 'tap'
import type { CdpPipe } from '../../../node-agent/cdp/cdp.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { at, openPageSession } from '../../helpers/browser/page-session.ts'
import { serveFixturePages } from '../../helpers/pages/fixture-pages.ts'

const pages = await serveFixturePages()
t.teardown(() => pages.close())
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())
const { run } = await openPageSession(host)
const [held] = host.sessions.held()
const { cdp } = held!.browser as unknown as { readonly cdp: CdpPipe }

/** The method of each call, or the name of our function that it runs in the page. */
const sent: string[] = []
const unanswered = new Set<string>()
let atLook: readonly string[] = []
const send = cdp.send.bind(cdp) as (method: string, params?: object) => Promise<unknown>
const nameOf = (method: string, params: object): string => {
  const source = 'functionDeclaration' in params ? String(params.functionDeclaration) : ''
  const called = [...source.matchAll(/return \w+\.(\w+)\.apply\(this/g)].map(([, name]) => name!)
  return called.find((name) => !/^(keep|take)Found$/.test(name)) ?? method
}
const watched = async (method: string, params: object = {}, ...rest: []) => {
  const name = nameOf(method, params)
  sent.push(name)
  if (name === 'lookAtElement') atLook = [...unanswered]
  unanswered.add(name)
  return send(method, params, ...rest).finally(() => unanswered.delete(name))
}
cdp.send = watched as typeof cdp.send

await run('navigate', { url: pages.url('form') })
const { text } = await run('snapshot')
const ref = /(e\d+) textbox "Full name/.exec(text)![1]!

for (const [target, search] of [
  [at('name'), 'firstMatch'],
  [ref, 'ownElement'],
  ['textbox "Full name*"', 'ownElement'],
  ['text "Full name"', 'firstHolder'],
] as const) {
  t.test(target, async (t) => {
    sent.length = 0
    await run('hover', { target })
    t.ok(atLook.includes(search), `sent with ${search}`)
    t.equal(sent.filter((name) => name === 'lookAtElement').length, 1)
    // What a ref takes that is resolved through the debugger, and a search that asks for all frames.
    for (const slow of ['DOM.resolveNode', 'Page.createIsolatedWorld', 'Page.getFrameTree']) {
      t.notOk(sent.includes(slow), slow)
    }
  })
}
