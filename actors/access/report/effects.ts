/** The effects of a report: writing its record, and superseding its predecessor. */
import { reportActor } from '../../../proto/access/reports/report.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { asRetryable, untilEnded, type CitingDeps } from '../common/citations.ts'
import type { ReportContext, reportMachine, ReportEffects } from './machine.ts'
import { writeRecord } from './record.ts'

export interface ReportEffectDeps extends CitingDeps {
  readonly records: RecordStore
}

type Outcome = OutcomeOf<typeof reportMachine>
type Handlers = EffectHandlers<ReportEffects, ReportContext, Outcome>

export const reportEffects = ({ records, directory }: ReportEffectDeps): Handlers => ({
  async record(_, { state }) {
    try {
      await writeRecord(records, state)
    } catch (error) {
      throw asRetryable(error)
    }
    return { type: 'recorded', version: state.version }
  },
  async tell_predecessor(_, { state }) {
    const { id: reportId, tenant, supersedes, published } = state
    if (supersedes !== null && published) {
      const message = { type: 'supersede', by: published.by, reportId } as const
      const options = { tenant, untilSettled: true }
      // It may have been withdrawn, or superseded by another report, meanwhile.
      await untilEnded(directory.ask(reportActor, supersedes, message, options))
    }
    return { type: 'predecessor_told' }
  },
})
