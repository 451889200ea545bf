/** A headful browser as sessions get it, with one page and input to its display. */
import type { Page } from 'playwright-core'
import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import type { Point } from '../../../node-agent/input/input-device.ts'
import { PageControl, type PagedBrowser } from '../../../node-agent/page/page-control.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { OsInput } from '../../../node-agent/input/x11/os-input.ts'
import { devtoolsUrl, openBrowserHost } from './browser-host.ts'
import { connectPlaywright } from './browsers.ts'
import { until } from '../lib/until.ts'
import { serveWebPage } from '../pages/web-page.ts'

export interface Desktop {
  readonly input: OsInput
  readonly tab: Page
  readonly url: string
  readonly display: NonNullable<BrowserClaim['display']>
  /** Evaluates an expression in the page. */
  see<T>(what: string): Promise<T>
  /** The position on the screen of a position in the page. */
  at(x: number, y: number): Point
  close(): Promise<void>
}

/** The size of the page; the screen is 87 px higher. */
const viewport = { width: 1000, height: 713 }

export async function openDesktop(html: string): Promise<Desktop> {
  const page = await serveWebPage(`${html}<script>loaded = true</script>`)
  const host = openBrowserHost({ kept: [] })
  const { claim } = await host.claim({
    session: { initial_url: page.url },
    browser: { headless: { active: false }, viewport },
  })
  const client = await connectPlaywright(devtoolsUrl(claim))
  const tab = await until('the page is there', () => client.contexts()[0]!.pages()[0])
  await until('the page is loaded', () => tab.evaluate<boolean>("typeof loaded === 'boolean'"))
  const control = new PageControl(host.sessions.held()[0]!.browser as unknown as PagedBrowser)
  const input = await OsInput.open(claim.display!, systemClock, (withinMs) =>
    control.handles(withinMs),
  )
  const see = <T>(what: string) => tab.evaluate<T>(what)
  const top = await see<number>('screenY + outerHeight - innerHeight')
  const left = await see<number>('screenX')
  return {
    input,
    tab,
    url: page.url,
    display: claim.display!,
    see,
    at: (x, y) => ({ x: x + left, y: y + top }),
    async close() {
      input.close()
      await client.close()
      await host.close()
      await page.close()
    },
  }
}

/** The style that fixes an element of a test's page at a position. */
export const place = (left: number, top: number, size = '') =>
  `style="position:fixed;left:${left}px;top:${top}px;${size}"`
