/** Calls a function of ours in every frame of a page. */
import type { PageFunction } from '../../../runtime/browser-host/page-functions.ts'
import type { PageFrame } from '../tabs/frames.ts'
import { callIn, isElementGone } from './element.ts'
import type { FramedTab } from './matching.ts'

export interface FrameAnswer<R> {
  readonly frame: PageFrame
  readonly value: R
}

/** The page's own answer first; frames that go meanwhile have none. */
export async function callInFrames<A extends readonly unknown[], R>(
  { tab, frames }: FramedTab,
  called: PageFunction<A, R>,
  ...args: A
): Promise<readonly FrameAnswer<R>[]> {
  const answers = (await frames.all()).map(async (frame) => {
    try {
      const world = await frames.worldOf(frame)
      return [{ frame, value: await callIn(tab, frame, world, called, ...args) }]
    } catch (error) {
      if (!isElementGone(error)) throw error
      return []
    }
  })
  return (await Promise.all(answers)).flat()
}
