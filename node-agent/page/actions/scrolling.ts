/** Scrolls the page, or the container of an element, by screenfuls. */
import { inPage } from '../tabs/in-page.ts'
import type { PreparedAction, ActionContext } from './acting.ts'
import { awaitActionable, forVisibility, type ActionTarget } from '../targeting/actionable.ts'
import { callIn } from '../targeting/element.ts'

const { scrollElement, scrollMiddle } = inPage

export async function scrollByPages(
  context: ActionContext,
  wanted: ActionTarget | undefined,
  pages: number,
): Promise<PreparedAction> {
  const { tab, frames } = context
  if (!wanted) {
    const { main } = frames
    const world = await frames.worldOf(main)
    return {
      async run() {
        await callIn(tab, main, world, scrollMiddle, pages)
        return undefined
      },
    }
  }
  const { element, matches } = await awaitActionable(context, wanted, forVisibility)
  return {
    matches,
    async run() {
      await element.call(scrollElement, pages)
      element.release()
      return undefined
    },
  }
}
