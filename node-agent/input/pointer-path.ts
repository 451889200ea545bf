/** Computes the paths of pointer and wheel. Pure, so that it can be tested without a display. */
import type { Point } from './input-device.ts'
import { inputLimits } from './limits.ts'

/**
 * The points from `from` (exclusive) to `to`; the first are close, because pages start a drag on
 * small motions.
 */
export function dragPath(from: Point, to: Point): Point[] {
  const count = inputLimits.dragSteps
  return Array.from({ length: count }, (_, i) => {
    const part = ((i + 1) / count) ** 2
    const at = (a: number, b: number) => Math.round(a + (b - a) * part)
    return { x: at(from.x, to.x), y: at(from.y, to.y) }
  })
}

const wheel = { up: 4, down: 5, left: 6, right: 7 } as const

/** The wheel buttons for each step, with units distributed evenly over `steps`. */
export function wheelPlan(delta: Point, steps: number): number[][] {
  const unitsAt = (all: number, step: number) => {
    const units = Math.round(Math.abs(all))
    return Math.round((units * (step + 1)) / steps) - Math.round((units * step) / steps)
  }
  return Array.from({ length: steps }, (_, step) => [
    ...new Array<number>(unitsAt(delta.y, step)).fill(delta.y < 0 ? wheel.up : wheel.down),
    ...new Array<number>(unitsAt(delta.x, step)).fill(delta.x < 0 ? wheel.left : wheel.right),
  ])
}
