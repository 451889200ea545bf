import { defined } from '../../../proto/defined.ts'
import { z } from 'zod'
import { hasRole } from '../../../proto/access/author.ts'
import { reasonText } from '../../../proto/access/common.ts'
import {
  grantActor,
  rotationBody,
  tokenBody,
  type GrantView,
} from '../../../proto/access/grants/grant.ts'
import { isAccessId, newAccessId, type TokenId } from '../../../proto/access/ids.ts'
import { newSecretText } from '../../../proto/access/people/secret-text.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { emptyRoute, jsonRoute, type Route } from '../../routing/route.ts'
import { callerTenantOf, type AccessCaller } from '../../routing/auth/access-caller.ts'
import { unknownEntity } from './governance.ts'
import { dataJson } from '../../routing/schemas/access-json.ts'
import { grantData, grantJson, tokenData, tokenJson } from './json/grant.ts'
import type { AccessNotes } from '../gate/notes.ts'
import type { AccessRates } from '../gate/rates.ts'
import { onlyRoles, peopleRule, steppedUp } from '../../routing/auth/access-rule.ts'
import { assertHasTokens } from '../gate/authorize.ts'
import { assertHolder } from '../gate/holder.ts'
import type { SecondPerson } from '../people/second-person.ts'
import { entityRoutes, ofId, verbRoute, type EntityDeps } from './entity-routes.ts'

export interface GrantRouteDeps extends EntityDeps {
  readonly secondPerson: SecondPerson
  readonly clock: Clock
  readonly rates: AccessRates
  readonly notes: AccessNotes
}

const form = {
  actor: grantActor,
  path: '/v1/grants',
  noun: 'grants',
  json: grantJson,
  data: grantData,
  read: peopleRule,
} as const
const reasoned = z.strictObject({ reason: reasonText })

export function grantRoutes(deps: GrantRouteDeps): readonly Route[] {
  return [...entityRoutes(deps, form), ...verbs(deps), ...tokenRoutes(deps), ...oneToken(deps)]
}

