/** Moves the pointer over elements, and drags them. */
import { inPage } from '../tabs/in-page.ts'
import type { Point } from '../../input/input-device.ts'
import type { ActionContext, ActionNote, PreparedAction } from './acting.ts'
import { approach, ignoreGone } from './pressing.ts'
import {
  awaitActionable,
  forClick,
  forHover,
  forVisibility,
  toTab,
  type ActionableElement,
  type ActionTarget,
} from '../targeting/actionable.ts'

const { cornersOf, pressFate, unwatch, watchPress } = inPage

export async function hoverElement(
  context: ActionContext,
  over: ActionTarget | Point,
): Promise<PreparedAction> {
  if ('x' in over) {
    return {
      async run() {
        await context.pointer.move(context.tab, over)
        return undefined
      },
    }
  }
  const place = await awaitActionable(context, over, forHover)
  return {
    matches: place.matches,
    async run() {
      const { hits, on } = await approach(context, place)
      await place.element.call(unwatch).catch(ignoreGone)
      place.element.release()
      if (hits || place.moving) return undefined
      if (on === undefined) return `${over.target} disappeared under the pointer.`
      return `The pointer is now over ${on}, which covers or replaced ${over.target}.`
    },
  }
}

/** Where a drag ends: on an element, away from its beginning, or at the end of its path. */
export interface DragOptions {
  /** Pixels from the top left of the dragged element, and of the one it is dragged to. */
  readonly fromOffset?: Point | undefined
  readonly toOffset?: Point | undefined
  readonly to?: ActionTarget | undefined
  readonly by?: { readonly dx: number; readonly dy: number } | undefined
  /** Points on the way, in pixels from the top left of the dragged element. */
  readonly path?: readonly Point[] | undefined
}

/** The destination is located again with the button down, because that may need scrolling. */
export async function dragElement(
  context: ActionContext,
  from: ActionTarget,
  { fromOffset, toOffset, to, by, path = [] }: DragOptions,
): Promise<PreparedAction> {
  const { tab, pointer } = context
  const goal = to && (await awaitActionable(context, to, forVisibility))
  goal?.element.release()
  const source = await awaitActionable(context, from, fromOffset ? forVisibility : forClick)
  return {
    matches: Math.max(source.matches, goal?.matches ?? 1),
    async run(settling) {
      const { element } = source
      const start = await placeIn(context, source, fromOffset)
      const way = await Promise.all(path.map((offset) => placeIn(context, source, offset)))
      await element.call(watchPress)
      const find = async () => {
        if (by) return { x: start.x + by.dx, y: start.y + by.dy }
        if (!to) return undefined
        const there = await awaitActionable(context, to, forVisibility)
        const end = await placeIn(context, there, toOffset)
        there.element.release()
        return end
      }
      await pointer.dragAlong(tab, start, way, find)
      settling.draw()
      const note = await dragNote(source, from)
      element.release()
      return note
    },
  }
}

/** In the tab's pixels; where it can be acted on if there is no offset. */
async function placeIn(
  context: ActionContext,
  { element, at }: ActionableElement,
  offset: Point | undefined,
): Promise<Point> {
  if (!offset) return at
  const [corner] = await element.call(cornersOf)
  return toTab(context, element, { x: corner.x + offset.x, y: corner.y + offset.y })
}

async function dragNote({ element }: ActionableElement, from: ActionTarget): Promise<ActionNote> {
  const fate = await element.call(pressFate).catch((error: unknown) => {
    ignoreGone(error)
    return undefined
  })
  if (!fate || fate.reached) return undefined
  const { on = 'nothing of the page' } = fate
  return `The drag started on ${on}, not on ${from.target}.`
}
