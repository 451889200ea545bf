/** What a second admin confirms, and which new terms need no confirmation. */
import { isDeepStrictEqual } from 'node:util'
import { digestOf } from '../../../proto/access/digest.ts'
import type { ClientId, ScopeId } from '../../../proto/access/ids.ts'
import { excessPermissions } from '../../../proto/access/permissions.ts'
import type { ScopeTerms } from '../../../proto/access/engagement/scope.ts'

/** New terms that are not in force yet. */
export interface ScopeProposal {
  readonly terms: ScopeTerms
  /** Number of the proposal, so that the same terms proposed again have another digest. */
  readonly number: number
  /** Ids of the admins who wrote and who submitted it; neither may confirm it. */
  readonly authorId: string
  /** Null while it is a draft. */
  readonly submitterId: string | null
}

interface Shown {
  readonly id: ScopeId
  readonly tenant: ClientId
  readonly proposal: ScopeProposal | null
}

/** Null while nothing waits for a confirmation. */
export function proposalDigest({ id, tenant, proposal }: Shown): string | null {
  if (!proposal || proposal.submitterId === null) return null
  const { number, terms } = proposal
  return digestOf({ client: tenant, scope: id, number, terms })
}

/**
 * True if every access that the new terms allow was allowed before. A changed text is not narrower,
 * because the description of the contract was confirmed too.
 */
export function isNarrower(next: ScopeTerms, now: ScopeTerms): boolean {
  const { name, summary, engagementRef } = next
  return (
    isDeepStrictEqual(
      { name, summary, engagementRef },
      { name: now.name, summary: now.summary, engagementRef: now.engagementRef },
    ) &&
    next.paths.every((path) => now.paths.includes(path)) &&
    excessPermissions(next.areas, now.areas).length === 0 &&
    next.effectiveFromMs >= now.effectiveFromMs &&
    next.effectiveToMs <= now.effectiveToMs
  )
}
