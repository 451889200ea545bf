/**
 * The answers so far when asking for access. They are in the URL of each step, so going back works
 * and nothing is stored before the form is sent; only the reason is asked for in a form, at the
 * end.
 */
import {
  areaKeys,
  isCustomArea,
  areaRulesOf,
  type AreaAction,
  type PermittedArea,
} from '../../../../proto/access/areas/areas.ts'
import type { Permission } from '../../../../proto/access/permissions.ts'
import { requestActor, type RequestView } from '../../../../proto/access/grants/request.ts'
import type { ScopeTerms, ScopeView } from '../../../../proto/access/engagement/scope.ts'
import type { Visit } from '../../visit.ts'

const stateNames = [
  ...(['client', 'need', 'who', 'program', 'scope', 'path', 'request', 'renews'] as const),
  'emergency',
] as const
export type StateName = (typeof stateNames)[number]

export interface AskState {
  readonly one: (name: StateName) => string | undefined
  /** For example `contacts:read`. */
  readonly areas: readonly string[]
}

export function askStateIn(visit: Visit): AskState {
  const { form, query } = visit
  const isForm = visit.facts.request.method === 'POST'
  return {
    one: (name) => (isForm ? form.given(name) : query.get(name) || undefined),
    areas: isForm ? form.all('area') : query.getAll('area'),
  }
}

/**
 * The state as form fields or query parameters, without the names that the step itself asks for.
 */
export function askStatePairs(
  { one, areas }: AskState,
  without: readonly (StateName | 'area')[] = [],
): readonly (readonly [string, string])[] {
  const single = stateNames
    .filter((name) => !without.includes(name))
    .flatMap((name) => {
      const value = one(name)
      return value === undefined ? [] : [[name, value] as const]
    })
  const several = without.includes('area') ? [] : areas.map((area) => ['area', area] as const)
  return [...single, ...several]
}

export type AskStep = '' | '/areas' | '/time'

export function stepHref(
  visit: Visit,
  step: AskStep,
  pairs: readonly (readonly [string, string])[],
): string {
  const query = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value]))
  return visit.at(`/ask${step}`) + (query.size === 0 ? '' : `?${query}`)
}

/** The URL of a step, filled with the answers of an existing request. */
export function askStepUrl(
  visit: Visit,
  step: AskStep,
  { id, terms, tenant }: RequestView,
): string {
  const isPerson = terms.subject.kind === 'person'
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['client', visit.isStaff ? tenant : undefined],
    ['need', terms.needId],
    ['who', isPerson ? terms.subject.id : 'program'],
    ['program', isPerson ? undefined : terms.subject.id],
    ['scope', terms.scopeId],
    ['path', terms.path],
    ['request', id],
    ['renews', terms.renewsGrantId],
    ['emergency', terms.emergency ? '1' : undefined],
    ...terms.permissions.flatMap(({ area, actions }) =>
      actions.map((action) => ['area', `${area}:${action}`] as const),
    ),
  ]
  const pairs = facts.filter((pair): pair is readonly [string, string] => pair[1] !== undefined)
  return stepHref(visit, step, pairs)
}

/** The client; throws `not_found` if the person may not see it. */
export const askClient = (visit: Visit, { one }: AskState) =>
  visit.clientOf(visit.isStaff ? one('client') : visit.client?.id)

/** An active scope with its current terms. */
export interface CurrentScope {
  readonly scope: ScopeView
  readonly terms: ScopeTerms
}

export function currentScopes(visit: Visit, client: string): readonly CurrentScope[] {
  return visit.list('scope', client).flatMap((scope) => {
    const terms = scope.status === 'active' ? scope.current : null
    if (!terms || visit.now >= terms.effectiveToMs) return []
    return [{ scope, terms }]
  })
}

export const chosenScope = (
  scopes: readonly CurrentScope[],
  { one }: AskState,
): CurrentScope | undefined => scopes.find(({ scope }) => scope.id === one('scope')) ?? scopes[0]

/** All areas and the scope's custom views. */
export const askableAreas = ({ terms }: CurrentScope): readonly PermittedArea[] => [
  ...areaKeys,
  ...terms.areas.map(({ area }) => area).filter(isCustomArea),
]

/** The permissions have the same limits on fields and records as in the scope. */
export function askedPermissions(
  areas: readonly string[],
  scope: CurrentScope,
): readonly Permission[] {
  return askableAreas(scope).flatMap((area) => {
    const actions = areaRulesOf(area).actions.filter((action) => isAsked(areas, area, action))
    if (actions.length === 0) return []
    const bound = scope.terms.areas.find((one) => one.area === area)
    const { fields, where } = bound ?? {}
    return [{ area, actions, ...(fields && { fields }), ...(where && { where }) }]
  })
}

const isAsked = (areas: readonly string[], area: PermittedArea, action: AreaAction) =>
  areas.includes(`${area}:${action}`)

/** The draft or returned request that is being edited, if any. */
export async function requestBeingRewritten(
  visit: Visit,
  { one }: AskState,
): Promise<RequestView | undefined> {
  const id = one('request')
  if (id === undefined) return undefined
  return visit.deps.governance.get(requestActor, visit.facts.caller, id)
}
