/** The entries of the audit, newest first, by filter; and all of them as a file. */
import { defined } from '../../../../proto/defined.ts'
import { hasRole } from '../../../../proto/access/author.ts'
import { auditEntryJson } from '../../../access/audit/json.ts'
import { pageJson } from '../../../routing/schemas/access-json.ts'
import { TextField } from '../../../html/fields.tsx'
import { ClientFilter, clientAsked } from '../../html/client-filter.tsx'
import { FilterForm } from '../../../html/filters.tsx'
import { ButtonLink, EmptyState, Pager, TimeText, withQuery } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { FileAnswer } from '../../page.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { startOfDay } from '../../../html/times.ts'
import { pagerLinks, rowsPerPage } from '../pager.ts'
import { aboutOf, actionWord, actorOf, clientOf, type ShownEntry } from './cells.tsx'

const entries = pageJson(auditEntryJson)
const filters = ['action', 'actor', 'object'] as const

export async function showEntries(visit: Visit): Promise<PageContent> {
  const query = askedOf(visit)
  const { acts } = visit.deps
  const page = await acts.run(visit.facts, 'GET /v1/audit-entries', { query }, entries)
  const isFiltered = [...filters, 'since', 'client'].some((name) => visit.asked(name))
  const path = visit.at('/audit')
  const mayVerify = hasRole(visit.person, 'admin', 'auditor', 'owner')
  const client = visit.asked('client')
  return {
    title: 'Audit',
    lead: 'Everything that was decided, refused or changed, in an append-only hash chain.',
    actions: mayVerify ? (
      <ButtonLink href={`${path}/verify${client === undefined ? '' : `?client=${client}`}`}>
        Verify the chain
      </ButtonLink>
    ) : undefined,
    body: (
      <>
        <Narrow visit={visit} isFiltered={isFiltered} />
        {page.data.length === 0 ? (
          <EmptyState
            title={
              isFiltered ? 'No entry on this page matches the filter.' : 'There are no entries yet.'
            }
          >
            <p>
              {page.page.has_more
                ? 'There may be more on the next page.'
                : 'Decisions appear here within moments.'}
            </p>
          </EmptyState>
        ) : (
          <DataTable caption="Newest first" columns={columnsOf(visit)} rows={page.data} />
        )}
        {page.data.length === 0 ? '' : <Downloads visit={visit} />}
        <Pager {...pagerLinks(visit, page.page.next_cursor ?? undefined)} />
      </>
    ),
  }
}

/** Downloads contain all matching entries, not only this page. */
const Downloads = ({ visit }: { visit: Visit }) => (
  <p class="quiet">
    Download all matching entries:{' '}
    {(['csv', 'ndjson'] as const).map((format) => (
      <>
        <a
          href={withQuery(visit.at('/audit/download'), visit.query, { format, cursor: undefined })}
        >
          {format.toUpperCase()}
        </a>
        {format === 'csv' ? ' for spreadsheets, or ' : ' with the chain’s signed checkpoint.'}
      </>
    ))}
  </p>
)

export async function downloadEntries(visit: Visit): Promise<FileAnswer> {
  const { limit: _, cursor: __, ...query } = askedOf(visit)
  const act = { query: { ...query, format: visit.asked('format') ?? 'csv' } }
  return { file: await visit.deps.acts.file(visit.facts, 'GET /v1/audit-entries/export', act) }
}

function askedOf(visit: Visit): Readonly<Record<string, string>> {
  const asked = filters.flatMap((name) => {
    const value = visit.asked(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const since = visit.asked('since')
  const client = clientAsked(visit)
  const cursor = visit.asked('cursor')
  return {
    limit: String(rowsPerPage),
    ...Object.fromEntries(asked),
    ...(since !== undefined && { since: startOfDay(since, visit.zone) }),
    ...defined({ client_id: client, cursor }),
  }
}

const Narrow = ({ visit, isFiltered }: { visit: Visit; isFiltered: boolean }) => (
  <FilterForm path={visit.at('/audit')} isFiltered={isFiltered}>
    <ClientFilter visit={visit} />
    <TextField
      {...{ name: 'action', label: 'Action', isOptional: true }}
      value={visit.asked('action')}
    />
    <TextField
      {...{ name: 'object', label: 'Object ID', isOptional: true }}
      value={visit.asked('object')}
    />
    <TextField
      {...{ name: 'since', label: 'Since', type: 'date', isOptional: true }}
      value={visit.asked('since')}
    />
  </FilterForm>
)

const columnsOf = (visit: Visit): readonly TableColumn<ShownEntry>[] => [
  {
    label: 'Action',
    isHead: true,
    cell: ({ id, action }) => <a href={visit.at(`/audit/${id}`)}>{actionWord(action)}</a>,
  },
  { label: 'When', cell: ({ at }) => <TimeText ms={Date.parse(at)} zone={visit.zone} /> },
  ...(visit.isStaff
    ? [{ label: 'Client', cell: (entry: ShownEntry) => clientOf(visit, entry) }]
    : []),
  { label: 'Actor', cell: (entry) => actorOf(visit, entry) },
  { label: 'Object', cell: ({ object }) => aboutOf(visit, object) },
  { label: 'Outcome', cell: ({ outcome }) => <StatusMark of={outcome} /> },
]
