/**
 * What somebody has answered so far when asking for access. It is in the address of each step, so
 * going back works and nothing is kept that nobody sent; why they ask comes last, and in a form.
 */
import {
  areaKeys,
  isCustomArea,
  rulesOf,
  type AreaAction,
  type PermittedArea,
} from '../../../../proto/access/areas.ts'
import type { Permission } from '../../../../proto/access/permissions.ts'
import { requestActor, type RequestView } from '../../../../proto/access/request.ts'
import type { ScopeTerms, ScopeView } from '../../../../proto/access/scope.ts'
import type { Visit } from '../../visit.ts'

export const stateNames = [
  ...(['client', 'need', 'who', 'program', 'scope', 'path', 'request', 'renews'] as const),
  'emergency',
] as const
export type StateName = (typeof stateNames)[number]

export interface Asking {
  readonly one: (name: StateName) => string | undefined
  /** `contacts:read` */
  readonly areas: readonly string[]
}

export function askingIn(visit: Visit): Asking {
  const { form, query } = visit
  const isForm = visit.facts.request.method === 'POST'
  return {
    one: (name) => (isForm ? form.given(name) : query.get(name) || undefined),
    areas: isForm ? form.all('area') : query.getAll('area'),
  }
}

/** The state as fields of a form or as a query, but for what the step itself asks. */
export function pairsOf(
  { one, areas }: Asking,
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

export type Step = '' | '/areas' | '/time'

export function stepHref(
  visit: Visit,
  step: Step,
  pairs: readonly (readonly [string, string])[],
): string {
  const query = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value]))
  return visit.at(`/ask${step}`) + (query.size === 0 ? '' : `?${query}`)
}

/** A step, with the answers of a request that there is already. */
export function addressOf(visit: Visit, step: Step, { id, terms, tenant }: RequestView): string {
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

/** For which client; throws `not_found` for one that is not theirs to see. */
export const clientIn = (visit: Visit, { one }: Asking) =>
  visit.clientOf(visit.isStaff ? one('client') : visit.client?.id)

/** A scope in force, with its terms. */
export interface InForce {
  readonly scope: ScopeView
  readonly terms: ScopeTerms
}

export function scopesInForce(visit: Visit, client: string): readonly InForce[] {
  return visit.list('scope', client).flatMap((scope) => {
    const terms = scope.status === 'active' ? scope.current : null
    if (!terms || visit.now >= terms.effectiveToMs) return []
    return [{ scope, terms }]
  })
}

export const chosenScope = (scopes: readonly InForce[], { one }: Asking): InForce | undefined =>
  scopes.find(({ scope }) => scope.id === one('scope')) ?? scopes[0]

/** All areas, and the custom views that a scope has. */
export const areasOf = ({ terms }: InForce): readonly PermittedArea[] => [
  ...areaKeys,
  ...terms.areas.map(({ area }) => area).filter(isCustomArea),
]

/** Where a scope has only some fields or records of an area, so does what is asked for. */
export function permissionsOf(areas: readonly string[], scope: InForce): readonly Permission[] {
  return areasOf(scope).flatMap((area) => {
    const actions = rulesOf(area).actions.filter((action) => isAsked(areas, area, action))
    if (actions.length === 0) return []
    const bound = scope.terms.areas.find((one) => one.area === area)
    const { fields, where } = bound ?? {}
    return [{ area, actions, ...(fields && { fields }), ...(where && { where }) }]
  })
}

const isAsked = (areas: readonly string[], area: PermittedArea, action: AreaAction) =>
  areas.includes(`${area}:${action}`)

/** The draft, or the request that came back, that is being rewritten. */
export async function rewritten(visit: Visit, { one }: Asking): Promise<RequestView | undefined> {
  const id = one('request')
  if (id === undefined) return undefined
  return visit.deps.governance.get(requestActor, visit.facts.caller, id)
}
