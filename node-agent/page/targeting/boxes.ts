/** The box of a whole element in its tab, including parts out of view. */
import { inPage } from '../tabs/in-page.ts'
import type { Point } from '../../input/input-device.ts'
import { awaitActionable, forVisibility, toTab, type ActionTarget } from './actionable.ts'
import type { PagePlace } from './targets.ts'

const { cornersOf } = inPage

/** CSS pixels, relative to the top left of the visible part of the page. */
export interface PageBox extends Point {
  readonly width: number
  readonly height: number
}

export async function boxOf(place: PagePlace, wanted: ActionTarget): Promise<PageBox> {
  const { element } = await awaitActionable(place, wanted, forVisibility)
  const [first, last] = await element.call(cornersOf)
  const from = await toTab(place, element, first)
  const to = await toTab(place, element, last)
  element.release()
  return { ...from, width: to.x - from.x, height: to.y - from.y }
}
