/** The page of a live view in a real browser. */
import type { BrowserContext, Page } from 'playwright-core'
import { until } from '../../lib/until.ts'

/** Resolves once the view has that state; while the page still loads it may have no body yet. */
export const liveState = (view: Page, name: string) => {
  const shown = () => view.evaluate<boolean>(`document.body?.dataset.state === '${name}'`)
  return until(`the view is ${name}`, shown)
}

export async function openLive(context: BrowserContext, url: string): Promise<Page> {
  const view = await context.newPage()
  await view.goto(url)
  await liveState(view, 'connected')
  return view
}
