/** The box of a whole element in its tab, including parts out of view. */
import type { PageBox } from '../screenshot.ts'
import { awaitActionable, forVisibility, toTab, type ActionTarget } from './actionable.ts'
import type { PagePlace } from './targets.ts'

const corners = `function () {
  const { left, top, right, bottom } = this.getBoundingClientRect()
  return [{ x: left, y: top }, { x: right, y: bottom }]
}`

interface Corner {
  readonly x: number
  readonly y: number
}

export async function boxOf(place: PagePlace, wanted: ActionTarget): Promise<PageBox> {
  const { element } = await awaitActionable(place, wanted, forVisibility)
  const [first, last] = await element.call<readonly [Corner, Corner]>(corners)
  const from = await toTab(place, element, first)
  const to = await toTab(place, element, last)
  element.release()
  return { ...from, width: to.x - from.x, height: to.y - from.y }
}
