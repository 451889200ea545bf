/** Waits for what a page does next. */

/** Resolves after two frames; a page that draws none is not waited for longer than `mostMs`. */
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
