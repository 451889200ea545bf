/**
 * Clicks an element and says whether it received the press. A page may change when the pointer
 * comes, so the pointer moves first, and what is at its place is tested again before the press.
 */
import { ServiceError } from '../../../proto/errors.ts'
import type { MouseButton } from '../../../proto/commands/os-control/pointer.ts'
import { inPage } from '../tabs/in-page.ts'
import type { Arrival, PressFate } from '../../in-page/actions/pressing.ts'
import type { ActionContext, ActionNote, PreparedAction, Settling } from './acting.ts'
import {
  awaitActionable,
  forced,
  forClick,
  type ActionableElement,
  type ActionTarget,
} from '../targeting/actionable.ts'
import { isElementGone } from '../targeting/element.ts'
import { swappedError } from '../targeting/refusals.ts'
import { pageLimits } from '../limits.ts'

const { arrivalAt, pressFate, twinAt, watchPress } = inPage

export interface ClickOptions {
  readonly button: MouseButton
  readonly double: boolean
  /** Without waiting until it is free and at rest. */
  readonly force: boolean
}

export async function clickElement(
  context: ActionContext,
  wanted: ActionTarget,
  options: ClickOptions,
): Promise<PreparedAction> {
  const place = await awaitActionable(context, wanted, options.force ? forced : forClick)
  return {
    matches: place.matches,
    run: (settling) => pressUntilReached({ ...context, settling }, wanted, place, options),
  }
}

/**
 * Moves the pointer over an element, and tests what is at the point then. The page is asked before
 * the motion is sent, so that it answers after the frame that dispatches the motion. If it has not
 * seen the motion in time, it is asked again after the browser has delivered it.
 */
export async function approach(
  { tab, pointer }: ActionContext,
  { element, at, inside }: ActionableElement,
): Promise<Arrival> {
  const { selectorPollMs: frameMs } = pageLimits
  const look = (isThere: boolean) =>
    element.call(arrivalAt, inside.x, inside.y, frameMs, isThere).catch(goneArrival)
  const watched = element.call(watchPress).catch(ignoreGone)
  const [arrival] = await Promise.all([look(false), watched, pointer.move(tab, at)])
  return arrival.isDrawn ? arrival : look(true)
}

export function ignoreGone(error: unknown): void {
  if (!isElementGone(error)) throw error
}

function goneArrival(error: unknown): Arrival {
  if (!isElementGone(error)) throw error
  return { hits: false, isDrawn: false }
}

/** A press that missed is repeated once, if nothing has come of it. */
async function pressUntilReached(
  context: ActionContext & { readonly settling: Settling },
  wanted: ActionTarget,
  first: ActionableElement,
  options: ClickOptions,
): Promise<ActionNote> {
  const { tab } = context
  let place = first
  let approaches = 0
  for (let presses = 1; ; presses++) {
    while (!place.moving && !options.force) {
      const { hits, on } = await approach(context, place)
      if (hits) break
      if (++approaches === pageLimits.approaches) throw swappedError(wanted, on)
      const twin = await twinOf(place)
      place.element.release()
      place =
        twin ??
        (await lookAgain(context, wanted).catch((error: unknown) => {
          throw isVanished(error) ? swappedError(wanted, on) : error
        }))
    }
    const { element, moving } = place
    if (moving || options.force) await element.call(watchPress)
    await context.pointer.clickInside(tab, place.at, options.button, options.double ? 2 : 1)
    context.settling.draw()
    const fate = await element.call(pressFate).catch(goneFate)
    element.release()
    if (fate.reached) return moving ? movingNote(wanted) : undefined
    const next =
      fate.safe && presses === 1 && !options.force
        ? await lookAgain(context, wanted).catch(noNext)
        : undefined
    if (!next) return missedNote(wanted, fate, moving)
    place = next
  }
}

/** Not for long, since the pointer is kept from others meanwhile. */
function lookAgain(context: ActionContext, wanted: ActionTarget): Promise<ActionableElement> {
  const timeoutMs = Math.min(wanted.timeoutMs, pageLimits.swappedMs)
  return awaitActionable(context, { ...wanted, timeoutMs }, forClick)
}

/** The page may have redrawn the element when the pointer came. */
async function twinOf(place: ActionableElement): Promise<ActionableElement | undefined> {
  const { element, inside } = place
  const twin = await element.other(twinAt, inside.x, inside.y).catch((error: unknown) => {
    if (!isElementGone(error)) throw error
    return undefined
  })
  return twin && { ...place, element: twin }
}

/** A press that led elsewhere, or opened a dialog, has been received. */
function goneFate(error: unknown): PressFate {
  const stopped = error instanceof ServiceError && error.type === 'dialog_open'
  if (stopped || isElementGone(error)) return { reached: true, safe: false }
  throw error
}

/** Then the first press was the last one. */
function noNext(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error
}

const isVanished = (error: unknown) =>
  error instanceof ServiceError && ['element_not_found', 'stale_ref'].includes(error.type)

const movingNote = ({ target }: ActionTarget) =>
  `${target} does not stop moving, and was pressed where it was.`

function missedNote(wanted: ActionTarget, { on }: PressFate, moving: boolean): string {
  const where =
    on === undefined
      ? `Nothing of the page received the press on ${wanted.target}.`
      : `The press landed on ${on}, not on ${wanted.target}.`
  return moving ? `${movingNote(wanted)} ${where}` : where
}
