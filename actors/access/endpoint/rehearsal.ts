/** A simulated life of an endpoint for the host's rehearsal. */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { EndpointInput } from '../../../proto/access/webhooks/endpoint.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { endpointMachine } from './machine.ts'

const by = systemAuthor('rehearsal')
const body = '0'.repeat(26)
const url = 'https://rehearsal.example/hooks'
const secret = { id: 'first', kind: 'hmac', sealed: '', hint: '', createdAtMs: 0 } as const
const pinged = { purpose: 'verify', deliveryId: `dlv_${body}`, eventType: 'webhook.ping' } as const

export const endpointRehearsal: Rehearsal<EndpointInput, OutcomeOf<typeof endpointMachine>> = {
  input: {
    id: `whe_${body}`,
    tenant: 'cli_rehearsal',
    createdAtMs: 0,
    by,
    ...{ grantId: `gr_${body}`, needId: `nd_${body}` },
    ...{ url, description: '', events: ['contact.*'], payload: 'thin', ratePerSecond: 1 },
    secret,
  },
  events: [
    { type: 'ping', by, ...pinged },
    { type: 'verified', url },
    { type: 'rotate', by, secret: { ...secret, id: 'second' }, graceMs: 1 },
    { type: 'delivery_failed', atMs: 2 },
    { type: 'recover', by, sinceMs: 0, untilMs: 1 },
    { type: 'disable', by, reason: 'rehearsal' },
    { type: 'remove', by },
  ],
}
