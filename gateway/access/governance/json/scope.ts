import { z } from 'zod'
import {
  scopeStatuses,
  type ScopeTerms,
  type ScopeView,
} from '../../../../proto/access/engagement/scope.ts'
import {
  authorData,
  authorJson,
  isoTime,
  permissionData,
  permissionJson,
  entityStamps,
  stampsShape,
  timeJson,
} from '../../../routing/schemas/access-json.ts'

const termsJson = z.object({
  name: z.string(),
  summary: z.string(),
  engagement_ref: z.string(),
  paths: z.array(z.string()),
  areas: z.array(permissionJson),
  effective_from: timeJson,
  effective_to: timeJson,
})

const termsData = (terms: ScopeTerms) => ({
  name: terms.name,
  summary: terms.summary,
  engagement_ref: terms.engagementRef,
  paths: [...terms.paths],
  areas: terms.areas.map(permissionData),
  effective_from: isoTime(terms.effectiveFromMs),
  effective_to: isoTime(terms.effectiveToMs),
})

export const scopeJson = z.object({
  ...stampsShape,
  status: z.enum(scopeStatuses),
  current: termsJson.nullable().describe('The terms in force; null until the first confirmation.'),
  proposal: termsJson.nullable().describe('A draft, or terms that wait for a second admin.'),
  digest: z
    .string()
    .nullable()
    .describe('Digest of the proposal; send it to confirm exactly that proposal.'),
  confirmations: z.array(z.object({ by: authorJson, at: timeJson, digest: z.string() })),
})

export function scopeData(view: ScopeView) {
  const { status, current, proposal, digest, confirmations } = view
  return {
    ...entityStamps(view),
    status,
    current: current && termsData(current),
    proposal: proposal && termsData(proposal),
    digest,
    confirmations: confirmations.map(({ by, atMs, digest: of }) => ({
      by: authorData(by),
      at: isoTime(atMs),
      digest: of,
    })),
  }
}
