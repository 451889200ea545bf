/** The custom views of a client: their content, their readers, and the change that made each. */
import { areaRules, customAreaOf } from '../../../../proto/access/areas/areas.ts'
import type { CustomView } from '../../../../proto/access/changes/custom.ts'
import { ClientFilter, clientAsked } from '../../html/client-filter.tsx'
import { FilterForm } from '../../../html/filters.tsx'
import { fieldsWord, whereWord } from '../../html/permissions.tsx'
import { ButtonLink, EmptyState, Pager } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { clientName, subjectName } from '../../words/names.ts'
import { mayPropose } from '../changes/change/possible-actions.ts'
import { pageRows } from '../pager.ts'

export function showViews(visit: Visit): PageContent {
  const client = clientAsked(visit)
  const { rows, links } = pageRows(visit, visit.list('custom', client))
  const path = visit.at('/custom')
  const ask = visit.at('/changes/new?kind=custom_access')
  return {
    title: 'Custom views',
    lead: 'Selected fields and records of one area at their own URL, for people with a grant for the view.',
    actions: mayPropose(visit) ? (
      <ButtonLink href={ask} kind="main">
        Request a view
      </ButtonLink>
    ) : undefined,
    body: (
      <>
        {visit.isStaff ? (
          <FilterForm path={path} isFiltered={client !== undefined}>
            <ClientFilter visit={visit} />
          </FilterForm>
        ) : (
          ''
        )}
        {rows.length === 0 ? (
          <EmptyState
            title={client ? 'This client has no custom views.' : 'There are no custom views yet.'}
          >
            <p>
              A custom view is created by a change, which a change manager and an owner of the
              client must approve. The view exists once the change is done.{' '}
              {mayPropose(visit) ? <a href={ask}>Request a custom view</a> : ''}
            </p>
          </EmptyState>
        ) : (
          <DataTable caption="Newest first" columns={columnsOf(visit)} rows={rows} />
        )}
        <Pager {...links} />
      </>
    ),
  }
}

const columnsOf = (visit: Visit): readonly TableColumn<CustomView>[] => [
  {
    ...{ label: 'Name', isHead: true },
    cell: ({ id, definition }) => (
      <a href={visit.at(`/custom/${id}`)}>
        <bdi>{definition.title}</bdi>
      </a>
    ),
  },
  ...(visit.isStaff
    ? [{ label: 'Client', cell: ({ tenant }: CustomView) => clientName(visit, tenant) }]
    : []),
  {
    label: 'Shows',
    cell: ({ definition }) =>
      `${areaRules[definition.source_area].label}: ${fieldsWord(definition.fields)}`,
  },
  { label: 'Records', cell: ({ definition }) => recordsWord(definition.where) },
  { label: 'Granted to', cell: (view) => holdersWord(visit, view) },
  { label: 'Last change', cell: (view) => <MadeBy visit={visit} view={view} /> },
  { label: 'Status', cell: ({ status }) => <StatusMark of={status} /> },
]

export const recordsWord = (where: CustomView['definition']['where']): string =>
  where.length === 0 ? 'All' : whereWord(where)

/**
 * The holders of active grants for the view; whether a grant still applies is checked when it is
 * used.
 */
export function holdersWord(visit: Visit, { tenant, definition }: CustomView): string {
  const area = customAreaOf(definition.slug)
  const subjects = visit
    .list('grant', tenant)
    .filter((one) => one.tenant === tenant && one.status === 'active')
    .filter(({ permissions }) => permissions.some((one) => one.area === area))
    .map(({ subject }) => subjectName(visit, subject))
  return subjects.length === 0 ? 'No one yet' : [...new Set(subjects)].join(', ')
}

/** The change that last wrote the view. */
export const MadeBy = ({ visit, view }: { visit: Visit; view: CustomView }) => {
  const last = view.changes.at(-1)
  const change = last && visit.find('change', last.id)
  return change ? (
    <a href={visit.at(`/changes/${change.id}`)}>
      <bdi>{change.terms.title}</bdi>
    </a>
  ) : (
    <span class="quiet">–</span>
  )
}
