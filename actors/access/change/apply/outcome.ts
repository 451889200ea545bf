/** What the writing of a change comes to, as its machine hears it. */
import type { OutcomeOf } from '../../../../runtime/actor/actor-kind.ts'
import type { changeMachine } from '../machine.ts'

export type ApplyOutcome = OutcomeOf<typeof changeMachine>

export const conflictOutcome = (version: number, fields: readonly string[]): ApplyOutcome => ({
  type: 'conflicted',
  version,
  fields,
})
