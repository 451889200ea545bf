import { nextFrames } from './drawing.ts'

/** Scrolls through the page and back, so that content which loads only in view is loaded. */
export async function scrollThrough(screensMax: number, frameMs: number): Promise<void> {
  const { scrollX, scrollY } = window
  for (let screen = 0; screen < screensMax; screen++) {
    const before = window.scrollY
    window.scrollTo({ top: screen * innerHeight, behavior: 'instant' })
    await nextFrames(frameMs)
    if (screen > 0 && window.scrollY === before) break
  }
  window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' })
}
