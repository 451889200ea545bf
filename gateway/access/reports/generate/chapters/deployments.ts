/** Deployments in the period and their outcomes. */
import { utcDay } from '../../../../../proto/units.ts'
import { z } from 'zod'
import { readAll, sourcesOf, type ReportChapter } from '../chapter.ts'
import { isWithin } from '../material.ts'
import { humanize, countWere, undatedText } from '../phrases.ts'

const deployment = z.looseObject({
  environment: z.string(),
  release: z.string(),
  status: z.string(),
  finished_at: z.string().optional(),
})
const ended = ['succeeded', 'failed', 'rolled_back']

export const deploymentsChapter: ReportChapter = {
  area: 'deployments',
  write(draft, { records, period }) {
    const all = readAll(records.deployments, deployment)
    const made = all
      .flatMap((one) => {
        const at = one.fields.finished_at
        return at !== undefined && isWithin(period, at) ? [{ ...one, at }] : []
      })
      .sort((a, b) => (a.at < b.at ? -1 : 1))
    const from = sourcesOf(made)
    const undated = all.filter(
      ({ fields }) => ended.includes(fields.status) && fields.finished_at === undefined,
    )
    const bad = made.filter(({ fields }) => ['failed', 'rolled_back'].includes(fields.status))
    const failed = bad.length > 0 ? `; ${bad.length} failed or rolled back` : ''
    const note = `${failed}${undatedText(undated.length, 'ended')}`.replace(/^; /, '')
    const figure = { label: 'Deployments', value: made.length, unit: 'count' } as const
    draft.figure({ ...figure, ...(note !== '' && { note }) }, [...from, ...sourcesOf(undated)])
    draft.addSummary(`${countWere(made.length, 'release')} deployed${failed}.`)
    if (made.length === 0) return
    draft.table(
      'Deployments',
      ['Release', 'Environment', 'Result', { label: 'Finished', unit: 'date' }],
      made.map(({ fields: { release, environment, status }, at }) => [
        ...[release, humanize(environment), humanize(status)],
        utcDay(at),
      ]),
      from,
    )
  },
}
