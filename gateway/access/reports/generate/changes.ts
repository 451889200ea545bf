/** Managed changes completed in the period. All people of the client may see them. */
import type { Chapter } from './chapter.ts'
import { dayOf, isWithin } from './material.ts'
import { spoken, were } from './words.ts'

export const changesDone: Chapter = {
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
    draft.say(`${were(done.length, 'change')} done.`)
    draft.table(
      'Changes done',
      ['Change', 'Kind', 'Risk', { label: 'Done', unit: 'date' }],
      done.map(({ terms: { title, kind, risk }, atMs }) => [
        ...[title, spoken(kind), spoken(risk)],
        dayOf(atMs),
      ]),
      from,
    )
  },
}
