/**
 * The elements that the OS-control routes name: a selector, and an index among its matches. Errors
 * refer to these fields. As with a person's click, a click goes to an element that covers the
 * target.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { pollUntil } from '../../../runtime/lib/poll-until.ts'
import { inPage } from '../tabs/in-page.ts'
import type { Point } from '../../input/input-device.ts'
import { forCentre, throughFrames } from './actionable.ts'
import { isElementGone, type ElementHandle } from './element.ts'
import { findMatch, type FramedTab } from './matching.ts'
import { pageLimits } from '../limits.ts'

const { lookAtCentre } = inPage

export interface ElementQuery {
  readonly selector: string
  /** The index among the matches; 0 means the first visible match. */
  readonly index: number
  readonly timeoutMs: number
}

type LocateResult =
  | { readonly is: 'few' | 'hidden'; readonly matches: number }
  | { readonly is: 'moving' | 'ready'; readonly x: number; readonly y: number }

/**
 * The centre of the element in CSS pixels of the tab; waits until it is visible and does not move.
 * An element that keeps moving is taken at its last position.
 */
export async function locateElement(place: FramedTab, wanted: ElementQuery): Promise<Point> {
  const seen = await pollUntil(
    place.tab.clock,
    timesOf(wanted),
    () => lookFor(place, wanted),
    ({ is }) => is === 'ready',
  )
  if ('matches' in seen) {
    throw seen.is === 'few' ? tooFewError(wanted, seen.matches) : hiddenError(wanted, seen.matches)
  }
  return { x: seen.x, y: seen.y }
}

const timesOf = ({ timeoutMs }: ElementQuery) => ({
  everyMs: pageLimits.selectorPollMs,
  withinMs: timeoutMs,
})

async function lookFor(place: FramedTab, wanted: ElementQuery): Promise<LocateResult> {
  const { element, matches } = await findQueried(place, wanted)
  if (!element) return { is: 'few', matches }
  try {
    const inside = await element.call(lookAtCentre, pageLimits.selectorPollMs)
    if (inside.is === 'hidden') return { is: 'hidden', matches }
    const seen = await throughFrames(place, element, inside, forCentre)
    if (seen.is !== 'ready') return { is: 'hidden', matches }
    return { is: inside.is, x: seen.x, y: seen.y }
  } catch (error) {
    if (!isElementGone(error)) throw error
    return { is: 'few', matches: 0 }
  } finally {
    element.release()
  }
}

/** Waits until the element exists, visible or not. */
export async function awaitQueried(place: FramedTab, wanted: ElementQuery): Promise<ElementHandle> {
  const { element, matches } = await pollUntil(
    place.tab.clock,
    timesOf(wanted),
    () => findQueried(place, wanted),
    (found) => found.element !== undefined,
  )
  if (!element) throw tooFewError(wanted, matches)
  return element
}

async function findQueried(place: FramedTab, { selector, index }: ElementQuery) {
  const found = await findMatch(place, selector, index)
  if (found.matches >= 0) return found
  throw selectorError(`selector is not valid CSS: ${JSON.stringify(selector)}.`)
}

export function describeQuery({ selector, index }: ElementQuery): string {
  return index === 0 ? selector : `Match ${index} of ${selector}`
}

export function selectorError(message: string): ServiceError {
  return new ServiceError('bad_request', message, { field: 'selector' })
}

function tooFewError({ selector, index, timeoutMs }: ElementQuery, matches: number): ServiceError {
  const message =
    `${selector} matched ${matches} elements within ${timeoutMs} ms, but ${index + 1} were ` +
    'needed.'
  return new ServiceError('element_not_found', message, { matches })
}

function hiddenError(wanted: ElementQuery, matches: number): ServiceError {
  const message = `${describeQuery(wanted)} exists but is not visible.`
  return new ServiceError('element_not_found', message, { matches })
}
