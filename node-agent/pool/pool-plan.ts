/**
 * Decides from its browsers and its queue what a pool does next; `pool.ts` carries it out. Pure, so
 * that the rules can be tested without browsers.
 */
import type { BrowserId } from '../../proto/ids.ts'

export interface WaitingClaim {
  readonly shapeKey: string
}

export interface PoolView<W extends WaitingClaim> {
  /** The claimants in the order in which they are served. */
  readonly line: readonly W[]
  readonly warm: readonly { readonly id: BrowserId; readonly shapeKey: string }[]
  /** The shapes that are booting, one entry per boot. */
  readonly booting: readonly string[]
  readonly claimed: number
  readonly sessionsMax: number
  readonly bootsMax: number
  /** The shapes kept warm, with their counts; the first is refilled first. */
  readonly kept: readonly { readonly shapeKey: string; readonly count: number }[]
  /** No browser was claimed for a while, and the last boot did not just fail. */
  readonly calm: boolean
}

export interface PoolPlan<W extends WaitingClaim> {
  readonly hand: readonly { readonly waiter: W; readonly id: BrowserId }[]
  /** The waiters for which a browser is to be booted. */
  readonly bootFor: readonly W[]
  /** The shape of which one browser is to be booted, if any. */
  readonly refill: string | undefined
}

export function planPool<W extends WaitingClaim>(view: PoolView<W>): PoolPlan<W> {
  const warm = [...view.warm]
  const coming = [...view.booting]
  const hand: { waiter: W; id: BrowserId }[] = []
  const bootFor: W[] = []
  // Waiters within the limit are served in order; a browser that is booting already counts as
  // theirs.
  for (const waiter of view.line.slice(0, freeCapacity(view))) {
    const ready = warm.findIndex(({ shapeKey }) => shapeKey === waiter.shapeKey)
    const boot = coming.indexOf(waiter.shapeKey)
    if (ready !== -1) hand.push({ waiter, id: warm.splice(ready, 1)[0]!.id })
    else if (boot !== -1) coming.splice(boot, 1)
    else if (view.booting.length + bootFor.length < view.bootsMax) bootFor.push(waiter)
  }
  return { hand, bootFor, refill: refills(view, hand.length, bootFor.length) }
}

/**
 * Refills one browser at a time, only while the queue is empty and no browser was claimed recently.
 */
function refills(view: PoolView<WaitingClaim>, handed: number, boots: number): string | undefined {
  const { kept, warm, booting, line } = view
  const quiet = view.calm && line.length === 0 && handed === 0 && boots === 0
  if (!quiet || booting.length > 0) return undefined
  const have = (key: string) => warm.filter(({ shapeKey }) => shapeKey === key).length
  return kept.find(({ shapeKey, count }) => have(shapeKey) < count)?.shapeKey
}

/** The number of waiters that there is room for now. */
export function freeCapacity({
  sessionsMax,
  claimed,
}: Pick<PoolView<WaitingClaim>, 'sessionsMax' | 'claimed'>) {
  return Math.max(0, sessionsMax - claimed)
}
