/** A simulated life of a request for the host's rehearsal. */
import type { Author } from '../../../proto/access/author.ts'
import type { RequestInput } from '../../../proto/access/grants/request.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { requestMachine } from './machine.ts'

const body = '0'.repeat(26)
const asker: Author = { kind: 'staff', id: `usr_${body}`, roles: ['operator'] }
const reviewer: Author = { kind: 'staff', id: `usr_1${body.slice(1)}`, roles: ['reviewer'] }
const scopeId = `scp_${body}` as const
const needId = `nd_${body}` as const
const subject = { kind: 'integration', id: 'rehearsal' } as const
const digest = '0'.repeat(64)

const input: RequestInput = {
  id: `acr_${body}`,
  tenant: 'cli_rehearsal',
  by: asker,
  createdAtMs: 0,
  terms: {
    scopeId,
    needId,
    subject,
    path: 'api',
    permissions: [{ area: 'contacts', actions: ['read'] }],
    cidrs: [],
    endsAtMs: 1_000,
    justification: 'rehearsal',
    emergency: false,
  },
}

export const requestRehearsal: Rehearsal<RequestInput, OutcomeOf<typeof requestMachine>> = {
  input,
  events: [
    { type: 'submit', by: asker },
    {
      type: 'checked',
      digest,
      shown: {
        client: { id: input.tenant, name: 'rehearsal' },
        scope: { id: scopeId, name: 'rehearsal', version: 1 },
        need: { id: needId, title: 'rehearsal', purpose: 'rehearsal' },
        subject: { ...subject, name: 'rehearsal' },
        requestedBy: { kind: asker.kind, id: asker.id },
        terms: input.terms,
        rules: ['R1'],
        slots: [{ role: 'staff_reviewer', count: 1 }],
      },
    },
    {
      type: 'review',
      by: reviewer,
      reviewId: `rv_${body}`,
      decision: 'approve',
      reason: 'rehearsal',
      digest,
    },
    { type: 'granted' },
  ],
}
