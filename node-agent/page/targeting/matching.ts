/** Finds the element for a CSS selector or for words: in every frame, and in open shadow roots. */
import { pageFunctions } from '../../../runtime/browser-host/page-functions.ts'
import * as matchingCode from '../../in-page/targeting/matching.ts'
import * as wordsCode from '../../in-page/targeting/words.ts'
import type { PageFrame, PageFrames } from '../tabs/frames.ts'
import type { Tab } from '../tabs/tab.ts'
import { callIn, elementIn, isElementGone, type ElementHandle } from './element.ts'

const { countMatches, firstMatch, matchAt } = pageFunctions(matchingCode)
const { countHolders, firstHolder } = pageFunctions(wordsCode)

export interface FramedTab {
  readonly tab: Tab
  readonly frames: PageFrames
}

export interface SelectorMatch {
  /** The number of matches in the frames that were searched; -1 for invalid CSS. */
  readonly matches: number
  readonly element?: ElementHandle | undefined
}

/**
 * The first visible match, otherwise the first one, of the first frame with a match. With an index
 * above 0 it is that match, counted through all frames.
 */
export async function findMatch(
  place: FramedTab,
  selector: string,
  index = 0,
): Promise<SelectorMatch> {
  const { frames } = place
  const inMain = await matchInMain(place, selector, index)
  if (inMain.element || inMain.matches === -1) return inMain
  let { matches } = inMain
  const [, ...others] = await frames.all()
  for (const frame of others) {
    const before = matches
    const find = frames
      .worldOf(frame)
      .then((world) => matchIn(place.tab, frame, world, selector, index, before))
    const found = await find.catch((error: unknown) => {
      if (!isElementGone(error)) throw error
      return undefined
    })
    matches += found?.matches ?? 0
    if (found?.element) return { element: found.element, matches }
  }
  return { matches }
}

/** Uses the known world, which saves a request, or else creates one. */
async function matchInMain(
  { tab, frames }: FramedTab,
  selector: string,
  index: number,
): Promise<SelectorMatch> {
  const { knownWorld } = tab
  const fresh = async () =>
    matchIn(tab, frames.main, await frames.worldOf(frames.main), selector, index)
  if (knownWorld === undefined) return fresh()
  return matchIn(tab, frames.main, knownWorld, selector, index).catch((error: unknown) => {
    if (!isElementGone(error)) throw error
    return fresh()
  })
}

/** `before` is the number of matches in the frames before this one. */
async function matchIn(
  tab: Tab,
  frame: PageFrame,
  world: number,
  selector: string,
  index: number,
  before = 0,
): Promise<SelectorMatch> {
  const [matches, element] = await Promise.all([
    callIn(tab, frame, world, countMatches, selector),
    index === 0
      ? elementIn(tab, frame, world, firstMatch, selector)
      : elementIn(tab, frame, world, matchAt, selector, index - before),
  ])
  return { matches, element }
}

/** The innermost element that shows the words, in the first frame that contains them. */
export async function findWords({ tab, frames }: FramedTab, words: string) {
  for (const frame of await frames.all()) {
    const world = await frames.worldOf(frame)
    const [matches, element] = await Promise.all([
      callIn(tab, frame, world, countHolders, words),
      elementIn(tab, frame, world, firstHolder, words),
    ])
    if (element) return { element, matches }
  }
  return undefined
}
