/**
 * Hides what a mask selects, before this document paints for the first time, and whatever is added later
 * before the frame that would show it.
 */
import { patternsHere, selectorsHere, type PageMask } from './mask-rules.ts'
import { veilInTime, veilPatterns } from './veil.ts'

export function maskDocument(mask: PageMask): void {
  const css = selectorsHere(mask).map(ruleFor).join('\n')
  veilPatterns(patternsHere(mask), { highlight: 'troupe-mask', css })
  // The page fills the root after this, and before the next frame.
  document.addEventListener(mask.rootEvent, veilInTime)
}

/**
 * Invisible with everything in it, also for readers of the page and in a PDF, and still there to be
 * clicked. A field stays visible, so that it can be filled in, and shows dots.
 */
const ruleFor = (selector: string) => `${selector} {
  &:not(input, textarea, select) { opacity: 0 !important; transition: none !important }
  &:is(input, textarea) { -webkit-text-security: disc !important }
  &:is(select) { color: transparent !important; background: black !important }
}`
