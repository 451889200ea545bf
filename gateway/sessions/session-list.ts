/** Filters for lists of sessions. */
import { z } from 'zod'
import type { SessionView } from '../../proto/session/session.ts'
import { longPageQuery, type PageQuery } from '../routing/answers/paging.ts'
import { pageOfViews, type Wanted } from '../routing/answers/view-page.ts'
import type { SessionViews } from './session-views.ts'
import { facet } from '../../runtime/actor/archive/archived-kind.ts'
import type { TallyOf } from './task-tally.ts'

const isoTime = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))
export const commaList = z.string().transform((text) => text.split(',').map((item) => item.trim()))

const filters = {
  tags: commaList.optional().describe('Comma-separated tags; only sessions that have all of them.'),
  created_from: isoTime.optional().describe('ISO 8601 time, inclusive.'),
  created_to: isoTime.optional().describe('ISO 8601 time, inclusive.'),
  task_initiated: z
    .boolean()
    .optional()
    .describe('Only sessions that were (true) or were not (false) created for a task.'),
  domains: commaList
    .optional()
    .describe(
      'Comma-separated domains; only sessions whose pages were at all of them, or at subdomains.',
    ),
  profile_name: z
    .string()
    .optional()
    .describe('Only sessions with a profile whose name contains this; case does not matter.'),
}

export const statusQuery = z.strictObject(filters)

export const listQuery = z.strictObject({
  ...filters,
  ...longPageQuery,
  status: z.string().optional().describe('Only sessions with this status.'),
  search: z
    .string()
    .optional()
    .describe('Words separated by spaces; each must be contained in a tag of the session.'),
})

type Filters = z.infer<typeof statusQuery>
type ListQuery = z.infer<typeof listQuery>

/** A page of the sessions of a tenant, or of all. */
export function pageOfSessions(
  views: SessionViews,
  tenant: string | undefined,
  query: Filters & Partial<ListQuery> & PageQuery,
  tallyOf: TallyOf,
) {
  const { tags = [], created_from: fromMs, created_to: toMs, task_initiated: isInitiated } = query
  const profile = query.profile_name?.toLowerCase()
  const domains = (query.domains ?? []).map((domain) => domain.toLowerCase())
  const status = query.status?.toLowerCase()
  const words = (query.search ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (view: SessionView) =>
    tags.every((tag) => view.tags.includes(tag)) &&
    view.createdAtMs >= (fromMs ?? -Infinity) &&
    view.createdAtMs <= (toMs ?? Infinity) &&
    (isInitiated === undefined || tallyOf(view.id).isInitiated === isInitiated) &&
    (status === undefined || view.status === status) &&
    (profile === undefined || profileOf(view).includes(profile)) &&
    domains.every((domain) => wasAt(view, domain)) &&
    words.every((word) => view.tags.some((tag) => tag.toLowerCase().includes(word)))
  const facets = tags.map((tag) => facet('tag', tag))
  if (status !== undefined) facets.push(facet('status', status))
  const isTimed = fromMs !== undefined || toMs !== undefined
  const mustRead =
    words.length > 0 || domains.length > 0 || isInitiated !== undefined || profile !== undefined
  const isFiltered = facets.length > 0 || isTimed || mustRead
  const wanted: Wanted<SessionView> = {
    ...{ tenant, facets, mustRead },
    ...(isTimed && { created: { prefix: 'ses', fromMs, toMs } }),
    ...(isFiltered && { matches }),
  }
  return pageOfViews(views, wanted, query)
}

const profileOf = ({ options }: SessionView) => options.profile?.name.toLowerCase() ?? ''

const wasAt = ({ use }: SessionView, domain: string): boolean =>
  use?.domains.some((one) => one === domain || one.endsWith(`.${domain}`)) ?? false
