/** Finds the element of a target: by ref, by role and name, by words, or by CSS in any frame. */
import { parseTarget } from '../../../proto/commands/target.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { pollUntil } from '../../../runtime/lib/poll-until.ts'
import { inPage } from '../tabs/in-page.ts'
import type { EarlyCall } from './early-call.ts'
import { ElementHandle, elementIn, isElementGone } from './element.ts'
import { findMatch, findWords, type FoundElement, type FramedTab } from './matching.ts'
import type { PageFrame } from '../tabs/frames.ts'
import type { ElementRef, PageView } from '../snapshot/refs.ts'
import { pageLimits } from '../limits.ts'

const { ownElement, isOfThisFrame, isVisible } = inPage

export interface PagePlace extends FramedTab {
  readonly view: PageView
}

/**
 * Undefined if nothing matches. Throws for a stale ref and for invalid CSS. `early` is called on the
 * element in the same round trip, where that is possible.
 */
export async function findElement(
  place: PagePlace,
  target: string,
  early?: EarlyCall,
): Promise<FoundElement | undefined> {
  const aim = parseTarget(target)
  switch (aim.kind) {
    case 'ref':
      return { element: await byRef(place, aim.ref, early), matches: 1 }
    case 'role':
      return firstSeen(place, await place.view.byRole(aim.role, aim.name), early)
    case 'words':
      return findWords(place, aim.words, early)
    case 'css':
      return bySelector(place, aim.selector, early)
  }
}

/** Undefined if there is no such element yet. */
export type FindElement = () => Promise<FoundElement | undefined>

interface AwaitOptions {
  /** Called after each vain look. */
  readonly missing?: () => void
  readonly early?: EarlyCall
  readonly find?: FindElement
}

/** Waits for the element, also across navigations. */
export async function awaitTarget(
  place: PagePlace,
  target: string,
  withinMs: number,
  { missing, early, find = () => findElement(place, target, early) }: AwaitOptions = {},
): Promise<FoundElement> {
  const times = { everyMs: pageLimits.selectorPollMs, withinMs }
  const found = await pollUntil(place.tab.clock, times, async () => {
    const seen = await find().catch((error: unknown) => {
      if (!isElementGone(error)) throw error
      return undefined
    })
    if (!seen) missing?.()
    return seen
  })
  if (!found) throw notFoundError(target)
  return found
}

async function bySelector(
  place: PagePlace,
  selector: string,
  early?: EarlyCall,
): Promise<FoundElement | undefined> {
  const { element, matches } = await findMatch(place, selector, 0, early)
  if (matches === -1) throw invalidError(selector)
  return element && { element, matches }
}

/** Of several, the first visible one. */
async function firstSeen(
  place: PagePlace,
  refs: readonly string[],
  early?: EarlyCall,
): Promise<FoundElement | undefined> {
  const matches = refs.length
  const find = (ref: string, early?: EarlyCall) => byRef(place, ref, early).catch(unlessStale)
  if (matches === 1) {
    const element = await find(refs[0]!, early)
    return element && { element, matches }
  }
  const looked = refs.slice(0, pageLimits.matchesLookedAt)
  const found = await Promise.all(looked.map((ref) => find(ref)))
  const elements = found.filter((element) => element !== undefined)
  const seen = await Promise.all(elements.map((element) => element.call(isVisible)))
  const element = elements[Math.max(0, seen.indexOf(true))]
  for (const other of elements) if (other !== element) other.release()
  return element && { element, matches }
}

/** Most elements are in the main frame, where they are found in one round trip. */
async function byRef(place: PagePlace, ref: string, early?: EarlyCall): Promise<ElementHandle> {
  const element = await inMainFrame(place, ref, early).catch((error: unknown) => {
    if (!isElementGone(error)) throw error
    return undefined
  })
  return element ?? elementOf(place, await place.view.resolve(ref))
}

async function inMainFrame(
  { tab, frames, view }: PagePlace,
  ref: string,
  early: EarlyCall | undefined,
): Promise<ElementHandle | undefined> {
  const where = view.inMainFrame(ref)
  if (!where) return undefined
  const { world, number, documentId } = where
  return elementIn({ tab, frame: frames.main, world, early }, ownElement, number, documentId)
}

/** The page has removed the element since it was found. */
function unlessStale(error: unknown): undefined {
  if (error instanceof ServiceError && error.type === 'stale_ref') return undefined
  throw error
}

/** Converts to an `ElementRef`, for code that uses the debugger's ids. */
export async function refOf({ element }: FoundElement): Promise<ElementRef> {
  const { tab, frame } = element
  const { node } = await element.send('DOM.describeNode')
  element.release()
  return { tab, sessionId: frame.session, backendNodeId: node.backendNodeId }
}

/** Finds the element's own frame among those of its process, since positions are relative to it. */
async function elementOf(place: PagePlace, ref: ElementRef): Promise<ElementHandle> {
  const all = await place.frames.all()
  const own = all.filter(({ session }) => session === ref.sessionId)
  for (const frame of own) {
    const element = await elementAt(place, frame, ref.backendNodeId)
    if (!element) continue
    if (own.length === 1 || (await element.call(isOfThisFrame))) return element
    element.release()
  }
  throw new ServiceError('stale_ref', 'Its frame no longer exists; take a new snapshot.', {})
}

/** Undefined if the element is of another origin, so that the frame has no access to it. */
export async function elementAt(
  { tab, frames }: FramedTab,
  frame: PageFrame,
  backendNodeId: number,
): Promise<ElementHandle | undefined> {
  const executionContextId = await frames.worldOf(frame)
  const { object } = await tab.send(
    'DOM.resolveNode',
    { backendNodeId, executionContextId },
    undefined,
    frame.session,
  )
  return object.objectId === undefined ? undefined : new ElementHandle(tab, frame, object.objectId)
}

export function notFoundError(target: string): ServiceError {
  const message = `Nothing on the page matches ${target}; take a snapshot to see its elements.`
  return new ServiceError('element_not_found', message, { matches: 0 })
}

function invalidError(selector: string): ServiceError {
  const message =
    `target is neither a ref (e12), nor a role and name (button "Save"), ` +
    `nor words (text "Total"), nor valid CSS: ${JSON.stringify(selector)}.`
  return new ServiceError('bad_request', message, { field: 'target' })
}
