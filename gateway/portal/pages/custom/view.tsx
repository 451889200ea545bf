/** One custom view: its definition, and its records through a grant of the reader. */
import { defined } from '../../../../proto/defined.ts'
import { areaRules, customAreaOf } from '../../../../proto/access/areas/areas.ts'
import { customActor, type CustomView } from '../../../../proto/access/changes/custom.ts'
import { recordReadOf } from '../../../../runtime/access/audit/sources/reads.ts'
import type { RecordJson } from '../../../../runtime/access/records/record-json.ts'
import { withCustomView } from '../../../access/records/custom-view.ts'
import { fieldsWord } from '../../html/permissions.tsx'
import {
  ButtonLink,
  IdCode,
  EmptyState,
  FactList,
  Pager,
  PageSection,
} from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'
import { toWords } from '../../words/words.ts'
import { mayPropose } from '../changes/change/possible-actions.ts'
import { pagerLinks, rowsPerPage } from '../pager.ts'
import { isNumberField } from '../records/columns.ts'
import { valueMarkup } from '../records/values.tsx'
import { holdersWord, MadeBy, recordsWord } from './list.tsx'

export async function showView(visit: Visit): Promise<PageContent> {
  const { caller } = visit.facts
  const view = await visit.deps.governance.get(customActor, caller, visit.param('id'))
  const { definition, status, id } = view
  const change = visit.at(`/changes/new?kind=custom_access&client=${view.tenant}&record=${id}`)
  return {
    title: definition.title,
    up: { href: visit.at('/custom'), label: 'Custom views' },
    actions: (
      <>
        <StatusMark of={status} />
        {status === 'active' && mayPropose(visit) ? (
          <ButtonLink href={change}>Request a change</ButtonLink>
        ) : (
          ''
        )}
      </>
    ),
    body: (
      <>
        {status === 'retired' ? (
          <EmptyState title="This view was retired by a change.">
            <p>It no longer shows any records.</p>
          </EmptyState>
        ) : (
          await Rows({ visit, view })
        )}
        <PageSection title="About this view">
          <FactList
            of={[
              visit.isStaff && { term: 'Client', is: clientName(visit, view.tenant) },
              { term: 'Area', is: areaRules[definition.source_area].label },
              { term: 'Fields', is: fieldsWord(definition.fields) },
              { term: 'Records', is: recordsWord(definition.where) },
              { term: 'Sort order', is: orderWord(definition.sort) },
              { term: 'Granted to', is: holdersWord(visit, view) },
              { term: 'Last change', is: <MadeBy visit={visit} view={view} /> },
              { term: 'API path', is: <IdCode>{`/v1/custom/${definition.slug}`}</IdCode> },
              { term: 'Permission', is: <IdCode>{`custom/${definition.slug}:read`}</IdCode> },
            ]}
          />
        </PageSection>
      </>
    ),
  }
}

const orderWord = (sort: string) =>
  `${toWords(sort.replace(/^-/, ''))}${sort.startsWith('-') ? ', descending' : ''}`

async function Rows({ visit, view }: { visit: Visit; view: CustomView }) {
  const { slug, source_area: area, sort, title } = view.definition
  const held = visit
    .held(customAreaOf(slug), 'read')
    .find(({ access }) => access.clientId === view.tenant)
  if (!held) {
    return (
      <EmptyState title="None of your portal grants includes this view.">
        <p>
          Only people with a grant for this view can see its records.{' '}
          <a href={visit.at(visit.isStaff ? `/ask?client=${view.tenant}` : '/ask')}>
            Request access
          </a>
        </p>
      </EmptyState>
    )
  }
  const { access } = withCustomView(visit.deps.chain, held.access, slug)
  const cursor = visit.asked('cursor')
  const query = new URLSearchParams({
    ...{ limit: String(rowsPerPage), sort },
    ...defined({ cursor }),
  })
  const page = await visit.deps.records.list(access, area, query)
  const ids = page.data.map(({ id }) => String(id))
  visit.deps.reads.add(recordReadOf(access, area, ids, visit.now))
  const fields = access.permissions[0]?.fields ?? []
  return (
    <>
      {page.data.length === 0 ? (
        <EmptyState title="No records match this view.">
          <p>Records appear as soon as they match its conditions.</p>
        </EmptyState>
      ) : (
        <DataTable caption={title} columns={columnsOf(visit, fields)} rows={page.data} />
      )}
      <Pager {...pagerLinks(visit, page.page.next_cursor ?? undefined)} />
    </>
  )
}

const columnsOf = (visit: Visit, fields: readonly string[]): readonly TableColumn<RecordJson>[] =>
  fields.map((field, i) => ({
    ...{ label: toWords(field), isHead: i === 0, isNumber: isNumberField(field) },
    cell: (record) => valueMarkup(visit, field, record[field], 1),
  }))
