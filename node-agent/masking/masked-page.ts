/** What a mask hides of the selected page. */
import { withDeadline } from '../../runtime/lib/clock.ts'
import { callInFrames } from '../page/targeting/all-frames.ts'
import type { FramedTab } from '../page/targeting/matching.ts'
import { inMaskedPage } from './in-masked-page.ts'
import { maskLimits } from './limits.ts'
import type { SensitiveTexts } from './sensitive-texts.ts'

const { maskedTexts, showsMasked } = inMaskedPage

/**
 * Asks the page for the texts, so that an answer does not have them. A page that cannot answer because
 * it is busy or shows a dialog cannot be read either.
 */
export async function learnTexts(place: FramedTab, sensitive: SensitiveTexts): Promise<void> {
  const told = callInFrames(place, maskedTexts, sensitive.page)
  const late = () => new Error('the page does not answer')
  const answers = await withDeadline(place.tab.clock, maskLimits.tellMs, told, late)
  sensitive.learn(answers.flatMap(({ value }) => value))
}

/** Whether the page shows text that matches a pattern: a PDF would have it under the black. */
export async function showsMaskedText(
  place: FramedTab,
  { page }: SensitiveTexts,
): Promise<boolean> {
  const answers = await callInFrames(place, showsMasked, page)
  return answers.some(({ value }) => value)
}
