/** A simulated life of a client for the host's rehearsal. */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { ClientInput } from '../../../proto/access/engagement/client.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { clientMachine } from './machine.ts'

const by = systemAuthor('rehearsal')
const reason = 'rehearsal'

export const clientRehearsal: Rehearsal<ClientInput, OutcomeOf<typeof clientMachine>> = {
  input: {
    id: 'cli_rehearsal',
    tenant: 'cli_rehearsal',
    createdAtMs: 0,
    by,
    name: 'Rehearsal',
    slug: 'rehearsal',
    contact: { name: 'Rehearsal', email: 'rehearsal@example.com' },
    timezone: 'UTC',
    locale: 'en',
  },
  events: [
    { type: 'update', by, patch: { name: 'Another rehearsal' } },
    { type: 'scope_confirmed', scopeId: 'scp_rehearsal' },
    { type: 'activate', by },
    { type: 'cite', grantId: 'gr_rehearsal' },
    { type: 'book', changeId: 'chg_rehearsal', target: 'rehearsal', startMs: 0, endMs: 1_000 },
    { type: 'unbook', changeId: 'chg_rehearsal' },
    { type: 'suspend', by, reason },
    { type: 'resume', by, reason },
    { type: 'offboard', by, reason },
    { type: 'close', by, reason },
  ],
}
