/** One custom view: its definition, and its records through a grant of the reader. */
import { areaRules, customAreaOf } from '../../../../proto/access/areas.ts'
import { customActor, type CustomView } from '../../../../proto/access/custom.ts'
import { readOf } from '../../../../runtime/access/audit/reads.ts'
import type { RecordJson } from '../../../../runtime/access/records/record-json.ts'
import { throughView } from '../../../access/custom-view.ts'
import { fieldsWord } from '../../html/permissions.tsx'
import { ButtonLink, Code, Empty, Facts, Pager, Section, Status } from '../../html/parts.tsx'
import { Table, type Column } from '../../html/table.tsx'
import type { Shown } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'
import { words } from '../../words/words.ts'
import { mayPropose } from '../changes/standing.ts'
import { pagerLinks, rowsPerPage } from '../pager.ts'
import { isNumberField } from '../records/columns.ts'
import { valueOf } from '../records/values.tsx'
import { holdersWord, MadeBy, recordsWord } from './list.tsx'

export async function showView(visit: Visit): Promise<Shown> {
  const { caller } = visit.facts
  const view = await visit.deps.governance.get(customActor, caller, visit.param('id'))
  const { definition, status, id } = view
  const change = visit.at(`/changes/new?kind=custom_access&client=${view.tenant}&record=${id}`)
  return {
    title: definition.title,
    up: { href: visit.at('/custom'), label: 'Custom views' },
    actions: (
      <>
        <Status of={status} />
        {status === 'active' && mayPropose(visit) ? (
          <ButtonLink href={change}>Ask for a change</ButtonLink>
        ) : (
          ''
        )}
      </>
    ),
    body: (
      <>
        {status === 'retired' ? (
          <Empty title="A change has retired this view.">
            <p>It shows nothing to anybody any more.</p>
          </Empty>
        ) : (
          await Rows({ visit, view })
        )}
        <Section title="About this view">
          <Facts
            of={[
              visit.isStaff && { term: 'Client', is: clientName(visit, view.tenant) },
              { term: 'Area', is: areaRules[definition.source_area].label },
              { term: 'Fields', is: fieldsWord(definition.fields) },
              { term: 'Records', is: recordsWord(definition.where) },
              { term: 'Order', is: orderWord(definition.sort) },
              { term: 'Granted to', is: holdersWord(visit, view) },
              { term: 'Last written by', is: <MadeBy visit={visit} view={view} /> },
              { term: 'Address', is: <Code>{`/v1/custom/${definition.slug}`}</Code> },
              { term: 'Permission', is: <Code>{`custom/${definition.slug}:read`}</Code> },
            ]}
          />
        </Section>
      </>
    ),
  }
}

const orderWord = (sort: string) =>
  `${words(sort.replace(/^-/, ''))}${sort.startsWith('-') ? ', last first' : ''}`

async function Rows({ visit, view }: { visit: Visit; view: CustomView }) {
  const { slug, source_area: area, sort, title } = view.definition
  const held = visit
    .held(customAreaOf(slug), 'read')
    .find(({ access }) => access.clientId === view.tenant)
  if (!held) {
    return (
      <Empty title="No grant of yours for the portal includes this view.">
        <p>
          Its records are for those who were granted it.{' '}
          <a href={visit.at(visit.isStaff ? `/ask?client=${view.tenant}` : '/ask')}>
            Ask for access
          </a>
        </p>
      </Empty>
    )
  }
  const { access } = throughView(visit.deps.chain, held.access, slug)
  const cursor = visit.asked('cursor')
  const query = new URLSearchParams({
    ...{ limit: String(rowsPerPage), sort },
    ...(cursor !== undefined && { cursor }),
  })
  const page = await visit.deps.records.list(access, area, query)
  const ids = page.data.map(({ id }) => String(id))
  visit.deps.reads.add(readOf(access, area, ids, visit.now))
  const fields = access.permissions[0]?.fields ?? []
  return (
    <>
      {page.data.length === 0 ? (
        <Empty title="No record fits this view at this moment.">
          <p>It shows records as soon as there are some that fit it.</p>
        </Empty>
      ) : (
        <Table caption={title} columns={columnsOf(visit, fields)} rows={page.data} />
      )}
      <Pager {...pagerLinks(visit, page.page.next_cursor ?? undefined)} />
    </>
  )
}

const columnsOf = (visit: Visit, fields: readonly string[]): readonly Column<RecordJson>[] =>
  fields.map((field, i) => ({
    ...{ label: words(field), isHead: i === 0, isNumber: isNumberField(field) },
    cell: (record) => valueOf(visit, field, record[field], 1),
  }))
