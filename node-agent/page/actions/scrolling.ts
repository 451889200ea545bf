/** Scrolls the page, or the container of an element, by screenfuls. */
import type { PreparedAction, ActionContext } from './acting.ts'
import { awaitActionable, forVisibility, type ActionTarget } from '../targeting/actionable.ts'
import { callIn } from '../targeting/element.ts'

const scrollNear = `
  const scrollNear = (from, pages) => {
    const top = document.scrollingElement ?? document.documentElement
    const canScroll = (element) => element.scrollHeight > element.clientHeight + 1
      && (element === top || /auto|scroll/.test(getComputedStyle(element).overflowY))
    const up = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host
    let scroller = from
    while (scroller && !canScroll(scroller)) scroller = up(scroller)
    scroller ??= top
    const height = scroller === top ? innerHeight : scroller.clientHeight
    scroller.scrollBy({ top: pages * height, behavior: 'instant' })
  }`

const scrollElement = `function (pages) {
  ${scrollNear}
  if (pages !== 0) scrollNear(this, pages)
  else this.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
}`

/** If the page itself does not scroll, the container in its middle does. */
const scrollMiddle = `(pages) => {
  ${scrollNear}
  const top = document.scrollingElement ?? document.documentElement
  const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2)
  scrollNear(top.scrollHeight > innerHeight + 1 ? top : middle, pages)
}`

export async function scrollByPages(
  context: ActionContext,
  wanted: ActionTarget | undefined,
  pages: number,
): Promise<PreparedAction> {
  const { tab, frames } = context
  if (!wanted) {
    const { main } = frames
    const world = await frames.worldOf(main)
    return { run: () => callIn(tab, main, world, scrollMiddle, [pages]) }
  }
  const { element, matches } = await awaitActionable(context, wanted, forVisibility)
  return {
    matches,
    async run() {
      await element.call(scrollElement, pages)
      element.release()
    },
  }
}
