/** The page of usage: totals, a chart by day or month, and a table, of the chosen time. */
import type { z } from 'zod'
import { dayMs, utcDay } from '../../../../proto/units.ts'
import { ColumnChart } from '../../../html/chart/chart-columns.tsx'
import { SelectField, TextField, type FieldChoice } from '../../../html/fields.tsx'
import { FilterForm } from '../../../html/filters.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import { ButtonLink, EmptyState, NoticeBox, PageSection, withQuery } from '../../../html/parts.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { UsageRow } from '../../../../runtime/usage/usage-row.ts'
import { usageJson } from '../../../usage/usage-json.ts'
import { consoleLimits } from '../../limits.ts'
import { countWord } from '../../lists/list-parts.tsx'
import type { ConsoleFile } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { isByTime, usageCall, usagePeriods, usageShown, type ShownUsage } from './usage-query.ts'
import { measureList, usageGroupWords, usageMeasures } from './usage-words.ts'

type Usage = z.output<typeof usageJson>['data']

/** A chart of more days than these has a bar for each month. */
const chartDaysMost = 100

export async function showUsage(visit: ConsoleVisit): Promise<PageContent> {
  const shown = usageShown(visit)
  const usage = await read(visit, shown)
  const isLong = daysIn(shown).length > chartDaysMost
  const chartBy = isLong ? 'month' : 'day'
  const ofChart = shown.by === chartBy ? usage : await read(visit, { ...shown, by: chartBy })
  return {
    title: 'Usage',
    lead:
      'What sessions and tasks used, on the day of their creation (UTC). It covers what the service ' +
      'keeps: download it before retention removes it.',
    actions: (
      <ButtonLink href={withQuery(visit.at('/usage.csv'), visit.query, {})}>
        Download CSV
      </ButtonLink>
    ),
    body: (
      <>
        {usage.is_complete ? '' : <NotYetAll />}
        <UsageFilters visit={visit} shown={shown} />
        <Totals of={usage.total} />
        {usage.rows.length === 0 ? (
          <NothingUsed visit={visit} shown={shown} />
        ) : (
          <>
            <UsageChart usage={ofChart} shown={shown} />
            <UsageTable visit={visit} usage={usage} />
          </>
        )}
      </>
    ),
  }
}

export async function readUsageFile(visit: ConsoleVisit): Promise<ConsoleFile> {
  const { path, query } = usageCall(visit, usageShown(visit))
  return { file: await visit.file(`GET ${path}.csv`, { query }) }
}

async function read(visit: ConsoleVisit, shown: ShownUsage): Promise<Usage> {
  const { path, query } = usageCall(visit, shown)
  return (await visit.run(`GET ${path}`, { query }, usageJson)).data
}

const NotYetAll = () => (
  <NoticeBox tone="wait" title="Not everything is counted yet">
    <p>This gateway still reads what has ended. Reload the page in a minute.</p>
  </NoticeBox>
)

const choicesOf = (labels: Readonly<Record<string, { readonly label: string }>>): FieldChoice[] =>
  Object.entries(labels).map(([value, { label }]) => ({ value, label }))

const UsageFilters = ({ visit, shown }: { visit: ConsoleVisit; shown: ShownUsage }) => (
  <FilterForm path={visit.at('/usage')} isFiltered={shown.isFiltered}>
    <SelectField
      name="period"
      label="Time"
      value={shown.period}
      choices={choicesOf(usagePeriods)}
    />
    <SelectField
      name="by"
      label="Rows by"
      value={shown.by}
      choices={Object.entries(usageGroupWords)
        .filter(([group]) => visit.isAdmin || group !== 'tenant')
        .map(([value, label]) => ({ value, label }))}
    />
    <SelectField
      name="measure"
      label="Chart of"
      value={shown.measure}
      choices={choicesOf(usageMeasures)}
    />
    {visit.isAdmin ? (
      <TextField name="tenant" label="Tenant" isOptional value={shown.tenant} />
    ) : (
      ''
    )}
  </FilterForm>
)

const Totals = ({ of }: { of: Usage['total'] }) => (
  <ul class="figures" aria-label="Totals of this time">
    {measureList.map(({ label, text }) => (
      <li>
        <b>{text(of)}</b> {label.toLowerCase()}
      </li>
    ))}
  </ul>
)

const NothingUsed = ({ visit, shown }: { visit: ConsoleVisit; shown: ShownUsage }) => (
  <EmptyState title="Nothing was used in this time">
    <p>
      No session and no task was created from {shown.from} to {shown.to}.{' '}
      {shown.isFiltered ? <a href={visit.at('/usage')}>Show the last 30 days</a> : ''}
    </p>
  </EmptyState>
)

const UsageChart = ({ usage: { by, rows }, shown }: { usage: Usage; shown: ShownUsage }) => {
  const { label, of, unit } = usageMeasures[shown.measure]
  const times = by === 'month' ? monthsIn(shown) : daysIn(shown)
  const sums = new Map<string, number>()
  for (const row of rows) {
    const time = row.day ?? row.month ?? ''
    sums.set(time, (sums.get(time) ?? 0) + of(row))
  }
  const series = [{ name: label, values: times.map((time) => sums.get(time) ?? 0) }]
  return (
    <PageSection title={`${label} by ${by}`}>
      <div class="usage-chart">
        <ColumnChart
          chart={{
            form: 'bars',
            axis: usageGroupWords[by],
            unit,
            labels: times.map(shortTime),
            series,
          }}
          title={`${label} by ${by}`}
          id="usage-chart"
        />
      </div>
    </PageSection>
  )
}

/** `11-30` for a day; a month stays as it is. */
const shortTime = (time: string) => (time.length > 7 ? time.slice(5) : time)

function daysIn({ from, to }: Pick<ShownUsage, 'from' | 'to'>): readonly string[] {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1
  return Array.from({ length: days }, (_, n) => utcDay(Date.parse(from) + n * dayMs))
}

const monthsIn = (shown: ShownUsage): readonly string[] => [
  ...new Set(daysIn(shown).map((day) => day.slice(0, 7))),
]

const UsageTable = ({ visit, usage: { by, rows } }: { visit: ConsoleVisit; usage: Usage }) => {
  const ordered = isByTime(by) ? rows.toReversed() : rows
  const first = ordered.slice(0, consoleLimits.usageRows)
  const left = rows.length - first.length
  const order = isByTime(by) ? 'Newest first' : 'By name'
  return (
    <PageSection title={`By ${by}`}>
      <DataTable
        caption={left === 0 ? order : `${order}; ${countWord(left)} more rows are in the CSV`}
        rows={first}
        columns={columnsOf(by, visit.isAdmin)}
      />
    </PageSection>
  )
}

function columnsOf(by: Usage['by'], isAdmin: boolean): readonly TableColumn<UsageRow>[] {
  const head: TableColumn<UsageRow> = {
    label: usageGroupWords[by],
    isHead: true,
    cell: (row) => <bdi>{row.day ?? row.month ?? row.key ?? row.tenant}</bdi>,
  }
  const tenant: TableColumn<UsageRow> = { label: 'Tenant', cell: (row) => <bdi>{row.tenant}</bdi> }
  const figures = measureList.map(({ label, text }): TableColumn<UsageRow> => ({
    label,
    isNumber: true,
    cell: text,
  }))
  return [head, ...(isAdmin && by === 'key' ? [tenant] : []), ...figures]
}
