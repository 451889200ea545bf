/** Deployments in the period and their outcomes. */
import { defined } from '../../../../../proto/defined.ts'
import { z } from 'zod'
import { readAll, sourcesOf, type ReportChapter } from '../chapter.ts'
import { dayOfTime, isWithin } from '../material.ts'
import { humanize, countWere } from '../phrases.ts'

const deployment = z.looseObject({
  environment: z.string(),
  release: z.string(),
  status: z.string(),
  finished_at: z.string(),
})

export const deploymentsChapter: ReportChapter = {
  area: 'deployments',
  write(draft, { records, period }) {
    const made = readAll(records.deployments, deployment)
      .filter(({ fields }) => isWithin(period, fields.finished_at))
      .sort((a, b) => (a.fields.finished_at < b.fields.finished_at ? -1 : 1))
    const from = sourcesOf(made)
    const bad = made.filter(({ fields }) => ['failed', 'rolled_back'].includes(fields.status))
    const note = bad.length > 0 ? `${bad.length} failed or rolled back` : undefined
    const figure = { label: 'Deployments', value: made.length, unit: 'count' } as const
    draft.figure({ ...figure, ...defined({ note }) }, from)
    const ends = note === undefined ? '' : `; ${note}`
    draft.addSummary(`${countWere(made.length, 'release')} deployed${ends}.`)
    if (made.length === 0) return
    draft.table(
      'Deployments',
      ['Release', 'Environment', 'Result', { label: 'Finished', unit: 'date' }],
      made.map(({ fields: { release, environment, status, finished_at } }) => [
        ...[release, humanize(environment), humanize(status)],
        dayOfTime(finished_at),
      ]),
      from,
    )
  },
}
