/** The page of a live view in a real browser. */
import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { until } from '../../lib/until.ts'

/** Resolves once the view has that state. */
export const liveState = (view: Page, name: string) =>
  until(`the view is ${name}`, () =>
    view.evaluate<boolean>(`document.body.dataset.state === '${name}'`),
  )

const getsOnWithinMs = 25_000

/** Loads the page once more if it does not get on, and comments on what it had by then. */
export async function getsOn(view: Page, reached: () => Promise<unknown>): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(reject, getsOnWithinMs, new Error('late')).unref()
  })
  const first = reached()
  first.catch(() => undefined)
  await Promise.race([first, late]).catch(async () => {
    const had = `[document.body.dataset.state, ...performance.getEntriesByType('resource').map(
      (of) => of.name.slice(-30) + of.responseStatus)].join(' ')`
    t.comment('the page is loaded again; it had', await view.evaluate(had))
    await view.reload()
    await reached()
  })
}

export async function openLive(context: BrowserContext, url: string): Promise<Page> {
  const view = await context.newPage()
  await view.goto(url)
  await getsOn(view, () => liveState(view, 'connected'))
  return view
}
