/** All needs, newest first. */
import { needStatuses } from '../../../../proto/access/engagement/need.ts'
import { ClientFilter, clientAsked } from '../../html/client-filter.tsx'
import { FilterForm, StatusFilter } from '../../../html/filters.tsx'
import { ButtonLink, EmptyState, Pager } from '../../../html/parts.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { toWords } from '../../words/words.ts'
import { NeedTable } from './need-table.tsx'
import { pageRows } from '../pager.ts'

export function showNeeds(visit: Visit): PageContent {
  const status = visit.asked('status')
  const client = clientAsked(visit)
  const all = visit.list('need', client).filter((one) => !status || one.status === status)
  const { rows, links } = pageRows(visit, all)
  const path = visit.at('/needs')
  const mayOpen = visit.may('POST /v1/needs')
  return {
    title: 'Needs',
    lead: 'All access is granted for a need. When a need is closed, all access for it ends.',
    actions: mayOpen ? (
      <ButtonLink href={visit.at('/needs/new')} kind="main">
        Open a need
      </ButtonLink>
    ) : undefined,
    body: (
      <>
        <FilterForm path={path} isFiltered={status !== undefined || client !== undefined}>
          <ClientFilter visit={visit} />
          <StatusFilter
            choices={needStatuses.map((one) => ({ value: one, label: toWords(one) }))}
            value={status}
          />
        </FilterForm>
        {rows.length === 0 ? (
          <EmptyState title={status ? 'No needs have this status.' : 'There are no needs yet.'}>
            <p>
              {mayOpen
                ? 'Open a need, so that access can be requested for it.'
                : 'An owner can open one.'}
            </p>
          </EmptyState>
        ) : (
          <NeedTable visit={visit} needs={rows} caption="Newest first" />
        )}
        <Pager {...links} />
      </>
    ),
  }
}
