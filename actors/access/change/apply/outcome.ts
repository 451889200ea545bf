/** The outcome of writing a change, as an event for its machine. */
import type { OutcomeOf } from '../../../../runtime/actor/actor-kind.ts'
import type { changeMachine } from '../machine.ts'

export type ApplyOutcome = OutcomeOf<typeof changeMachine>

export const conflictOutcome = (version: number, fields: readonly string[]): ApplyOutcome => ({
  type: 'conflicted',
  version,
  fields,
})
