/** A simulated life of a grant for the host's rehearsal. */
import { systemAuthor, type Author } from '../../../proto/access/author.ts'
import type { GrantInput } from '../../../proto/access/grants/grant.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { grantMachine } from './machine.ts'

const body = '0'.repeat(26)
const by: Author = { kind: 'staff', id: `usr_${body}`, roles: ['operator'] }
const token = { hint: 'spat_…0000', hash: '0'.repeat(64) }
const reason = 'rehearsal'

export const grantRehearsal: Rehearsal<GrantInput, OutcomeOf<typeof grantMachine>> = {
  input: {
    id: `gr_${body}`,
    tenant: 'cli_rehearsal',
    by: systemAuthor('request'),
    createdAtMs: 0,
    requestId: `acr_${body}`,
    requestedBy: by,
    approvers: [],
    scopeId: `scp_${body}`,
    needId: `nd_${body}`,
    subject: { kind: 'integration', id: 'rehearsal' },
    path: 'api',
    permissions: [{ area: 'contacts', actions: ['read'] }],
    cidrs: [],
    startsAtMs: 0,
    endsAtMs: 1_000_000,
    emergency: false,
  },
  events: [
    { type: 'confirmed' },
    { type: 'mint', by, tokenId: `tok_${body}`, name: reason, ...token },
    { type: 'used', tokenId: `tok_${body}`, atMs: 1 },
    { type: 'revoke', by, reason },
  ],
}
