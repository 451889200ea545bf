/** Missing content: gaps that were found and published, by status. */
import { z } from 'zod'
import { readAll, sourcesOf, type ReportChapter } from '../chapter.ts'
import { isWithin } from '../material.ts'
import { andWere, humanize, countWere } from '../phrases.ts'

const gap = z.looseObject({
  topic: z.string(),
  keyword: z.string(),
  status: z.string(),
  priority: z.string().default('medium'),
  search_volume: z.number().optional(),
})
const stages = ['identified', 'planned', 'in_progress', 'published', 'dismissed']
const shown = 10

export const contentGapCountsChapter: ReportChapter = {
  area: 'content-gaps',
  write(draft, { records, period }) {
    const gaps = readAll(records['content-gaps'], gap).filter(
      ({ from }) => isWithin(period, from.createdAtMs) || isWithin(period, from.updatedAtMs),
    )
    if (gaps.length === 0) return
    const from = sourcesOf(gaps)
    const found = gaps.filter((one) => isWithin(period, one.from.createdAtMs)).length
    const of = (status: string) => gaps.filter(({ fields }) => fields.status === status).length
    const note = `${of('published')} published`
    draft.figure({ label: 'Content gaps found', value: found, unit: 'count', note }, from)
    draft.addSummary(
      `${countWere(found, 'content gap')} found, and ${andWere(of('published'))} published.`,
    )
    const series = [{ name: 'Content gaps', values: stages.map(of) }]
    const labels = stages.map(humanize)
    const shape = { form: 'bars', axis: 'Stage', unit: 'count' } as const
    draft.add('chart', 'Content gaps by stage', { ...shape, labels, series }, from)
    const open = gaps
      .filter(({ fields }) => !['published', 'dismissed'].includes(fields.status))
      .sort((a, b) => (b.fields.search_volume ?? 0) - (a.fields.search_volume ?? 0))
      .slice(0, shown)
    if (open.length === 0) return
    draft.table(
      'Content worth writing next',
      ['Topic', 'Keyword', { label: 'Searches a month', unit: 'count' }, 'Priority', 'Stage'],
      open.map(({ fields }) => [
        ...[fields.topic, fields.keyword, fields.search_volume ?? null],
        ...[humanize(fields.priority), humanize(fields.status)],
      ]),
      sourcesOf(open),
    )
  },
}
