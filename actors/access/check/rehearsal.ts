/** A simulated life of a checker for the host's rehearsal. */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { CheckInput } from '../../../proto/access/jobs/check.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { checkMachine } from './machine.ts'

const by = systemAuthor('rehearsal')
const recordId = `mon_${'0'.repeat(26)}`

export const checkRehearsal: Rehearsal<CheckInput, OutcomeOf<typeof checkMachine>> = {
  input: {
    ...{ id: 'chk_rehearsal', tenant: 'cli_rehearsal', createdAtMs: 0, by },
    ...{ area: 'monitoring', recordId },
  },
  events: [
    { type: 'switch_on', by, recordId, intervalSeconds: 60 },
    { type: 'checked', isWritten: true, latencyMs: 20 },
    { type: 'switch_on', by, recordId, intervalSeconds: 90 },
    { type: 'deadline.due' },
    { type: 'switch_off', by, recordId },
    { type: 'switch_on', by, recordId, intervalSeconds: 60 },
    { type: 'gone' },
  ],
}
