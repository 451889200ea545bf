/** A simulated life of a report for the host's rehearsal. */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { ReportInput } from '../../../proto/access/reports/report.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { reportMachine } from './machine.ts'

const by = systemAuthor('rehearsal')

export const reportRehearsal: Rehearsal<ReportInput, OutcomeOf<typeof reportMachine>> = {
  input: {
    id: 'rpt_rehearsal',
    tenant: 'cli_rehearsal',
    createdAtMs: 0,
    by,
    content: {
      kind: 'work_summary',
      title: 'Rehearsal',
      summary: '',
      period: { from: '2026-01-01', to: '2026-01-31' },
      sections: [{ heading: 'Done', kind: 'metric', body: { items: [] }, sources: [0] }],
      sources: [{ area: 'tasks', id: 'wrk_rehearsal', version: 1 }],
      audience_areas: ['tasks'],
    },
  },
  events: [
    { type: 'recorded', version: 1 },
    { type: 'update', by, patch: { remarks: [{ heading: 'Next', text: 'More.' }] } },
    { type: 'recorded', version: 2 },
    { type: 'publish', by, digest: 'rehearsal' },
    { type: 'predecessor_told' },
    { type: 'withdraw', by, reason: 'rehearsal' },
  ],
}
