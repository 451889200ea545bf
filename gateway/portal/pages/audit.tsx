/** The audit: who did what and why, and the verification of the chain. */
import { z } from 'zod'
import { isAccessId } from '../../../proto/access/ids.ts'
import { hasRole } from '../../../proto/access/author.ts'
import { auditEntryJson, verdictJson } from '../../access/audit/json.ts'
import { dataJson, pageJson } from '../../routing/schemas/access-json.ts'
import { onlyRoles } from '../../routing/auth/access-rule.ts'
import { SelectField, TextField } from '../html/fields.tsx'
import { FilterForm } from '../html/filters.tsx'
import {
  ButtonLink,
  IdCode,
  EmptyState,
  FactList,
  NoticeBox,
  Pager,
  PageSection,
  StatusMark,
  TimeText,
  withQuery,
} from '../html/parts.tsx'
import { DataTable, type TableColumn } from '../html/table.tsx'
import {
  bothSurfaces,
  type FileAnswer,
  type PortalSection as Pages,
  type PageContent,
} from '../page.ts'
import type { Visit } from '../visit.ts'
import { clientName, objectNameOf } from '../words/names.ts'
import { startOfDay } from '../words/times.ts'
import { toWords } from '../words/words.ts'
import { pagerLinks, rowsPerPage } from './pager.ts'

const readers = onlyRoles('admin', 'reviewer', 'operator', 'change_manager', 'auditor', 'owner')
const keepers = onlyRoles('admin', 'auditor', 'owner')

export const auditSection: Pages = {
  group: 'Oversight',
  nav: [{ label: 'Audit', path: '/audit', in: bothSurfaces, who: readers }],
  pages: [
    { path: '/audit', in: bothSurfaces, who: readers, show: showEntries },
    { path: '/audit/download', in: bothSurfaces, who: readers, show: download },
    { path: '/audit/verify', in: bothSurfaces, who: keepers, show: showVerdict },
    { path: '/audit/{id}', in: bothSurfaces, who: readers, show: showEntry },
  ],
}

type Entry = z.output<typeof auditEntryJson>
const entries = pageJson(auditEntryJson)
const filters = ['action', 'actor', 'object'] as const

