/**
 * Grants that depend on an entity: the entity stores a citation of each, and notifies each of them
 * when it ends. Requests are refused from that moment on, even before a grant is notified, because
 * gateways check everything that it depends on; the notification updates the grants' own records.
 */
import { defined } from '../../../proto/defined.ts'
import { grantActor, type GrantEnd } from '../../../proto/access/grants/grant.ts'
import type { Author } from '../../../proto/access/author.ts'
import type { Citation } from '../../../proto/access/common.ts'
import type { GrantId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { isGone, ServiceError } from '../../../proto/errors.ts'
import type { EffectContext, EffectRequest } from '../../../runtime/actor/actor-kind.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'

export interface CitedState {
  readonly citations: readonly Citation[]
}

const lasting = (citations: readonly Citation[], at: number): readonly Citation[] =>
  citations.filter(({ endsAtMs = Infinity }) => endsAtMs > at)

export const isCitedBy = ({ citations }: CitedState, grantId: GrantId): boolean =>
  citations.some((citation) => citation.grantId === grantId)

/** Citations of grants that have ended are removed. */
export function addCitation(
  { citations }: CitedState,
  { grantId, endsAtMs, at }: Citation & { readonly at: number },
): CitedState {
  const citation = { grantId, ...defined({ endsAtMs }) }
  return { citations: [...lasting(citations, at), citation] }
}

export function admitCitation(state: CitedState, { grantId }: Citation, at: number): void {
  const limit = limits.grantsCited
  if (isCitedBy(state, grantId) || lasting(state.citations, at).length < limit) return
  const message = `${limit} grants already depend on this; end those that are not needed.`
  throw new ServiceError('quota_exceeded', message, { limit })
}

export interface NotifyGrants {
  readonly end: GrantEnd
  readonly by: Author
}

export const notifyGrantsEffect = (
  end: GrantEnd,
  by: Author,
): EffectRequest<'tell_grants', NotifyGrants> => ({
  kind: 'tell_grants',
  retry: 'safe',
  params: { end, by },
})

export interface CitingDeps {
  readonly directory: Pick<Directory, 'ask'>
}

/** Asks every grant that cites the entity to end. A repeat has no effect on an ended grant. */
export async function notifyGrants(
  { directory }: CitingDeps,
  { end, by }: NotifyGrants,
  { state, signal }: Pick<EffectContext, 'signal'> & { readonly state: CitedState },
): Promise<void> {
  const { citations } = state
  for (let i = 0; i < citations.length && !signal.aborted; i += limits.grantsToldAtOnce) {
    const some = citations.slice(i, i + limits.grantsToldAtOnce)
    await Promise.all(some.map(({ grantId }) => tellGrant(directory, grantId, { end, by })))
  }
}

async function tellGrant(
  directory: CitingDeps['directory'],
  grantId: GrantId,
  { end, by }: NotifyGrants,
): Promise<void> {
  await untilEnded(directory.ask(grantActor, grantId, { type: 'end', end, by }))
}

/** Awaits the answer to a message that ends something; what has ended, or never was, is fine. */
export async function untilEnded(asked: Promise<unknown>): Promise<void> {
  try {
    await asked
  } catch (error) {
    if (!isEnded(error)) throw asRetryable(error)
  }
}

/** True if it was never created, has ended, or cannot be ended in its state. */
function isEnded(error: unknown): boolean {
  if (isGone(error)) return true
  return (
    error instanceof ServiceError &&
    (error.type === 'conflict' || error.type === 'invalid_transition')
  )
}

/**
 * Makes an exhausted limit (`later`) retryable: the runtime would treat it as a refusal and drop
 * the effect, but every grant must be notified eventually.
 */
export function asRetryable(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.retry !== 'later') return error
  return new ServiceError('unavailable', error.message, error.details, error)
}
