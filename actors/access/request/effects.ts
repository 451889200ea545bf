/** The effects of a request: the check of a submission, and its grant. */
import { systemAuthor } from '../../../proto/access/author.ts'
import { digestOf } from '../../../proto/access/digest.ts'
import { grantActor, type GrantInput, type GrantView } from '../../../proto/access/grants/grant.ts'
import type { ClientId, GrantId } from '../../../proto/access/ids.ts'
import type { ReviewedFacts } from '../../../proto/access/grants/request.ts'
import { isNotFound, ServiceError } from '../../../proto/errors.ts'
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { checkBasis, readBasis, type AccessBasis } from '../common/basis.ts'
import { asRetryable } from '../common/citations.ts'
import type { AccessEffectDeps } from '../common/deps.ts'
import { approversOf } from '../common/reviews.ts'
import { fittedPolicy } from '../common/staffing.ts'
import { checkTerms, startOf } from './checks.ts'
import { customViews } from './custom-views.ts'
import {
  grantIdOf,
  type RequestContext,
  type requestMachine,
  type RequestEffects,
  requestReviewSubject,
} from './machine.ts'
import type { AccessPolicy, PolicyResult } from './policy.ts'

export interface RequestEffectDeps extends AccessEffectDeps {
  readonly policy: AccessPolicy
}

/** The author of created grants. */
const author = systemAuthor('request')

type Outcome = OutcomeOf<typeof requestMachine>
type Handlers = EffectHandlers<RequestEffects, RequestContext, Outcome>

export function requestEffects(deps: RequestEffectDeps): Handlers {
  return {
    check: (_, { state }) => check(deps, state),
    make_grant: (_, { state }) => withRetryableLimits(() => makeGrant(deps, state)),
    drop_grant: (_, { state }) => dropGrant(deps, state),
  }
}

async function check(deps: RequestEffectDeps, request: RequestContext): Promise<Outcome> {
  const { directory, clock, policy } = deps
  const { tenant, terms } = request
  const renewed = await renewedGrant(deps, request)
  const basis = await readBasis(directory, tenant, terms)
  const nowMs = clock.now()
  checkTerms(terms, { nowMs, renewed })
  const startsAtMs = startOf(terms, nowMs)
  checkBasis(terms, basis, startsAtMs)
  const custom = await customViews(directory, tenant, terms.permissions)
  const { person } = basis
  const required = policy({ terms, client: tenant, startsAtMs, ...(person && { person }) })
  const result = fittedPolicy(required, request.staffing, requestReviewSubject(request).parties)
  const facts = factsOf(request, basis, result)
  const shown = custom.length > 0 ? { ...facts, custom } : facts
  return { type: 'checked', shown, digest: digestOf(shown) }
}

async function renewedGrant(
  { directory }: RequestEffectDeps,
  { tenant, terms: { renewsGrantId } }: RequestContext,
): Promise<GrantView | undefined> {
  if (renewsGrantId === undefined) return undefined
  const found = await findGrant(directory, tenant, renewsGrantId)
  if (found) return found
  const message = 'The grant to renew does not exist in this client.'
  throw new ServiceError('validation_failed', message, { pointers: ['/renews_grant_id'] })
}

function factsOf(
  { createdBy, terms }: RequestContext,
  { client, scope, need, person }: AccessBasis,
  { rules, slots }: PolicyResult,
): ReviewedFacts {
  return {
    client: { id: client.id, name: client.name },
    scope: { id: scope.id, name: scope.current?.name ?? '', version: scope.version },
    need: { id: need.id, title: need.title, purpose: need.purpose },
    subject: { ...terms.subject, name: person?.name ?? terms.subject.id },
    requestedBy: { kind: createdBy.kind, id: createdBy.id },
    terms,
    rules,
    slots,
  }
}

/** Retries on exhausted limits, because they free up and must not undo people's decisions. */
async function withRetryableLimits<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asRetryable(error)
  }
}

/** If the grant exists already, an earlier attempt has created it, and only its state is read. */
async function makeGrant(deps: RequestEffectDeps, request: RequestContext): Promise<Outcome> {
  const { directory, clock } = deps
  const { tenant, terms } = request
  const id = grantIdOf(request.id)
  if ((await findGrant(directory, tenant, id)) === undefined) {
    const basis = await readBasis(directory, tenant, terms)
    const input = grantOf(request, id, clock.now())
    checkBasis(input, basis, input.startsAtMs)
    await directory.create(grantActor, id, input, { tenant })
  }
  const asked = { tenant, untilSettled: true }
  const { view } = await directory.ask(grantActor, id, { type: 'get' }, asked)
  if (view.endReason !== 'never_held') return { type: 'granted' }
  throw new ServiceError(
    'conflict',
    view.reason ?? 'The grant could not be created; create a new request.',
  )
}

function grantOf(request: RequestContext, id: GrantId, nowMs: number): GrantInput {
  const { terms, tenant } = request
  const startsAtMs = startOf(terms, nowMs)
  if (terms.endsAtMs <= startsAtMs) {
    throw new ServiceError('conflict', 'The access would already have ended; request a later end.')
  }
  const { scopeId, needId, subject, path, permissions, cidrs, endsAtMs, emergency } = terms
  return {
    id,
    tenant,
    by: author,
    createdAtMs: nowMs,
    requestId: request.id,
    requestedBy: request.createdBy,
    approvers: approversOf(request),
    ...{ scopeId, needId, subject, path, permissions, cidrs, startsAtMs, endsAtMs, emergency },
  }
}

async function dropGrant(
  { directory }: RequestEffectDeps,
  { id, tenant }: RequestContext,
): Promise<void> {
  const end = { type: 'end', by: author, end: 'never_held' } as const
  try {
    await directory.ask(grantActor, grantIdOf(id), end, { tenant })
  } catch (error) {
    // It was not created; if its creation is still on its way, it will find the request lapsed.
    if (!isNotFound(error)) throw error
  }
}

async function findGrant(
  directory: AccessEffectDeps['directory'],
  tenant: ClientId,
  id: GrantId,
): Promise<GrantView | undefined> {
  try {
    return (await directory.ask(grantActor, id, { type: 'get' }, { tenant })).view
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
