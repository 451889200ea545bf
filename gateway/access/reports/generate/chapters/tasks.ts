/** Tasks created and completed in the period. */
import { utcDay } from '../../../../../proto/units.ts'
import { z } from 'zod'
import { readAll, sourcesOf, type ReportChapter } from '../chapter.ts'
import { isWithin, type ReportMaterial } from '../material.ts'
import { timeAxisOf } from '../time-axis.ts'
import { andWere, humanize, countWere, undatedText } from '../phrases.ts'

const task = z.looseObject({
  title: z.string(),
  status: z.string().optional(),
  priority: z.string().default('medium'),
  completed_at: z.string().optional(),
})

function tasksOf({ records, period }: ReportMaterial) {
  const all = readAll(records.tasks, task)
  const completed = all.flatMap((one) => {
    const at = one.fields.completed_at
    return at !== undefined && isWithin(period, at) ? [{ ...one, at }] : []
  })
  return {
    made: all.filter(({ from }) => isWithin(period, from.createdAtMs)),
    completed: completed.sort((a, b) => (a.at < b.at ? -1 : 1)),
    /** Completed before they were imported, or on a day that nobody wrote down. */
    undated: all.filter(
      ({ fields }) => fields.status === 'completed' && fields.completed_at === undefined,
    ),
  }
}

export const taskCountsChapter: ReportChapter = {
  area: 'tasks',
  write(draft, material) {
    const { made, completed, undated } = tasksOf(material)
    const from = sourcesOf([...made, ...completed])
    const done = { label: 'Tasks completed', value: completed.length, unit: 'count' } as const
    const note = `${made.length} new${undatedText(undated.length, 'completed')}`
    draft.figure({ ...done, note }, [...from, ...sourcesOf(undated)])
    draft.addSummary(
      `${countWere(made.length, 'task')} new, and ${andWere(completed.length)} completed.`,
    )
    if (from.length === 0) return
    const { axis, labels, count } = timeAxisOf(material.period)
    const series = [
      { name: 'New', values: count(made.map((one) => one.from.createdAtMs)) },
      { name: 'Completed', values: count(completed.map(({ at }) => at)) },
    ]
    const shape = { form: 'bars', axis, unit: 'count' } as const
    draft.add('chart', 'Tasks', { ...shape, labels: [...labels], series }, from)
  },
}

export const tasksDoneChapter: ReportChapter = {
  area: 'tasks',
  write(draft, material) {
    const { completed, undated } = tasksOf(material)
    const from = sourcesOf(completed)
    const note = undatedText(undated.length, 'completed').replace(/^; /, '')
    draft.figure(
      {
        ...{ label: 'Tasks completed', value: completed.length, unit: 'count' },
        ...(note !== '' && { note }),
      },
      [...from, ...sourcesOf(undated)],
    )
    draft.addSummary(`${countWere(completed.length, 'task')} completed.`)
    if (completed.length === 0) return
    const { axis, labels, count } = timeAxisOf(material.period)
    const series = [{ name: 'Tasks completed', values: count(completed.map(({ at }) => at)) }]
    const shape = { form: 'bars', axis, unit: 'count' } as const
    draft.add('chart', 'Tasks completed over time', { ...shape, labels: [...labels], series }, from)
    draft.table(
      'Tasks completed',
      ['Task', 'Priority', { label: 'Completed', unit: 'date' }],
      completed.map(({ fields, at }) => [fields.title, humanize(fields.priority), utcDay(at)]),
      from,
    )
  },
}
