/** A simulated life of a person for the host's rehearsal. */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { PersonInput } from '../../../proto/access/people/person.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { personMachine } from './machine.ts'

const by = systemAuthor('rehearsal')
const sessionId = 'pss_rehearsal'
const hash = 'rehearsal'

export const personRehearsal: Rehearsal<PersonInput, OutcomeOf<typeof personMachine>> = {
  input: {
    id: 'usr_rehearsal',
    tenant: 'cli_rehearsal',
    createdAtMs: 0,
    by,
    email: 'rehearsal@example.com',
    name: 'Rehearsal',
    kind: 'member',
    roles: ['member'],
    invitationHash: hash,
  },
  events: [
    { type: 'reinvite', by, invitationHash: 'another' },
    { type: 'accept', invitationHash: 'another', password: hash },
    { type: 'sign_in_failed' },
    { type: 'sign_in', sessionId, hash },
    { type: 'step_up', sessionId },
    { type: 'cite', grantId: 'gr_rehearsal' },
    { type: 'set_roles', by, roles: ['owner'] },
    { type: 'sign_out', sessionId },
    { type: 'remove', by, reason: 'rehearsal' },
  ],
}
