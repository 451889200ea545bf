/** Who may call a route of Surface A: data that the gate reads, and the matrix of the tests. */
import type { AreaAction, AreaKey } from '../../proto/access/areas.ts'
import { hasRole, type AccessRole } from '../../proto/access/author.ts'
import { accessLimits } from '../../proto/access/limits.ts'
import { ServiceError } from '../../proto/errors.ts'
import { personWith, type AccessCaller, type PersonCaller } from './caller.ts'

export interface AccessRule {
  /** `anyone` with a credential; `people`; or people with one of these roles. */
  readonly who: 'anyone' | 'people' | readonly AccessRole[]
  /** Records are read and written through a grant that has this. */
  readonly area?: AreaKey
  readonly action?: AreaAction
  /** The password must have been given in the last ten minutes. */
  readonly stepUp?: true
}

export const anyone: AccessRule = { who: 'anyone' }
export const people: AccessRule = { who: 'people' }
export const only = (...who: readonly AccessRole[]): AccessRule => ({ who })
export const steppedUp = (rule: AccessRule): AccessRule => ({ ...rule, stepUp: true })

/** Whether a rule lets somebody through, once they have given their password again where it asks. */
export const mayTry = ({ who }: AccessRule, { person }: PersonCaller): boolean =>
  who === 'anyone' || who === 'people' || hasRole(person, ...who)

/** Throws what refuses a caller that the rule does not let through. */
export function applyRule(rule: AccessRule, caller: AccessCaller, nowMs: number): void {
  if (rule.who === 'people') personWith(caller)
  else if (rule.who !== 'anyone') personWith(caller, ...rule.who)
  if (!rule.stepUp || caller.kind !== 'person') return
  if (nowMs - caller.session.steppedUpAtMs <= accessLimits.stepUpMs) return
  const text = 'Give your password again (POST /v1/sign-in/step-up); that holds for ten minutes.'
  throw new ServiceError('step_up_required', text)
}
