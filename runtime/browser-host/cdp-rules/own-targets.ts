/**
 * Hides the service's own pages from clients: the clipboard page, and the pages in which scripts
 * run. They are hidden targets, whose type in Chromium is `other`. So a filter that leaves out that
 * type is added to the calls by which a client discovers targets; the browser's messages then need
 * no filtering.
 *
 * A client that attaches with a filter of its own is not changed. Puppeteer does: it attaches to
 * `tab` targets too, and waits until each has reported its page. For a hidden page it sees a target
 * of type `other`, which it does not treat as a page.
 */
import type { ParsedCall } from './downloads.ts'

const ownType = 'other'
const noOwnTargets = { type: ownType, exclude: true }
/** Chromium's default when a call has no filter. */
const defaultFilter = [{ type: 'browser', exclude: true }, { type: 'tab', exclude: true }, {}]

interface Listing {
  /** The parameter that must be true for a filter to be accepted. */
  readonly switchedBy?: 'discover' | 'autoAttach'
  readonly attaches: boolean
}

const listings: ReadonlyMap<unknown, Listing> = new Map<unknown, Listing>([
  ['Target.getTargets', { attaches: false }],
  ['Target.setDiscoverTargets', { switchedBy: 'discover', attaches: false }],
  ['Target.setAutoAttach', { switchedBy: 'autoAttach', attaches: true }],
  ['Target.autoAttachRelated', { attaches: true }],
])

export const listsTargets = (method: string): boolean => listings.has(method)

/** Returns the call with a filter that leaves out our own targets. */
export function hideOwnTargets<C extends ParsedCall>(call: C): C {
  const { method, params = {} } = call
  const listing = listings.get(method)
  // Chromium itself refuses parameters that are no object.
  if (!listing || typeof params !== 'object' || params === null || Array.isArray(params)) {
    return call
  }
  const { switchedBy, attaches } = listing
  const given = params as Readonly<Record<string, unknown>>
  if (switchedBy !== undefined && given[switchedBy] !== true) return call
  const { filter = defaultFilter } = given
  if (!Array.isArray(filter) || (attaches && filter !== defaultFilter)) return call
  return { ...call, params: { ...given, filter: [noOwnTargets, ...(filter as unknown[])] } }
}

/** Filters Chromium's answer to `/json/list`. */
export function withoutOwnTargets(targets: unknown): unknown {
  if (!Array.isArray(targets)) return targets
  return targets.filter((target: { readonly type?: unknown } | null) => target?.type !== ownType)
}
