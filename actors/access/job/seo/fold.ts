/** How each step of an audit changes its state. Pure: called by the machine of the job. */
import { defined } from '../../../../proto/defined.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { isFollowable } from './addresses.ts'
import type { AuditedPage, FoundRule, LinkTarget, SeoState, SeoStep } from './state.ts'

type Visited = Extract<SeoStep, { readonly kind: 'visited' }>
type OriginRead = Extract<SeoStep, { readonly kind: 'origin' }>

export function foldAudit(state: SeoState, step: SeoStep): SeoState {
  switch (step.kind) {
    case 'opened':
      return { ...state, turn: step.turn }
    case 'session_lost':
      return loseSession(state, step.why)
    case 'origin':
      return addOrigin(state, step)
    case 'visited':
      return addPage(state, step)
    case 'skipped':
      return skip(state, step)
    case 'links':
      return addStatuses(state, step.statuses)
    default:
      return step satisfies never
  }
}

/** True if nothing is left to do, or the audit cannot continue. */
export const isAudited = ({ failure, queue, linksChecked }: SeoState): boolean =>
  failure !== null || (queue.length === 0 && linksChecked)

export const pagesFound = ({ pages, queue }: SeoState): number => pages.length + queue.length

/** Linked URLs of the site that were not visited: the next ones to request. */
export function uncheckedLinks({ pages, targets }: SeoState): readonly string[] {
  const visited = new Set(pages.flatMap(({ url, to }) => (to === undefined ? [url] : [url, to])))
  const open = targets.filter(({ url, status }) => status === undefined && !visited.has(url))
  const asked = targets.filter(({ status }) => status !== undefined).length
  const most = Math.min(limits.seoLinkChecksAtOnce, limits.seoLinkChecks - asked)
  return open.slice(0, Math.max(0, most)).map(({ url }) => url)
}

function loseSession(state: SeoState, why: string): SeoState {
  const session = state.session + 1
  if (session < state.order.sessionIds.length) return { ...state, session, turn: null }
  return { ...state, turn: null, failure: `The browser was lost repeatedly: ${why}` }
}

function addOrigin(state: SeoState, step: OriginRead): SeoState {
  const { site, urls, disallowed, failure } = step
  const isStart = state.origins.length === 0
  const queued = isStart ? enqueue(state, urls) : state
  return {
    ...queued,
    origins: [...state.origins, site],
    listed: isStart ? urls.filter((url) => queued.queue.includes(url)) : state.listed,
    disallowed: isStart ? disallowed : state.disallowed,
    warnings: withWarnings(queued, step.warnings),
    ...defined({ failure }),
  }
}

/** Without its first page, the audit fails. */
function skip(state: SeoState, { url, why }: Extract<SeoStep, { kind: 'skipped' }>): SeoState {
  const queue = state.queue.filter((one) => one !== url)
  const failure = url === state.order.siteUrl ? why : state.failure
  return { ...state, queue, failure, warnings: withWarnings(state, [why]) }
}

function addPage(state: SeoState, step: Visited): SeoState {
  const index = state.pages.length
  const page: AuditedPage = { ...step.page, inSitemap: state.listed.includes(step.page.url) }
  const base = {
    ...state,
    turn: step.turn,
    pages: [...state.pages, page],
    queue: state.queue.filter((url) => url !== step.page.url && url !== step.page.to),
    listed: state.listed.filter((url) => url !== step.page.url),
    warnings: withWarnings(state, step.warnings),
  }
  const isFull = JSON.stringify(base).length > limits.seoStateBytes
  if (isFull) {
    const warning = 'The site is too large for one audit: only a part of it was audited.'
    const found = addFound(state.found, step.found, index, false)
    return { ...base, found, queue: [], warnings: withWarnings(base, [warning]) }
  }
  const found = addFound(state.found, step.found, index, true)
  const targets = addTargets(state.targets, step.links, index)
  return enqueue({ ...base, found, targets }, step.links)
}

function enqueue(state: SeoState, urls: readonly string[]): SeoState {
  const { pages, queue, order } = state
  const known = new Set([
    ...queue,
    ...pages.flatMap(({ url, to }) => (to === undefined ? [url] : [url, to])),
  ])
  const room = order.pagesMost - pages.length - queue.length
  const added = [...new Set(urls)].filter((url) => !known.has(url) && isFollowable(url))
  return room > 0 ? { ...state, queue: [...queue, ...added.slice(0, room)] } : state
}

/** Counts are exact; spots are kept while there is room. */
function addFound(
  before: readonly FoundRule[],
  added: Visited['found'],
  page: number,
  hasRoom: boolean,
): readonly FoundRule[] {
  const rules = new Map(before.map((one) => [one.rule, one]))
  for (const { rule, count, spots } of added) {
    const known = rules.get(rule) ?? { rule, count: 0, pages: 0, spots: [] }
    const room = hasRoom ? limits.seoAffected - known.spots.length : 0
    const more = spots.slice(0, Math.max(0, room)).map((spot) => ({ ...spot, page }))
    const next = { rule, count: known.count + count, pages: known.pages + 1 }
    rules.set(rule, { ...next, spots: [...known.spots, ...more] })
  }
  return [...rules.values()]
}

function addTargets(
  before: readonly LinkTarget[],
  links: readonly string[],
  page: number,
): readonly LinkTarget[] {
  const targets = new Map(before.map((one) => [one.url, one]))
  for (const url of new Set(links)) {
    const known = targets.get(url)
    if (!known && targets.size >= limits.seoTargets) continue
    const from = known?.from ?? []
    targets.set(url, {
      ...known,
      url,
      count: (known?.count ?? 0) + 1,
      from: from.length < limits.seoSourcesPerTarget ? [...from, page] : from,
    })
  }
  return [...targets.values()]
}

function addStatuses(
  state: SeoState,
  statuses: readonly { readonly url: string; readonly status: number }[],
): SeoState {
  const known = new Map(statuses.map(({ url, status }) => [url, status]))
  const targets = state.targets.map((target) => {
    const status = known.get(target.url)
    return status === undefined ? target : { ...target, status }
  })
  const next = { ...state, targets }
  return { ...next, linksChecked: uncheckedLinks(next).length === 0 }
}

function withWarnings(
  { warnings }: Pick<SeoState, 'warnings'>,
  added: readonly string[],
): readonly string[] {
  return [...new Set([...warnings, ...added])].slice(0, limits.seoWarnings)
}
