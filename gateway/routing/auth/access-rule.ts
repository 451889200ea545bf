/**
 * Rules that say who may call a scoped-access route: data for the gate and for the tests' matrix.
 */
import type { AreaAction, AreaKey } from '../../../proto/access/areas/areas.ts'
import { hasRole, type AccessRole } from '../../../proto/access/author.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { personWith, type AccessCaller, type PersonCaller } from './access-caller.ts'

export interface AccessRule {
  /** `anyone` with a credential, `people`, or people with one of these roles. */
  readonly who: 'anyone' | 'people' | readonly AccessRole[]
  /** The permission that the grant must have, for routes that read and write records. */
  readonly area?: AreaKey
  readonly action?: AreaAction
  /** The password must have been confirmed within the last ten minutes. */
  readonly stepUp?: true
}

export const anyoneRule: AccessRule = { who: 'anyone' }
export const peopleRule: AccessRule = { who: 'people' }
export const onlyRoles = (...who: readonly AccessRole[]): AccessRule => ({ who })
export const steppedUp = (rule: AccessRule): AccessRule => ({ ...rule, stepUp: true })

/** Whether the rule would let the person through after a step-up. */
export const mayAttempt = ({ who }: AccessRule, { person }: PersonCaller): boolean =>
  who === 'anyone' || who === 'people' || hasRole(person, ...who)

/** Throws the error that refuses a caller. */
export function applyRule(rule: AccessRule, caller: AccessCaller, nowMs: number): void {
  if (rule.who === 'people') personWith(caller)
  else if (rule.who !== 'anyone') personWith(caller, ...rule.who)
  if (!rule.stepUp || caller.kind !== 'person') return
  if (nowMs - caller.session.steppedUpAtMs <= accessLimits.stepUpMs) return
  const text =
    'Enter your password again (POST /v1/sign-in/step-up); this is valid for ten minutes.'
  throw new ServiceError('step_up_required', text)
}
