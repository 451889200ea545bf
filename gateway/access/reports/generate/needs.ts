/** Operational needs closed in the period, that is, purposes for which access is no longer held. */
import type { Chapter } from './chapter.ts'
import { dayOf, isWithin } from './material.ts'
import { spoken, were } from './words.ts'

export const needsClosed: Chapter = {
  write(draft, { needs, period }) {
    const closed = needs
      .filter(({ closedAtMs }) => isWithin(period, closedAtMs))
      .sort((a, b) => a.closedAtMs! - b.closedAtMs!)
    if (closed.length === 0) return
    const from = closed.map(({ id, version }) => ({ area: 'needs', id, version }) as const)
    draft.figure({ label: 'Needs closed', value: closed.length, unit: 'count' }, from)
    draft.say(`${were(closed.length, 'operational need')} closed.`)
    draft.table(
      'Needs closed',
      ['Need', 'For', { label: 'Closed', unit: 'date' }, 'Why'],
      closed.map(({ title, category, closedAtMs, closedReason = '' }) => [
        ...[title, spoken(category), dayOf(closedAtMs!)],
        closedReason,
      ]),
      from,
    )
  },
}
