/** A simulated life of a need for the host's rehearsal. */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { NeedInput } from '../../../proto/access/engagement/need.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { needMachine } from './machine.ts'

const by = systemAuthor('rehearsal')

export const needRehearsal: Rehearsal<NeedInput, OutcomeOf<typeof needMachine>> = {
  input: {
    id: 'nd_rehearsal',
    tenant: 'cli_rehearsal',
    createdAtMs: 0,
    by,
    title: 'Rehearsal',
    purpose: 'So that the first need is quick.',
    category: 'delivery',
    reference: { kind: 'task', id: 'rehearsal' },
    ownerId: 'usr_rehearsal',
    expectedEndAtMs: 1_000,
  },
  events: [
    { type: 'update', by, patch: { title: 'Another rehearsal' } },
    { type: 'cite', grantId: 'gr_rehearsal', endsAtMs: 1_000 },
    { type: 'deadline.expected_end' },
    { type: 'extend', by, expectedEndAtMs: 2_000, reason: 'rehearsal' },
    { type: 'close', by, reason: 'rehearsal' },
  ],
}
