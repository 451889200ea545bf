/** A simulated life of custom access for the host's rehearsal. */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { CustomInput } from '../../../proto/access/changes/custom.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { customMachine } from './machine.ts'

const by = systemAuthor('rehearsal')
const changeId = 'chg_rehearsal'
const definition = {
  slug: 'rehearsal',
  title: 'Rehearsal',
  source_area: 'tasks',
  fields: ['title'],
  where: [],
  sort: '-created_at',
} as const

export const customRehearsal: Rehearsal<CustomInput, OutcomeOf<typeof customMachine>> = {
  input: {
    id: 'cus_rehearsal',
    tenant: 'cli_rehearsal',
    createdAtMs: 0,
    by,
    definition,
    changeId,
  },
  events: [
    { type: 'define', by, changeId, definition: { ...definition, title: 'Another' } },
    { type: 'retire', by, changeId },
    { type: 'define', by, changeId, definition },
  ],
}
