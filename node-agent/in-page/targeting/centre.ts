/** The point at which a click on an element goes, even if another element covers it. */
import { nextFrames } from '../drawing.ts'
import { spotsOf } from './boxes.ts'

export type CentreLook =
  | { readonly is: 'hidden' }
  | { readonly is: 'moving' | 'ready'; readonly x: number; readonly y: number }

/**
 * Scrolls the element into view. Compares with a later frame, because the element or page may move;
 * a hidden page draws no frames.
 */
export async function lookAtCentre(this: Element, frameMs: number): Promise<CentreLook> {
  this.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const [before] = spotsOf(this)
  await nextFrames(frameMs)
  const [now] = spotsOf(this)
  if (!now) return { is: 'hidden' }
  return { is: now.x === before?.x && now.y === before.y ? 'ready' : 'moving', ...now }
}
