/** The page of a live view in a real browser. */
import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { until } from '../../lib/until.ts'

/** Resolves once the view has that state. */
export const liveState = (view: Page, name: string, withinMs?: number) => {
  const shown = () => view.evaluate<boolean>(`document.body.dataset.state === '${name}'`)
  return until(`the view is ${name}`, shown, withinMs)
}

const getsOnWithinMs = 25_000

/**
 * Loads the page once more if it does not get on, and comments on what it had by then. `reached`
 * rejects when its condition does not hold within that time.
 */
export async function getsOn(
  view: Page,
  reached: (withinMs?: number) => Promise<unknown>,
): Promise<void> {
  await reached(getsOnWithinMs).catch(async () => {
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
  await getsOn(view, (withinMs) => liveState(view, 'connected', withinMs))
  return view
}