function verbs(deps: GrantRouteDeps): readonly Route[] {
  const keeper = steppedUp(onlyRoles('admin', 'reviewer', 'owner'))
  const reviewer = steppedUp(onlyRoles('reviewer', 'owner'))
  return [
    verbRoute(deps, form, {
      suffix: 'suspend',
      summary: 'Suspend a grant: its tokens are refused from the next request on.',
      description:
        'Requires a reason. `resume` restores the access. An owner may also suspend what staff ' +
        'suspended; then only an owner resumes it.',
      access: keeper,
      body: reasoned,
      message: ({ reason }, by) => ({ type: 'suspend', reason, ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'resume',
      summary: 'Resume a suspended grant, as one of those who may lift the suspension.',
      description:
        'Requires a reason. Its tokens work again. What an owner of the client suspended, only an ' +
        'owner resumes. What staff suspended, the same person resumes, or a reviewer or an owner ' +
        'who is not involved in it.',
      access: keeper,
      body: reasoned,
      message: ({ reason }, by) => ({ type: 'resume', reason, ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'revoke',
      summary: 'Revoke a grant and all its tokens permanently.',
      description: 'Requires a reason. It takes effect with the next request of any of its tokens.',
      access: steppedUp(peopleRule),
      body: reasoned,
      message: ({ reason }, by) => ({ type: 'revoke', reason, ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'post-review',
      summary:
        'Review emergency access afterwards, as a reviewer or owner who was not involved in it.',
      description:
        'Requires a reason. One reviewer approves emergency access; this is the review that ' +
        'follows.',
      access: reviewer,
      body: reasoned,
      check: ({ requestedBy, approvers }, _, caller) =>
        deps.secondPerson.assertIndependent(caller, [
          requestedBy.id,
          ...approvers.map(({ id }) => id),
        ]),
      message: ({ reason }, by) => ({ type: 'post_review', reason, ...by }),
    }),
  ]
}

const secretTokenJson = tokenJson.extend({
  secret: z.string().describe('The token. It is shown only once.'),
})
const shownOnce = dataJson(secretTokenJson)
const tokenPath = `${form.path}/{id}/tokens`

function tokenRoutes({ governance, clock, rates, notes }: GrantRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: tokenPath,
      summary: 'List the tokens of a grant, without their secrets.',
      description: 'Each with its last four characters, scopes, expiry and last use.',
      auth: 'access',
      access: peopleRule,
      params: ofId,
      response: z.object({ data: z.array(tokenJson) }),
      async handler({ caller, params }) {
        const grant = await governance.get(grantActor, caller, params.id)
        return { data: grant.tokens.map((token) => tokenData(token, grant.id, clock.now())) }
      },
    }),
    jsonRoute({
      method: 'POST',
      path: tokenPath,
      summary: 'Create a token for a grant. Its secret is shown only once.',
      description:
        'It allows some or all of what the grant allows, for at most 90 days. Programs send it ' +
        'as `Authorization: Bearer`. Only a grant for the path `api`, or `custom` for views, has ' +
        'tokens: with another path, request a grant for `api`.',
      auth: 'access',
      access: steppedUp(peopleRule),
      makes: true,
      showsSecret: true,
      status: 201,
      params: ofId,
      body: tokenBody,
      response: shownOnce,
      headers: (answer) => ({ location: `/v1/tokens/${answer.data.id}` }),
      async handler({ caller, params, body }) {
        const held = await governance.get(grantActor, caller, params.id)
        assertHolder(held, caller)
        assertHasTokens(held)
        rates.mint(params.id)
        const { text, hash, hint } = newSecretText('token')
        const tokenId = newAccessId('token')
        const grant = await governance.tell(grantActor, caller, params.id, {
          type: 'mint',
          tokenId,
          hash,
          hint,
          name: body.name,
          ...(body.scopes && { scopes: body.scopes }),
          ...defined({ expiresAtMs: body.expires_at }),
          by: governance.authorOf(caller),
        })
        notes.secretShown(caller, { kind: 'token', id: tokenId })
        return { data: { ...tokenIn(grant, tokenId, clock), secret: text } }
      },
    }),
  ]
}

const ofToken = z.object({ id: z.string() })

/** Finds the grant of a token by the token's id; throws `not_found` for another client's. */
function grantOfToken(
  { chain }: GrantRouteDeps,
  caller: AccessCaller,
  id: string,
): { grant: GrantView; tokenId: TokenId } {
  const grant = isAccessId('token', id)
    ? chain
        .list('grant', callerTenantOf(caller))
        .find(({ tokens }) => tokens.some((token) => token.id === id))
    : undefined
  if (!grant) throw unknownEntity('token')
  return { grant, tokenId: id as TokenId }
}

function oneToken(deps: GrantRouteDeps): readonly Route[] {
  const { governance, clock, notes } = deps
  return [
    jsonRoute({
      method: 'POST',
      path: '/v1/tokens/{id}/rotate',
      summary: 'Replace a token with a new one; the old one stays valid for the overlap.',
      description: 'Renews a token without a gap.',
      auth: 'access',
      access: steppedUp(peopleRule),
      makes: true,
      showsSecret: true,
      status: 201,
      params: ofToken,
      body: rotationBody,
      response: shownOnce,
      headers: (answer) => ({ location: `/v1/tokens/${answer.data.id}` }),
      async handler({ caller, params, body }) {
        const { grant, tokenId } = grantOfToken(deps, caller, params.id)
        assertHolder(grant, caller)
        assertHasTokens(grant)
        const { text, hash, hint } = newSecretText('token')
        const newTokenId = newAccessId('token')
        const view = await governance.tell(grantActor, caller, grant.id, {
          type: 'rotate',
          tokenId,
          newTokenId,
          hash,
          hint,
          overlapMs: body.overlap_seconds * 1_000,
          by: governance.authorOf(caller),
        })
        notes.secretShown(caller, { kind: 'token', id: newTokenId })
        return { data: { ...tokenIn(view, newTokenId, clock), secret: text } }
      },
    }),
    emptyRoute({
      method: 'DELETE',
      path: '/v1/tokens/{id}',
      summary: 'Revoke a token. A token may revoke itself.',
      description: 'It takes effect with its next request.',
      auth: 'access',
      access: { who: 'anyone' },
      params: ofToken,
      async handler({ caller, params }) {
        const { grant, tokenId } = grantOfToken(deps, caller, params.id)
        assertMayRevoke(grant, tokenId, caller)
        const by = governance.authorOf(caller)
        const message = {
          type: 'revoke_token',
          tokenId,
          reason: 'revoked by a request',
          by,
        } as const
        await governance.tell(grantActor, caller, grant.id, message)
      },
    }),
  ]
}

function tokenIn(grant: GrantView, id: TokenId, clock: Clock) {
  const token = grant.tokens.find((one) => one.id === id)
  if (!token)
    throw new ServiceError('internal', 'The grant does not contain the token that it created.')
  return tokenData(token, grant.id, clock.now())
}

function assertMayRevoke(grant: GrantView, tokenId: TokenId, caller: AccessCaller): void {
  if (caller.kind === 'token') {
    if (caller.token.id === tokenId) return
    throw new ServiceError('forbidden', 'A token can revoke only itself.')
  }
  const { person } = caller
  const isOwn = grant.subject.id === person.id
  const isKeeper = hasRole(person, 'admin', 'reviewer', 'operator', 'owner')
  if (isOwn || isKeeper) return
  const message =
    'Only the subject of the grant, an owner of the client, or a staff admin, reviewer or ' +
    'operator can revoke its tokens.'
  throw new ServiceError('forbidden', message)
}
