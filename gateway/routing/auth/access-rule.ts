/** Rules that say who may call a scoped-access route, and what it grants to its handler. */
import { hasRole, type AccessRole } from '../../../proto/access/author.ts'
import { accessLimits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { HttpRequest } from '../../server/http.ts'
import { personWith, type AccessCaller, type PersonCaller } from './access-caller.ts'

export interface AccessRule {
  /** `anyone` with a credential, `people`, or people with one of these roles. */
  readonly who: 'anyone' | 'people' | readonly AccessRole[]
  /** The password must have been confirmed within the last ten minutes. */
  readonly stepUp?: true
  /** See `GrantRule`. */
  readonly grant?: (call: GrantCall) => unknown
  /** A rule that names a permission and checks none would look guarded: `granting` makes rules. */
  readonly area?: never
  readonly action?: never
}

export interface GrantCall {
  readonly caller: AccessCaller
  readonly request: HttpRequest
  readonly params: Readonly<Record<string, string>>
}

/**
 * The rule of a route that reads or writes records. The route calls `grant` with each valid request
 * before its handler, and hands the result over as `granted`: declaring the rule is checking it, and
 * without it a handler has nothing that it could read records with.
 */
export interface GrantRule<G> extends AccessRule {
  readonly who: 'anyone'
  /** Throws the error that refuses the caller. */
  readonly grant: (call: GrantCall) => G | Promise<G>
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
