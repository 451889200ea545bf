/** A simulated life of a session for the host's rehearsal. */
import { sessionOptions } from '../../proto/session/session.ts'
import type { SessionInput } from '../../proto/session/session-protocol.ts'
import type { OutcomeOf, Rehearsal } from '../../runtime/actor/actor-kind.ts'
import type { sessionMachine } from './machine.ts'

const who = { tenant: 'rehearsal', keyId: 'key_rehearsal', keyName: 'rehearsal' }
const by = 'host.gateway.rehearsal'

export const sessionRehearsal: Rehearsal<SessionInput, OutcomeOf<typeof sessionMachine>> = {
  input: { id: 'ses_rehearsal', ...who, options: sessionOptions({}), createdAtMs: 0 },
  events: [
    {
      type: 'claimed',
      claim: {
        nodeId: 'host',
        incarnation: 'host.node-agent.rehearsal',
        browserId: 'brw_rehearsal',
        devtoolsPort: 1,
        devtoolsPath: '/devtools/browser/rehearsal',
        machine: 'rehearsal',
        dataUrl: 'tcp://127.0.0.1:1',
        ticketSecret: 'rehearsal',
        downloadsDir: '/',
      },
    },
    { type: 'attach', by },
    { type: 'disconnected', by },
    { type: 'end', reason: 'deleted' },
    { type: 'released' },
  ],
}