async function showEntries(visit: Visit): Promise<PageContent> {
  const query = askedOf(visit)
  const { acts } = visit.deps
  const page = await acts.run(visit.facts, 'GET /v1/audit-entries', { query }, entries)
  const isFiltered = [...filters, 'since', 'client'].some((name) => visit.asked(name))
  const path = visit.at('/audit')
  const mayVerify = hasRole(visit.person, 'admin', 'auditor', 'owner')
  const client = visit.asked('client')
  return {
    title: 'Audit',
    lead: 'What was decided, refused and changed: an unbroken chain, which nobody can shorten.',
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
            title={isFiltered ? 'Nothing fits this filter here.' : 'Nothing has happened yet.'}
          >
            <p>
              {page.page.has_more
                ? 'There may be more on the next page.'
                : 'Everything that is decided appears here within moments.'}
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
    Sent all of these:{' '}
    {(['csv', 'ndjson'] as const).map((format) => (
      <>
        <a
          href={withQuery(visit.at('/audit/download'), visit.query, { format, cursor: undefined })}
        >
          {format.toUpperCase()}
        </a>
        {format === 'csv' ? ' for a spreadsheet, ' : ' with the chain’s signed checkpoint.'}
      </>
    ))}
  </p>
)

async function download(visit: Visit): Promise<FileAnswer> {
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
  const client = visit.isStaff ? visit.asked('client') : undefined
  const cursor = visit.asked('cursor')
  return {
    limit: String(rowsPerPage),
    ...Object.fromEntries(asked),
    ...(since !== undefined && { since: startOfDay(since, visit.zone) }),
    ...(client !== undefined && { client_id: client }),
    ...(cursor !== undefined && { cursor }),
  }
}

const Narrow = ({ visit, isFiltered }: { visit: Visit; isFiltered: boolean }) => (
  <FilterForm path={visit.at('/audit')} isFiltered={isFiltered}>
    {visit.isStaff ? (
      <SelectField
        name="client"
        label="Client"
        value={visit.asked('client') ?? ''}
        choices={[
          { value: '', label: 'Any' },
          ...visit.list('client').map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    ) : (
      ''
    )}
    <TextField
      {...{ name: 'action', label: 'Action', isOptional: true }}
      value={visit.asked('action')}
    />
    <TextField
      {...{ name: 'object', label: 'About (an ID)', isOptional: true }}
      value={visit.asked('object')}
    />
    <TextField
      {...{ name: 'since', label: 'Since', type: 'date', isOptional: true }}
      value={visit.asked('since')}
    />
  </FilterForm>
)

/** For example `grant.revoked` → `Grant: revoked`. */
function actionWord(action: string): string {
  const [kind = '', what] = action.split('.')
  return what === undefined ? toWords(kind) : `${toWords(kind)}: ${toWords(what).toLowerCase()}`
}

const columnsOf = (visit: Visit): readonly TableColumn<Entry>[] => [
  {
    label: 'What',
    isHead: true,
    cell: ({ id, action }) => <a href={visit.at(`/audit/${id}`)}>{actionWord(action)}</a>,
  },
  { label: 'When', cell: ({ at }) => <TimeText ms={Date.parse(at)} zone={visit.zone} /> },
  ...(visit.isStaff ? [{ label: 'Client', cell: (entry: Entry) => clientOf(visit, entry) }] : []),
  { label: 'Who', cell: (entry) => actorOf(visit, entry) },
  { label: 'About', cell: ({ object }) => aboutOf(visit, object) },
  { label: 'Outcome', cell: ({ outcome }) => <StatusMark of={outcome} /> },
]

const clientOf = (visit: Visit, { client_id: id }: Entry) =>
  id === undefined ? 'Troupe' : clientName(visit, id)

const actorOf = (visit: Visit, { actor: { kind, id } }: Entry) =>
  kind === 'system' ? objectNameOf(visit, `system:${id}`) : objectNameOf(visit, id)

/** A link if the object has a page. */
function aboutOf(visit: Visit, { kind, id }: Entry['object']) {
  const path = pathOf(kind, id)
  const label = nameOfObject(visit, kind, id)
  return path === undefined ? label : <a href={visit.at(path)}>{label}</a>
}

function nameOfObject(visit: Visit, kind: string, id: string): string {
  if (isAccessId('person', id)) return objectNameOf(visit, id)
  return `${toWords(kind)} …${id.slice(-6)}`
}

function pathOf(kind: string, id: string): string | undefined {
  if (isAccessId('grant', id)) return `/access/${id}`
  if (isAccessId('request', id)) return `/requests/${id}`
  if (isAccessId('need', id)) return `/needs/${id}`
  if (isAccessId('token', id) && kind === 'token') return `/tokens/${id}`
  return undefined
}

async function showEntry(visit: Visit): Promise<PageContent> {
  const act = { params: { id: visit.param('id') } }
  const answer = dataJson(auditEntryJson)
  const { acts } = visit.deps
  const { data } = await acts.run(visit.facts, 'GET /v1/audit-entries/{id}', act, answer)
  const { changes = [], changed_fields: fields = [] } = data
  return {
    title: actionWord(data.action),
    up: { href: visit.at('/audit'), label: 'Audit' },
    actions: <StatusMark of={data.outcome} />,
    body: (
      <>
        <FactList
          of={[
            { term: 'Number in the chain', is: String(data.n) },
            { term: 'When', is: <TimeText ms={Date.parse(data.at)} zone={visit.zone} /> },
            visit.isStaff && { term: 'Client', is: clientOf(visit, data) },
            { term: 'Who', is: actorOf(visit, data) },
            { term: 'About', is: aboutOf(visit, data.object) },
            data.reason !== undefined && { term: 'Reason', is: data.reason },
            data.need_id !== undefined && {
              term: 'Need',
              is: <a href={visit.at(`/needs/${data.need_id}`)}>{data.need_id}</a>,
            },
            data.grant_id !== undefined && {
              term: 'Grant',
              is: <a href={visit.at(`/access/${data.grant_id}`)}>{data.grant_id}</a>,
            },
            data.route !== undefined && { term: 'Route', is: <IdCode>{data.route}</IdCode> },
            data.net !== undefined && { term: 'Network', is: <IdCode>{data.net}</IdCode> },
            data.count !== undefined && { term: 'Times', is: String(data.count) },
            data.self_reviewed && { term: 'Decided alone', is: 'Yes' },
            fields.length > 0 && { term: 'Fields', is: fields.map(toWords).join(', ') },
            data.digest !== undefined && { term: 'Digest', is: <IdCode>{data.digest}</IdCode> },
          ]}
        />
        {changes.length === 0 ? (
          ''
        ) : (
          <PageSection title="What changed">
            <FactList
              of={changes.map(({ field, to }) => ({
                term: toWords(field),
                is: Array.isArray(to) ? to.join(', ') : String(to),
              }))}
            />
          </PageSection>
        )}
        <PageSection title="In the chain">
          <FactList
            of={[
              { term: 'Its hash', is: <IdCode>{data.hash}</IdCode> },
              { term: 'The one before', is: <IdCode>{data.prev}</IdCode> },
              { term: 'ID', is: <IdCode>{data.id}</IdCode> },
            ]}
          />
        </PageSection>
      </>
    ),
  }
}

async function showVerdict(visit: Visit): Promise<PageContent> {
  const client = visit.isStaff ? visit.asked('client') : undefined
  const from = visit.asked('from')
  const query = {
    ...(client !== undefined && { client_id: client }),
    ...(from !== undefined && { from }),
  }
  const { acts } = visit.deps
  const answer = dataJson(verdictJson)
  const { data } = await acts.run(visit.facts, 'GET /v1/audit-entries/verify', { query }, answer)
  const of =
    data.client_id === undefined ? 'of Troupe itself' : `of ${clientName(visit, data.client_id)}`
  const next = new URLSearchParams({ ...(client && { client }), from: String(data.to + 1) })
  return {
    title: data.ok ? 'The chain is whole' : 'The chain is broken',
    lead: `The audit ${of}.`,
    up: { href: visit.at('/audit'), label: 'Audit' },
    body: (
      <>
        {data.first_bad ? (
          <NoticeBox tone="bad" title={`Entry ${data.first_bad.n} is not what was written`}>
            <p>{data.first_bad.why}</p>
          </NoticeBox>
        ) : (
          <NoticeBox tone="good" title="Every entry follows from the one before it" />
        )}
        <FactList
          of={[
            { term: 'From entry', is: String(data.from) },
            { term: 'To entry', is: String(data.to) },
            { term: 'Signed checkpoints that fit', is: String(data.checkpoints.matched) },
            data.checkpoints.unknown_key > 0 && {
              term: 'Signed with other keys',
              is: String(data.checkpoints.unknown_key),
            },
          ]}
        />
        {data.complete ? (
          ''
        ) : (
          <ButtonLink href={`${visit.at('/audit/verify')}?${next}`}>
            Verify the next entries
          </ButtonLink>
        )}
      </>
    ),
  }
}
