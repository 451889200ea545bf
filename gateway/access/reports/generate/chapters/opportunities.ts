/** Sales: opportunities opened, won and lost. Counts and sums only; no people are named. */
import { z } from 'zod'
import { readAll, sourcesOf, type ReportChapter, type ReadRecord } from '../chapter.ts'
import { isWithin } from '../material.ts'
import { timeAxisOf } from '../time-axis.ts'
import { andWere, countWere, undatedText } from '../phrases.ts'

const opportunity = z.looseObject({
  status: z.string(),
  amount: z.looseObject({ value: z.number(), currency: z.string() }).optional(),
  last_status_change_at: z.string().optional(),
})
type Opportunity = ReadRecord<z.output<typeof opportunity>>

/** Absent in imported records: when they were imported is not when they were won. */
const changedAt = ({ fields }: Opportunity) => fields.last_status_change_at

const timesOf = (closed: readonly Opportunity[]) =>
  closed.map(changedAt).filter((at) => at !== undefined)

export const salesChapter: ReportChapter = {
  area: 'opportunities',
  write(draft, { records, period }) {
    const all = readAll(records.opportunities, opportunity)
    const opened = all.filter(({ from }) => isWithin(period, from.createdAtMs))
    const closed = (status: string) =>
      all.filter((one) => one.fields.status === status && isWithin(period, changedAt(one)))
    const [won, lost] = [closed('won'), closed('lost')]
    const undated = all.filter(
      (one) => ['won', 'lost'].includes(one.fields.status) && changedAt(one) === undefined,
    )
    const from = sourcesOf([...opened, ...won, ...lost])
    draft.figure({ label: 'New opportunities', value: opened.length, unit: 'count' }, from)
    draft.figure(
      {
        ...{ label: 'Won', value: won.length, unit: 'count' },
        note: `${lost.length} lost${undatedText(undated.length, 'closed')}`,
      },
      sourcesOf([...won, ...lost, ...undated]),
    )
    const priced = won.filter(({ fields }) => fields.amount !== undefined).length
    const part = priced < won.length ? { note: `${priced} of ${won.length} have an amount` } : {}
    for (const [currency, value] of amounts(won)) {
      const figure = { label: `Won, ${currency}`, value, unit: 'money', currency } as const
      draft.figure({ ...figure, ...part }, sourcesOf(won))
    }
    const news = countWere(opened.length, 'opportunity', 'opportunities')
    draft.addSummary(`${news} opened, ${andWere(won.length)} won and ${andWere(lost.length)} lost.`)
    if (from.length === 0) return
    const { axis, labels, count } = timeAxisOf(period)
    const series = [
      { name: 'New', values: count(opened.map((one) => one.from.createdAtMs)) },
      { name: 'Won', values: count(timesOf(won)) },
      { name: 'Lost', values: count(timesOf(lost)) },
    ]
    const shape = { form: 'bars', axis, unit: 'count' } as const
    draft.add('chart', 'Opportunities', { ...shape, labels: [...labels], series }, from)
  },
}

function amounts(won: readonly Opportunity[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { fields } of won) {
    if (!fields.amount) continue
    const { currency, value } = fields.amount
    sums.set(currency, (sums.get(currency) ?? 0) + value)
  }
  return sums
}
