/**
 * The turns of all who connect to the DevTools of one browser: a few at a time, in the order in
 * which they asked. A busy browser makes them wait, and does not make them fail.
 */
import pLimit from 'p-limit'
import { browserHostLimits } from '../limits.ts'
import { DialFailed } from './channel.ts'

export interface DialTurns {
  /**
   * Calls `dial` with the time that is left for it. Throws {@link DialFailed} if its turn does not
   * come in time: earlier ones have the same deadline, so that is when this one's has passed.
   */
  <T>(dial: (leftMs: number) => Promise<T>): Promise<T>
}

/** `withinMs`: for the wait and the connection together. */
export function dialTurns(withinMs: number = browserHostLimits.devtoolsDialMs): DialTurns {
  const inTurn = pLimit(browserHostLimits.dialsAtOnce)
  return (dial) => {
    const endsAt = performance.now() + withinMs
    return inTurn(() => {
      const leftMs = Math.ceil(endsAt - performance.now())
      if (leftMs > 0) return dial(leftMs)
      throw new DialFailed(`earlier connections have taken ${withinMs} ms`, false)
    })
  }
}
