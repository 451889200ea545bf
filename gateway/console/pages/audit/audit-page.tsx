/**
 * The page of the audit: filters are in the URL, entries newest first, and new entries are added
 * live.
 */
import { subjects } from '../../../../proto/subjects.ts'
import {
  listServiceAudit,
  ServiceAuditTail,
  type ServiceAuditPage,
} from '../../../../runtime/service-audit/reader.ts'
import { toHtml } from '../../../html/markup.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { EmptyState, Pager, withQuery } from '../../../html/parts.tsx'
import { DataTable } from '../../../html/table.tsx'
import { ListLiveness } from '../../lists/list-parts.tsx'
import { feedRegions, regionRows } from '../../live/regions.ts'
import type { ConsoleFile } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { AuditFilterForm } from './audit-filters.tsx'
import { auditQuery, type ServiceAuditSearch } from './audit-query.ts'
import { auditColumns, auditRowId } from './audit-row.tsx'

export async function showAudit(visit: ConsoleVisit): Promise<PageContent> {
  const query = auditQuery(visit.query, visit.now)
  const page = await listServiceAudit(visit.deps.store.serviceAudit, query)
  return {
    title: 'Audit',
    lead: 'Who used this service, from where, and what was refused. The oldest entries are removed when the audit’s storage is full.',
    body: (
      <>
        {query.before === undefined ? <ListLiveness visit={visit} feed="/audit/feed" /> : ''}
        <AuditFilterForm visit={visit} isFiltered={query.isFiltered} />
        <AuditRegion visit={visit} query={query} page={page} />
      </>
    ),
  }
}

/** The query is that of the page; only the first page has a stream. */
export function feedAudit(visit: ConsoleVisit): ConsoleFile {
  const { bus, store } = visit.deps
  const query = { ...auditQuery(visit.query, visit.now), before: undefined }
  const tail = new ServiceAuditTail(store.serviceAudit, query)
  const { tenant } = query
  return feedRegions(visit, {
    async render(now) {
      const page = await tail.read()
      const rows = regionRows(page.entries, auditColumns(now), auditRowId)
      const html = toHtml(AuditRegion({ visit: now, query, page }))
      return { audit: { html, rows } }
    },
    watch(changed) {
      const subject =
        tenant === undefined ? subjects.serviceAuditAll : subjects.serviceAudit(tenant)
      const watch = bus.subscribe(subject, changed)
      return () => watch.stop()
    },
  })
}

const AuditRegion = ({
  visit,
  query,
  page: { entries, next },
}: {
  visit: ConsoleVisit
  query: ServiceAuditSearch
  page: ServiceAuditPage
}) => {
  const to = (before: string | undefined) => withQuery(visit.at('/audit'), visit.query, { before })
  return (
    <div id="audit">
      {entries.length === 0 ? (
        <NoEntries visit={visit} query={query} hasMore={next !== undefined} />
      ) : (
        <DataTable
          caption="Newest first"
          rows={entries}
          columns={auditColumns(visit)}
          idOf={auditRowId}
        />
      )}
      <Pager
        first={query.before === undefined ? undefined : to(undefined)}
        next={next === undefined ? undefined : to(String(next))}
      />
    </div>
  )
}

const NoEntries = ({
  visit,
  query,
  hasMore,
}: {
  visit: ConsoleVisit
  query: ServiceAuditSearch
  hasMore: boolean
}) => {
  if (hasMore) {
    return (
      <EmptyState title="No matching entries so far">
        <p>The newest entries do not match these filters. See the next page for older ones.</p>
      </EmptyState>
    )
  }
  if (query.isFiltered) {
    return (
      <EmptyState title="No entries match these filters">
        <p>
          Enter tenants, keys, sessions and addresses in full.{' '}
          <a href={visit.at('/audit')}>Show all entries</a>
        </p>
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={query.before === undefined ? 'There are no entries yet' : 'There are no older entries'}
    >
      <p>Sessions, connections, tasks, keys and refusals appear here as they happen.</p>
    </EmptyState>
  )
}
