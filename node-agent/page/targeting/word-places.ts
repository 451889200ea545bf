/** Where words are on the screen, in all frames of a tab. */
import { commandLimits } from '../../../proto/commands/limits.ts'
import { inPage } from '../tabs/in-page.ts'
import type { WordBox } from '../../in-page/targeting/words.ts'
import type { PageFrame } from '../tabs/frames.ts'
import { forVisibility, throughFrames } from './actionable.ts'
import { callIn, isElementGone } from './element.ts'
import type { FramedTab } from './matching.ts'

const { placesOfWords } = inPage

/** In pixels of the tab's view; at most {@link commandLimits.wordPlacesMax}. */
export async function findWordPlaces(place: FramedTab, words: string): Promise<WordBox[]> {
  const found: WordBox[] = []
  for (const frame of await place.frames.all()) {
    const left = commandLimits.wordPlacesMax - found.length
    if (left <= 0) break
    const inFrame = placesInFrame(place, frame, words, left)
    const boxes = await inFrame.catch((error: unknown) => {
      // The frame has been removed meanwhile, and its words with it.
      if (!isElementGone(error) || frame.id === place.tab.id) throw error
      return []
    })
    found.push(...boxes)
  }
  return found
}

async function placesInFrame(
  place: FramedTab,
  frame: PageFrame,
  words: string,
  max: number,
): Promise<readonly WordBox[]> {
  const world = await place.frames.worldOf(frame)
  const boxes = await callIn(place.tab, frame, world, placesOfWords, words, max)
  if (boxes.length === 0) return []
  const needs = { ...forVisibility, anywhere: true }
  const origin = await throughFrames(place, { frame }, { x: 0, y: 0 }, needs)
  if (origin.is !== 'ready') return []
  return boxes.map(({ x, y, width, height }) => ({
    x: Math.round(origin.x + x),
    y: Math.round(origin.y + y),
    width: Math.round(width),
    height: Math.round(height),
  }))
}
