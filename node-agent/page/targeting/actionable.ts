/**
 * Waits until an element can be acted on, and computes its position in the tab's pixels, through
 * all frames.
 */
import { ServiceError } from '../../../proto/errors.ts'
import { sleep } from '../../../runtime/lib/clock.ts'
import { pageFunctions } from '../../../runtime/browser-host/page-functions.ts'
import * as lookCode from '../../in-page/targeting/look.ts'
import type { ActionNeeds, ElementLook, FrameLook } from '../../in-page/targeting/look.ts'
import type { Point } from '../../input/input-device.ts'
import { isElementGone, type ElementHandle } from './element.ts'
import type { FramedTab } from './matching.ts'
import { awaitTarget, elementAt, type PagePlace } from './targets.ts'
import { pageLimits } from '../limits.ts'

const { lookAtElement, lookThroughFrame } = pageFunctions(lookCode)

/** The edges to scroll to in turn: an element covered at one may be free at another. */
const scrollings = ['seldom', 'center', 'end', 'start'] as const
type Scrolling = (typeof scrollings)[number]

export interface ActionableElement {
  readonly element: ElementHandle
  readonly at: Point
  readonly matches: number
}

export interface ActionTarget {
  readonly target: string
  readonly timeoutMs: number
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

/** For a click at the centre, whatever lies over it. */
export const forCentre: ActionNeeds = { ...forVisibility, rest: false }

type Seen = ElementLook | FrameLook

/**
 * Each attempt takes a frame of the page. An element that is covered or out of view is scrolled to
 * another edge for the next attempt, which follows at once; the last attempt determines the error.
 */
export async function awaitActionable(
  place: PagePlace,
  wanted: ActionTarget,
  needs: ActionNeeds,
): Promise<ActionableElement> {
  const { clock } = place.tab
  const untilMs = clock.monotonic() + wanted.timeoutMs
  for (let tries = 0; ; tries++) {
    const leftMs = untilMs - clock.monotonic()
    const { element, matches } = await awaitTarget(place, wanted.target, leftMs)
    const seen = await lookAt(place, element, needs, scrollings[tries % scrollings.length]!)
    if (seen.is === 'ready') return { element, at: { x: seen.x, y: seen.y }, matches }
    element.release()
    if (seen.is === 'option' || clock.monotonic() >= untilMs) throw refusal(wanted, seen)
    if (tries < scrollings.length) continue
    await sleep(clock, pageLimits.selectorPollMs)
  }
}

async function lookAt(
  place: PagePlace,
  element: ElementHandle,
  needs: ActionNeeds,
  scrolling: Scrolling,
): Promise<Seen> {
  try {
    const { spotsTried: spotsMax, selectorPollMs: frameMs } = pageLimits
    const options = { scrolling, spotsMax, frameMs }
    const seen = await element.call(lookAtElement, needs, options)
    return seen.is === 'ready' ? await throughFrames(place, element, seen, needs) : seen
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
  const message = 'The frame of that element has gone; take a new snapshot.'
  throw new ServiceError('not_actionable', message, { why: 'gone' })
}

/**
 * From the element's frame out to the tab: input is sent to the tab, and Chromium finds the frame.
 */
export async function throughFrames(
  place: FramedTab,
  element: ElementHandle,
  inside: Point,
  needs: ActionNeeds,
): Promise<Seen> {
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

const reasons: Readonly<Record<Exclude<Seen['is'], 'ready'>, string>> = {
  option: 'is an option of a closed select: use select_option on the select',
  gone: 'went from the page while it was waited for: take a new snapshot',
  hidden: 'is there, but nothing of it is to be seen',
  disabled: 'is disabled',
  readonly: 'is read-only',
  outside: 'cannot be scrolled into view',
  moving: 'does not come to rest',
  moved: 'does not come to rest',
  covered: 'is covered',
}

function refusal({ target, timeoutMs }: ActionTarget, seen: Exclude<Seen, { is: 'ready' }>) {
  const why = seen.is === 'moved' ? 'moving' : seen.is
  const by = seen.is === 'covered' ? ` by ${seen.by}: act on that first, or close it` : ''
  const message = `${target} ${reasons[seen.is]}${by} (waited ${timeoutMs} ms).`
  return new ServiceError('not_actionable', message, {
    why,
    ...(seen.is === 'covered' && { covered_by: seen.by }),
  })
}
