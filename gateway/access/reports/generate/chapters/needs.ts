/** Operational needs closed in the period, that is, purposes for which access is no longer held. */
import { utcDay } from '../../../../../proto/units.ts'
import type { ReportChapter } from '../chapter.ts'
import { isWithin } from '../material.ts'
import { humanize, countWere } from '../phrases.ts'

export const closedNeedsChapter: ReportChapter = {
  write(draft, { needs, period }) {
    const closed = needs
      .filter(({ closedAtMs }) => isWithin(period, closedAtMs))
      .sort((a, b) => a.closedAtMs! - b.closedAtMs!)
    if (closed.length === 0) return
    const from = closed.map(({ id, version }) => ({ area: 'needs', id, version }) as const)
    draft.figure({ label: 'Needs closed', value: closed.length, unit: 'count' }, from)
    draft.addSummary(`${countWere(closed.length, 'operational need')} closed.`)
    draft.table(
      'Needs closed',
      ['Need', 'For', { label: 'Closed', unit: 'date' }, 'Why'],
      closed.map(({ title, category, closedAtMs, closedReason = '' }) => [
        ...[title, humanize(category), utcDay(closedAtMs!)],
        closedReason,
      ]),
      from,
    )
  },
}
