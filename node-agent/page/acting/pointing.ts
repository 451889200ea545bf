/** Mouse actions on elements. */
import type { MouseButton } from '../../../proto/commands/pointer.ts'
import type { Point } from '../../hands.ts'
import type { Move, Stage } from './acting.ts'
import { actionable, forClick, forHover, forSight, type Wanted } from './actionable.ts'

export interface Click {
  readonly button: MouseButton
  readonly double: boolean
}

export async function click(
  stage: Stage,
  wanted: Wanted,
  { button, double }: Click,
): Promise<Move> {
  const { element, at, matches } = await actionable(stage, wanted, forClick)
  return {
    matches,
    async run() {
      await stage.pointer.click(stage.tab, at, button, double ? 2 : 1)
      element.release()
    },
  }
}

export async function hover(stage: Stage, over: Wanted | Point): Promise<Move> {
  if ('x' in over) return { run: () => stage.pointer.move(stage.tab, over) }
  const { element, at, matches } = await actionable(stage, over, forHover)
  element.release()
  return { matches, run: () => stage.pointer.move(stage.tab, at) }
}

/** The destination is located again with the button down, because that may need scrolling. */
export async function drag(stage: Stage, from: Wanted, to: Wanted): Promise<Move> {
  const goal = await actionable(stage, to, forSight)
  goal.element.release()
  const source = await actionable(stage, from, forClick)
  const { tab, pointer } = stage
  return {
    matches: Math.max(source.matches, goal.matches),
    async run() {
      const end = async () => {
        const there = await actionable(stage, to, forSight)
        there.element.release()
        return there.at
      }
      await pointer.dragTo(tab, source.at, end)
      source.element.release()
    },
  }
}
