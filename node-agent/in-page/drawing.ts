/** Waits for the next frames or the next task of a page. */

/** Resolves after two frames, or after `mostMs` if the page draws none. */
export function nextFrames(mostMs: number): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
    setTimeout(resolve, mostMs)
  })
}

/** A zero timeout runs after everything that events have scheduled immediately. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve)
  })
}
