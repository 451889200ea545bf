/** A simulated life of a change for the host's rehearsal. */
import type { Author } from '../../../proto/access/author.ts'
import type { ChangeInput } from '../../../proto/access/changes/change.ts'
import { changeTermsJson } from '../../../proto/access/changes/change-terms.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { changeMachine } from './machine.ts'

const body = '0'.repeat(26)
const person = (n: number, role: 'operator' | 'change_manager'): Author => ({
  kind: 'staff',
  id: `usr_${n}${body.slice(1)}`,
  roles: [role],
})
const [proposer, approver, implementer] = [
  person(1, 'operator'),
  person(2, 'change_manager'),
  person(3, 'operator'),
]
const digest = '0'.repeat(64)
const recordId = `mon_${body}`

const input: ChangeInput = {
  id: `chg_${body}`,
  tenant: 'cli_rehearsal',
  by: proposer,
  createdAtMs: 0,
  terms: {
    title: 'rehearsal',
    description: '',
    kind: 'monitoring',
    type: 'normal',
    needId: `nd_${body}`,
    work: {
      does: 'update',
      on: 'monitoring',
      id: recordId,
      version: 1,
      patch: { interval_s: 60 },
    },
    risk: 'low',
    impact: 'rehearsal',
    testPlan: 'rehearsal',
    rollbackPlan: 'rehearsal',
    clientVisible: false,
    window: { startMs: 0, endMs: 1_000 },
  },
}

export const changeRehearsal: Rehearsal<ChangeInput, OutcomeOf<typeof changeMachine>> = {
  input,
  events: [
    { type: 'propose', by: proposer },
    {
      type: 'checked',
      digest,
      seen: { version: 1, fields: {} },
      shown: {
        client: { id: input.tenant, name: 'rehearsal' },
        need: { id: input.terms.needId, title: 'rehearsal', purpose: 'rehearsal' },
        proposed_by: { kind: proposer.kind, id: proposer.id },
        change: changeTermsJson(input.terms),
        rules: ['C1'],
        slots: [{ role: 'change_manager', count: 1 }],
      },
    },
    {
      type: 'review',
      by: approver,
      reviewId: `rv_${body}`,
      decision: 'approve',
      reason: 'rehearsal',
      digest,
    },
    { type: 'schedule', by: approver },
    { type: 'booked' },
    { type: 'start', by: implementer },
    { type: 'complete', by: implementer, evidence: ['rehearsal'], notes: '' },
    { type: 'applied', to: { id: recordId, version: 2 } },
  ],
}
