/** Mouse actions on elements. */
import type { MouseButton } from '../../../proto/commands/os-control/pointer.ts'
import type { Point } from '../../input/input-device.ts'
import type { PreparedAction, ActionContext } from './acting.ts'
import {
  awaitActionable,
  forClick,
  forHover,
  forVisibility,
  type ActionTarget,
} from '../targeting/actionable.ts'

export interface ClickOptions {
  readonly button: MouseButton
  readonly double: boolean
}

export async function clickElement(
  context: ActionContext,
  wanted: ActionTarget,
  { button, double }: ClickOptions,
): Promise<PreparedAction> {
  const { element, at, matches } = await awaitActionable(context, wanted, forClick)
  return {
    matches,
    async run() {
      await context.pointer.click(context.tab, at, button, double ? 2 : 1)
      element.release()
    },
  }
}

export async function hoverElement(
  context: ActionContext,
  over: ActionTarget | Point,
): Promise<PreparedAction> {
  if ('x' in over) return { run: () => context.pointer.move(context.tab, over) }
  const { element, at, matches } = await awaitActionable(context, over, forHover)
  element.release()
  return { matches, run: () => context.pointer.move(context.tab, at) }
}

/** The destination is located again with the button down, because that may need scrolling. */
export async function dragElement(
  context: ActionContext,
  from: ActionTarget,
  to: ActionTarget,
): Promise<PreparedAction> {
  const goal = await awaitActionable(context, to, forVisibility)
  goal.element.release()
  const source = await awaitActionable(context, from, forClick)
  const { tab, pointer } = context
  return {
    matches: Math.max(source.matches, goal.matches),
    async run() {
      const end = async () => {
        const there = await awaitActionable(context, to, forVisibility)
        there.element.release()
        return there.at
      }
      await pointer.dragTo(tab, source.at, end)
      source.element.release()
    },
  }
}
