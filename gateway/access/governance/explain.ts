/**
 * Explains why an access is allowed or denied. The decision is the same as for requests; for a
 * denial, the first link of the chain that causes it is named. It reads no records and changes
 * nothing.
 */
import type { AreaAction, PermittedArea } from '../../../proto/access/areas/areas.ts'
import type { GrantView, TokenView } from '../../../proto/access/grants/grant.ts'
import { isOpenThrough, pathUses } from '../../../proto/access/engagement/scope.ts'
import { intersectAllPermissions, type Permission } from '../../../proto/access/permissions.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { scopeInForce, type ChainLookup } from '../../../runtime/access/in-force.ts'
import { withReportVisibility } from '../../../runtime/access/report-visibility.ts'
import { permissionsOf } from '../gate/authorize.ts'

export interface AccessQuestion {
  readonly area: PermittedArea
  readonly action: AreaAction
}

export interface AccessExplanation {
  readonly grant: GrantView
  /** The permission with its conditions; undefined if denied. */
  readonly permission?: Permission
  /** One sentence. */
  readonly because: string
}

const includes = (permissions: readonly Permission[], { area, action }: AccessQuestion) =>
  permissions.find((one) => one.area === area && one.actions.includes(action))

/** Explains the access by `token` if given, else by the grant itself. */
export function explainAccess(
  chain: ChainLookup,
  { grant, token }: { readonly grant: GrantView; readonly token?: TokenView },
  asked: AccessQuestion,
  nowMs: number,
): AccessExplanation {
  const no = (because: string): AccessExplanation => ({ grant, because })
  const over = (token && overToken(token, nowMs)) ?? overGrant(grant, nowMs)
  if (over !== undefined) return no(over)
  const contracted = currentTermsOf(chain, grant, nowMs)
  if (typeof contracted === 'string') return no(contracted)
  const name = `${asked.area}:${asked.action}`
  const path = `The grant is for the path ${grant.path}, which`
  if (token && !pathUses[grant.path].tokens) return no(`${path} tokens cannot use.`)
  if (!isOpenThrough(grant.path, asked.area)) return no(`${path} does not open ${name}.`)
  const links = [
    ...(token ? [{ who: 'The token', has: permissionsOf(token.scopes) }] : []),
    { who: 'The grant', has: grant.permissions },
    { who: 'The service scope', has: contracted },
  ]
  const [first = [], ...others] = links.map(({ has }) => has)
  const permission = includes(
    withReportVisibility(intersectAllPermissions(first, ...others)),
    asked,
  )
  if (permission) {
    const until = new Date(Math.min(grant.endsAtMs, token?.expiresAtMs ?? Infinity)).toISOString()
    return { grant, permission, because: `The access includes ${name} until ${until}.` }
  }
  const lacking = links.find(({ has }) => !includes(has, asked))
  return no(
    lacking
      ? `${lacking.who} does not include ${name}.`
      : `The parts of the chain have no ${name} in common.`,
  )
}

function overToken({ revokedAtMs, expiresAtMs }: TokenView, nowMs: number): string | undefined {
  if (revokedAtMs !== undefined) return 'The token was revoked.'
  return expiresAtMs <= nowMs ? 'The token has expired.' : undefined
}

function overGrant(
  { status, startsAtMs, endsAtMs, endReason }: GrantView,
  nowMs: number,
): string | undefined {
  if (status !== 'active') {
    return `The grant is ${status}${endReason === undefined ? '' : ` (${endReason})`}.`
  }
  if (nowMs < startsAtMs) return `The grant starts at ${new Date(startsAtMs).toISOString()}.`
  return endsAtMs <= nowMs ? 'The grant has ended.' : undefined
}

/** The permissions of the current scope, or a sentence that says what is not active. */
function currentTermsOf(
  chain: ChainLookup,
  grant: GrantView,
  nowMs: number,
): readonly Permission[] | string {
  try {
    return scopeInForce(chain, grant, nowMs).current?.areas ?? []
  } catch (error) {
    if (!(error instanceof ServiceError) || error.type !== 'access_suspended') throw error
    return `${error.message.split('. ')[0]}.`
  }
}
