/** Finds the element for a CSS selector or for words: in every frame, and in open shadow roots. */
import { inPage } from '../tabs/in-page.ts'
import type { PageFrames } from '../tabs/frames.ts'
import type { Tab } from '../tabs/tab.ts'
import type { EarlyCall } from './early-call.ts'
import {
  callIn,
  elementIn,
  isElementGone,
  type ElementHandle,
  type SearchPlace,
} from './element.ts'

const { countHolders, countMatches, firstHolder, firstMatch, matchAt } = inPage

export interface FramedTab {
  readonly tab: Tab
  readonly frames: PageFrames
}

export interface FoundElement {
  readonly element: ElementHandle
  /** The number of matching elements, of which the first visible one was taken. */
  readonly matches: number
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
  early?: EarlyCall,
): Promise<SelectorMatch> {
  const { tab, frames } = place
  const main = await inMainWorld(place, (world) =>
    matchIn({ tab, frame: frames.main, world, early }, selector, index),
  )
  if (main.element || main.matches === -1) return main
  let { matches } = main
  const [, ...others] = await frames.all()
  for (const frame of others) {
    const before = matches
    const find = frames
      .worldOf(frame)
      .then((world) => matchIn({ tab, frame, world, early }, selector, index, before))
    const found = await find.catch((error: unknown) => {
      if (!isElementGone(error)) throw error
      return undefined
    })
    matches += found?.matches ?? 0
    if (found?.element) return { element: found.element, matches }
  }
  return { matches }
}

/** Uses the known world of the main frame, which saves a request, or else creates one. */
async function inMainWorld<R>(
  { tab, frames }: FramedTab,
  use: (world: number) => Promise<R>,
): Promise<R> {
  const { knownWorld } = tab
  const fresh = async () => use(await frames.worldOf(frames.main))
  if (knownWorld === undefined) return fresh()
  return use(knownWorld).catch((error: unknown) => {
    if (!isElementGone(error)) throw error
    return fresh()
  })
}

/** `before` is the number of matches in the frames before this one. */
async function matchIn(
  place: SearchPlace,
  selector: string,
  index: number,
  before = 0,
): Promise<SelectorMatch> {
  const { tab, frame, world } = place
  const [matches, element] = await Promise.all([
    callIn(tab, frame, world, countMatches, selector),
    index === 0
      ? elementIn(place, firstMatch, selector)
      : elementIn(place, matchAt, selector, index - before),
  ])
  return { matches, element }
}

/** The innermost element that shows the words, in the first frame that contains them. */
export async function findWords(
  place: FramedTab,
  words: string,
  early?: EarlyCall,
): Promise<FoundElement | undefined> {
  const { tab, frames } = place
  const main = await inMainWorld(place, (world) =>
    holderIn({ tab, frame: frames.main, world, early }, words),
  )
  if (main) return main
  const [, ...others] = await frames.all()
  for (const frame of others) {
    const found = await holderIn({ tab, frame, world: await frames.worldOf(frame), early }, words)
    if (found) return found
  }
  return undefined
}

async function holderIn(place: SearchPlace, words: string): Promise<FoundElement | undefined> {
  const { tab, frame, world } = place
  const [matches, element] = await Promise.all([
    callIn(tab, frame, world, countHolders, words),
    elementIn(place, firstHolder, words),
  ])
  return element && { element, matches }
}
