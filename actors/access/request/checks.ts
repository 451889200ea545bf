/** Checks of a request's terms that need no other entity, made before it is reviewed. Pure. */
import { areaRulesOf } from '../../../proto/access/areas/areas.ts'
import type { GrantView } from '../../../proto/access/grants/grant.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { dayMs } from '../../../proto/units.ts'
import type { RequestTerms } from '../../../proto/access/grants/request.ts'
import { ServiceError } from '../../../proto/errors.ts'

const hourMs = 60 * 60_000

/** When access with these terms begins if it is granted now. */
export const startOf = ({ startsAtMs }: RequestTerms, nowMs: number): number =>
  Math.max(startsAtMs ?? nowMs, nowMs)

/** Throws `validation_failed`. `renewed`: the grant that the terms name, if any. */
export function checkTerms(
  terms: RequestTerms,
  { nowMs, renewed }: { readonly nowMs: number; readonly renewed?: GrantView | undefined },
): void {
  checkTimes(terms, nowMs)
  const { emergency, permissions } = terms
  if (emergency && terms.renewsGrantId !== undefined) {
    throw invalidError(
      '/renews_grant_id',
      'Emergency access cannot renew a grant; request ordinary access.',
    )
  }
  if (renewed?.emergency) {
    throw invalidError(
      '/renews_grant_id',
      'Emergency access cannot be renewed; request ordinary access.',
    )
  }
  const disallowedIndex = permissions.findIndex(
    ({ area, actions }) => !actions.every((action) => areaRulesOf(area).actions.includes(action)),
  )
  if (disallowedIndex >= 0) {
    const message = 'This area does not have this action; GET /v1/areas lists its actions.'
    throw invalidError(`/permissions/${disallowedIndex}/actions`, message)
  }
}

function checkTimes(terms: RequestTerms, nowMs: number): void {
  const { endsAtMs, emergency } = terms
  const lengthMs = endsAtMs - startOf(terms, nowMs)
  if (lengthMs <= 0) {
    throw invalidError('/ends_at', 'Access must end after it starts, and in the future.')
  }
  if (emergency && lengthMs > limits.emergencyMs) {
    const hours = limits.emergencyMs / hourMs
    throw invalidError(
      '/ends_at',
      `Emergency access can last at most ${hours} hours; request an earlier end.`,
    )
  }
  if (lengthMs > limits.grantMs) {
    const days = limits.grantMs / dayMs
    throw invalidError('/ends_at', `Access can last at most ${days} days; request an earlier end.`)
  }
}

function invalidError(pointer: string, message: string): ServiceError {
  return new ServiceError('validation_failed', message, { pointers: [pointer] })
}
