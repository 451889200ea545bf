/** All changes as a table, sorted and filtered by the URL. */
import type { ChangeView } from '../../../../../proto/access/changes/change.ts'
import { changeRisks } from '../../../../../proto/access/changes/change-terms.ts'
import { SelectField } from '../../../../html/fields.tsx'
import { Pager, withQuery } from '../../../../html/parts.tsx'
import { DataTable, type TableColumn } from '../../../../html/table.tsx'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { clientName } from '../../../words/names.ts'
import { plural } from '../../../../html/plural.ts'
import { pagedAfter } from '../../pager.ts'
import { windowOf } from '../collisions.ts'
import { boardLaneOf, boardLanes } from './lanes.ts'
import {
  filteredChanges,
  hasFilters,
  changesLead,
  ChangeFilters,
  NewChange,
  NoChanges,
  ViewSwitch,
} from './filters.tsx'
import { nextStepOf } from '../change/possible-actions.ts'
import {
  ChangeStatusMark,
  targetNamesOf,
  RiskMark,
  targetKindWord,
  type TargetNames,
} from '../change/target.tsx'
import { WindowText } from '../change/window.tsx'

type Compare = (a: ChangeView, b: ChangeView) => number
const compareBy =
  (read: (change: ChangeView) => number): Compare =>
  (a, b) =>
    read(a) - read(b)

const sorts: Readonly<Record<string, { readonly label: string; readonly compare: Compare }>> = {
  title: { label: 'Title', compare: (a, b) => a.terms.title.localeCompare(b.terms.title) },
  risk: { label: 'Risk', compare: compareBy(({ terms }) => changeRisks.indexOf(terms.risk)) },
  state: {
    label: 'State',
    compare: compareBy((change) => boardLanes.indexOf(boardLaneOf(change))),
  },
  window: {
    label: 'Window',
    compare: compareBy((change) => windowOf(change)?.startMs ?? Number.MAX_SAFE_INTEGER),
  },
  updated: { label: 'Updated', compare: compareBy(({ updatedAtMs }) => updatedAtMs) },
}
const standard = '-updated'

function sortIn(visit: Visit): { readonly name: string; readonly isDown: boolean } {
  const asked = visit.asked('sort') ?? standard
  const sort = Object.hasOwn(sorts, asked.replace(/^-/, '')) ? asked : standard
  return { name: sort.replace(/^-/, ''), isDown: sort.startsWith('-') }
}

export async function showTable(visit: Visit): Promise<PageContent> {
  const { name, isDown } = sortIn(visit)
  const { compare, label } = sorts[name]!
  const all = [...filteredChanges(visit)].sort((a, b) => (isDown ? compare(b, a) : compare(a, b)))
  const { rows, links } = pagedAfter(visit, all)
  const names = await targetNamesOf(visit, rows)
  const caption = `${plural(all.length, 'change')}, by ${label.toLowerCase()}${isDown ? ', descending' : ''}`
  return {
    title: 'Changes',
    lead: changesLead,
    actions: <NewChange visit={visit} />,
    body: (
      <div class="wide">
        <ViewSwitch visit={visit} />
        <ChangeFilters visit={visit}>
          <SelectField
            name="sort"
            label="Sort by"
            value={`${isDown ? '-' : ''}${name}`}
            choices={Object.entries(sorts).flatMap(([key, one]) => [
              { value: key, label: one.label },
              { value: `-${key}`, label: `${one.label}, descending` },
            ])}
          />
        </ChangeFilters>
        {rows.length === 0 ? (
          <NoChanges visit={visit} isFiltered={hasFilters(visit)} />
        ) : (
          <DataTable caption={caption} columns={columnsOf(visit, names)} rows={rows} />
        )}
        <Pager {...links} />
      </div>
    ),
  }
}

function sortLink(visit: Visit, key: string): Pick<TableColumn<ChangeView>, 'sort'> {
  const { name, isDown } = sortIn(visit)
  const now = name !== key ? 'none' : isDown ? 'descending' : 'ascending'
  const sort = now === 'ascending' ? `-${key}` : key
  const { path } = visit.facts.request
  return { sort: { href: withQuery(path, visit.query, { sort, cursor: undefined }), now } }
}

/** Columns of this table and of the list of changes on a record's page, which has no sorting. */
function columnsOf(
  visit: Visit,
  names: TargetNames,
  isSorted = true,
): readonly TableColumn<ChangeView>[] {
  const sort = (key: string) => (isSorted ? sortLink(visit, key) : {})
  return [
    {
      ...{ label: 'Title', isHead: true, ...sort('title') },
      cell: (change) => (
        <>
          <a href={visit.at(`/changes/${change.id}`)}>
            <bdi>{change.terms.title}</bdi>
          </a>
          {isSorted ? <Below visit={visit} change={change} names={names} /> : ''}
        </>
      ),
    },
    { ...{ label: 'Risk', ...sort('risk') }, cell: ({ terms }) => <RiskMark of={terms.risk} /> },
    { ...{ label: 'State', ...sort('state') }, cell: (change) => <ChangeStatusMark of={change} /> },
    {
      ...{ label: 'Window', ...sort('window') },
      cell: (change) => {
        const window = windowOf(change)
        if (!window) return <span class="quiet">–</span>
        return <WindowText visit={visit} of={window} isBooked={change.window !== null} />
      },
    },
    {
      label: 'Next',
      cell: (change) => {
        const next = nextStepOf(visit, change)
        if (!next) return <span class="quiet">–</span>
        return next.isYours ? <strong>Your turn: {next.text}</strong> : next.text
      },
    },
  ]
}

/** Target and client, below the title to leave room for the other columns. */
const Below = ({
  visit,
  change,
  names,
}: {
  visit: Visit
  change: ChangeView
  names: TargetNames
}) => (
  <span class="about">
    <bdi>{targetKindWord(change, names)}</bdi>
    {visit.isStaff ? `, ${clientName(visit, change.tenant)}` : ''}
  </span>
)

/** The changes of one record, for its page. */
export const ChangeTable = ({
  visit,
  rows,
  caption,
  names,
}: {
  visit: Visit
  rows: readonly ChangeView[]
  caption: string
  names: TargetNames
}) => {
  const columns = columnsOf(visit, names, false)
  return <DataTable caption={caption} columns={columns} rows={rows} />
}
