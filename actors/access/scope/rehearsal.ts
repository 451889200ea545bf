/** A simulated life of a scope for the host's rehearsal. */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { ScopeInput, ScopeTerms } from '../../../proto/access/engagement/scope.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { scopeMachine } from './machine.ts'

const by = systemAuthor('rehearsal')
const reason = 'rehearsal'

const terms: ScopeTerms = {
  name: 'Rehearsal',
  summary: '',
  engagementRef: '',
  paths: ['api'],
  areas: [{ area: 'contacts', actions: ['read', 'write'] }],
  effectiveFromMs: 0,
  effectiveToMs: 1_000,
}
const narrower: ScopeTerms = { ...terms, areas: [{ area: 'contacts', actions: ['read'] }] }

export const scopeRehearsal: Rehearsal<ScopeInput, OutcomeOf<typeof scopeMachine>> = {
  input: { id: 'scp_rehearsal', tenant: 'cli_rehearsal', createdAtMs: 0, by, terms: narrower },
  events: [
    { type: 'revise', by, terms },
    { type: 'submit', by },
    { type: 'return', by, reason },
    { type: 'submit', by },
    { type: 'confirm', by, digest: 'rehearsal' },
    { type: 'client_told' },
    { type: 'cite', grantId: 'gr_rehearsal', endsAtMs: 1_000 },
    { type: 'revise', by, terms: narrower },
    { type: 'revise', by, terms },
    { type: 'retire', by, reason },
  ],
}
