/**
 * What a pool should do next, decided from what it has and who waits; `pool.ts` does it. Pure, so
 * that the rules can be read and tested apart from browsers.
 */
import type { BrowserId } from '../proto/ids.ts'

export interface Waiter {
  readonly shapeKey: string
}

export interface PoolView<W extends Waiter> {
  /** Claimants in the order they came. */
  readonly line: readonly W[]
  readonly warm: readonly { readonly id: BrowserId; readonly shapeKey: string }[]
  /** Shapes that are booting, one entry a boot. */
  readonly booting: readonly string[]
  readonly claimed: number
  readonly sessionsMax: number
  readonly bootsMax: number
  /** The shapes that are kept warm, and how many of each; the first is refilled first. */
  readonly kept: readonly { readonly shapeKey: string; readonly count: number }[]
  /** No claim for a while, and the last boot did not fail just now. */
  readonly calm: boolean
}

export interface PoolPlan<W extends Waiter> {
  readonly hand: readonly { readonly waiter: W; readonly id: BrowserId }[]
  /** Waiters to boot a browser for. */
  readonly bootFor: readonly W[]
  /** The shape to boot one of, if any. */
  readonly refill: string | undefined
}

export function planPool<W extends Waiter>(view: PoolView<W>): PoolPlan<W> {
  const warm = [...view.warm]
  const coming = [...view.booting]
  const hand: { waiter: W; id: BrowserId }[] = []
  const bootFor: W[] = []
  // Those within the limit are served in order; a browser that is on its way already counts as
  // theirs.
  for (const waiter of view.line.slice(0, within(view))) {
    const ready = warm.findIndex(({ shapeKey }) => shapeKey === waiter.shapeKey)
    const boot = coming.indexOf(waiter.shapeKey)
    if (ready !== -1) hand.push({ waiter, id: warm.splice(ready, 1)[0]!.id })
    else if (boot !== -1) coming.splice(boot, 1)
    else if (view.booting.length + bootFor.length < view.bootsMax) bootFor.push(waiter)
  }
  return { hand, bootFor, refill: refills(view, hand.length, bootFor.length) }
}

/**
 * One boot at a time, when nobody waits, and not beside sessions that were handed out in the last
 * instants.
 */
function refills(view: PoolView<Waiter>, handed: number, boots: number): string | undefined {
  const { kept, warm, booting, line } = view
  const quiet = view.calm && line.length === 0 && handed === 0 && boots === 0
  if (!quiet || booting.length > 0) return undefined
  const have = (key: string) => warm.filter(({ shapeKey }) => shapeKey === key).length
  return kept.find(({ shapeKey, count }) => have(shapeKey) < count)?.shapeKey
}

/** How many of the line there is room for now. */
export function within({
  sessionsMax,
  claimed,
}: Pick<PoolView<Waiter>, 'sessionsMax' | 'claimed'>) {
  return Math.max(0, sessionsMax - claimed)
}
