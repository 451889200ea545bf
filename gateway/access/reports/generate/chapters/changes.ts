/** Managed changes completed in the period. All people of the client may see them. */
import { utcDay } from '../../../../../proto/units.ts'
import type { ReportChapter } from '../chapter.ts'
import { isWithin } from '../material.ts'
import { humanize, countWere } from '../phrases.ts'

export const changesDoneChapter: ReportChapter = {
  write(draft, { changes, period }) {
    const done = changes
      .flatMap(({ status, result, ...change }) =>
        status === 'done' && result ? [{ ...change, atMs: result.atMs }] : [],
      )
      .filter(({ atMs }) => isWithin(period, atMs))
      .sort((a, b) => a.atMs - b.atMs)
    if (done.length === 0) return
    const from = done.map(({ id, version }) => ({ area: 'changes', id, version }) as const)
    draft.figure({ label: 'Changes done', value: done.length, unit: 'count' }, from)
    draft.addSummary(`${countWere(done.length, 'change')} done.`)
    draft.table(
      'Changes done',
      ['Change', 'Kind', 'Risk', { label: 'Done', unit: 'date' }],
      done.map(({ terms: { title, kind, risk }, atMs }) => [
        ...[title, humanize(kind), humanize(risk)],
        utcDay(atMs),
      ]),
      from,
    )
  },
}
