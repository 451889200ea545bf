/**
 * Waits until an element can be acted on, and computes its position in the tab's pixels, through
 * all frames.
 */
import { defined } from '../../../proto/defined.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { parseTarget } from '../../../proto/commands/target.ts'
import { sleep, withDeadline } from '../../../runtime/lib/clock.ts'
import { inPage } from '../tabs/in-page.ts'
import type { ActionNeeds, FrameLook, LookOptions } from '../../in-page/targeting/look.ts'
import type { Point } from '../../input/input-device.ts'
import { isElementGone, type ElementHandle } from './element.ts'
import type { FramedTab } from './matching.ts'
import { busyError, refusalError, type UnreadyLook } from './refusals.ts'
import {
  awaitTarget,
  elementAt,
  notFoundError,
  type FindElement,
  type PagePlace,
} from './targets.ts'
import { pageLimits } from '../limits.ts'

const { lookAtElement, lookThroughFrame } = inPage

/**
 * The edges to scroll to in turn: an element that is covered at one edge may be free at another.
 */
const scrollings = ['seldom', 'center', 'end', 'start'] as const

export interface ActionableElement {
  readonly element: ElementHandle
  readonly at: Point
  /** The same point in the element's own frame. */
  readonly inside: Point
  readonly matches: number
  /** Whether the element still moved; the point is then its last position. */
  readonly moving: boolean
}

export interface ActionTarget {
  readonly target: string
  readonly timeoutMs: number
  /** Finds the element in place of `target`, which then only names it in errors. */
  readonly find?: FindElement
}

export const forClick: ActionNeeds = { enabled: true, editable: false, hit: true, rest: true }
export const forHover: ActionNeeds = { enabled: false, editable: false, hit: true, rest: true }
export const forTyping: ActionNeeds = { enabled: true, editable: true, hit: true, rest: false }
export const forChoice: ActionNeeds = { enabled: true, editable: false, hit: false, rest: false }
export const forVisibility: ActionNeeds = {
  enabled: false,
  editable: false,
  hit: false,
  rest: true,
}

/** Needs for an immediate action, even if the element is covered or moving. */
export const forced: ActionNeeds = { ...forVisibility, rest: false }

/** Needs for a click at the centre, even if the element is covered. */
export const forCentre: ActionNeeds = { ...forVisibility, rest: false }

type Found = Pick<ActionableElement, 'element' | 'matches'>

/**
 * Each attempt takes a frame of the page. An element that is covered or out of view is scrolled to
 * another edge for the next attempt, which follows at once; the last attempt determines the error.
 * An element that keeps moving is taken where it is. A busy page gets no more time than the caller
 * allows.
 */
export async function awaitActionable(
  place: PagePlace,
  wanted: ActionTarget,
  needs: ActionNeeds,
): Promise<ActionableElement> {
  const { clock } = place.tab
  const fromMs = clock.monotonic()
  const untilMs = fromMs + wanted.timeoutMs
  const restUntilMs = fromMs + Math.min(wanted.timeoutMs, pageLimits.restMs)
  let last: UnreadyLook | undefined
  for (let tries = 0; ; tries++) {
    let isMissing = false
    const missing = () => {
      isMissing = true
    }
    const scrolling = last ? scrollings[tries % scrollings.length]! : scrollings[0]
    const leftMs = Math.max(0, untilMs - clock.monotonic())
    const boundMs = Math.max(leftMs + pageLimits.lateLookMs, tries === 0 ? pageLimits.oneLookMs : 0)
    const attempt = tryOnce(place, wanted, needs, { leftMs, scrolling, missing })
    const tried = await withDeadline(clock, boundMs, attempt, () => {
      // The attempt still ends at some time; its result is then unused, so the element is released.
      void attempt.then((late) => 'at' in late && late.element.release()).catch(() => undefined)
      if (last) return refusalError(wanted, last)
      return isMissing ? notFoundError(wanted.target) : busyError(wanted)
    })
    if ('at' in tried) {
      if (!tried.moving || clock.monotonic() >= restUntilMs) return tried
      tried.element.release()
    } else {
      last = tried
      if (tried.is === 'option' || clock.monotonic() >= untilMs) throw refusalError(wanted, tried)
    }
    if (tries >= scrollings.length) await sleep(clock, pageLimits.selectorPollMs)
  }
}

interface Attempt {
  readonly leftMs: number
  readonly scrolling: LookOptions['scrolling']
  /** Called when the page has answered that nothing matches yet. */
  readonly missing: () => void
}

async function tryOnce(
  place: PagePlace,
  { target, find }: ActionTarget,
  needs: ActionNeeds,
  { leftMs, scrolling, missing }: Attempt,
): Promise<ActionableElement | UnreadyLook> {
  const aim = find ? undefined : parseTarget(target)
  const words = aim?.kind === 'words' ? aim.words : undefined
  const { spotsTried: spotsMax, selectorPollMs: frameMs } = pageLimits
  const options = { scrolling, words, spotsMax, frameMs }
  const early = { called: lookAtElement, args: [needs, options] }
  const found = await awaitTarget(place, target, leftMs, { missing, early, ...defined({ find }) })
  const seen = await lookAt(place, found, needs, options)
  if ('at' in seen) return seen
  found.element.release()
  return seen
}

async function lookAt(
  place: PagePlace,
  { element, matches }: Found,
  needs: ActionNeeds,
  options: LookOptions,
): Promise<ActionableElement | UnreadyLook> {
  try {
    const seen = await element.call(lookAtElement, needs, options)
    if (!('x' in seen)) return seen
    const inside = { x: seen.x, y: seen.y }
    const outside = await throughFrames(place, element, inside, needs)
    if (outside.is !== 'ready') return outside
    const at = { x: outside.x, y: outside.y }
    return { element, at, inside, matches, moving: seen.is === 'moving' }
  } catch (error) {
    if (!isElementGone(error)) throw error
    return { is: 'gone' }
  }
}

/**
 * Converts a point in the element's frame to the tab, in view or not. Throws if the frame is gone.
 */
export async function toTab(
  place: PagePlace,
  element: ElementHandle,
  inside: Point,
): Promise<Point> {
  const seen = await throughFrames(place, element, inside, { ...forVisibility, anywhere: true })
  if (seen.is === 'ready') return { x: seen.x, y: seen.y }
  const message = 'The frame of this element no longer exists; take a new snapshot.'
  throw new ServiceError('not_actionable', message, { why: 'gone' })
}

/**
 * Converts from the element's frame outwards to the tab: input is sent to the tab, and Chromium
 * finds the frame.
 */
export async function throughFrames(
  place: FramedTab,
  element: Pick<ElementHandle, 'frame'>,
  inside: Point,
  needs: ActionNeeds,
): Promise<FrameLook | { readonly is: 'gone' }> {
  const { tab, frames } = place
  let { frame } = element
  let { x, y } = inside
  if (frame.id === tab.id) return { is: 'ready', x, y }
  const all = await frames.all()
  while (frame.id !== tab.id) {
    const { id: frameId, parentId } = frame
    const parent = all.find(({ id }) => id === parentId)
    if (!parent) return { is: 'gone' }
    const { backendNodeId } = await tab.send(
      'DOM.getFrameOwner',
      { frameId },
      undefined,
      parent.session,
    )
    const owner = await elementAt(place, parent, backendNodeId)
    if (!owner) return { is: 'gone' }
    const seen = await owner.call(lookThroughFrame, x, y, needs)
    owner.release()
    if (seen.is !== 'ready') return seen
    ;({ x, y } = seen)
    frame = parent
  }
  return { is: 'ready', x, y }
}
