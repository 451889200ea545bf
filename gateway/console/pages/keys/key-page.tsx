/** The list of keys for operators; for other keys, their own permissions. */
import { ErrorSummary } from '../../../html/form.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import { toHtml } from '../../../html/markup.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { ButtonLink } from '../../../html/parts.tsx'
import { ListLiveness } from '../../lists/list-parts.tsx'
import { feedRegions, regionRows } from '../../live/regions.ts'
import type { ConsoleFile, ConsoleRedirect } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { KeyRegion, KeySearch, KeySwitch } from './key-list.tsx'
import { findKeys, keyQuery } from './key-query.ts'
import { keyColumns, keyRowId } from './key-row.tsx'
import { OwnKey } from './own-key.tsx'

export async function showKeys(visit: ConsoleVisit, problem?: FormProblem): Promise<PageContent> {
  if (!visit.isAdmin) return { title: 'Keys', body: <OwnKey visit={visit} /> }
  const query = keyQuery(visit.query)
  const found = findKeys(await visit.deps.apiKeys.list(), query)
  return {
    title: 'Keys',
    actions: (
      <ButtonLink href={visit.at('/keys/new')} kind="main">
        New key
      </ButtonLink>
    ),
    body: (
      <>
        <ErrorSummary problem={problem} />
        <ListLiveness visit={visit} feed="/keys/feed" />
        <div class="list-head">
          <KeySwitch visit={visit} query={query} found={found} />
          <KeySearch visit={visit} query={query} />
        </div>
        <KeyRegion visit={visit} query={query} found={found} />
      </>
    ),
  }
}

/** The query is that of the list. */
export function feedKeys(visit: ConsoleVisit): ConsoleFile {
  const { keys, views, apiKeys } = visit.deps
  const query = keyQuery(visit.query)
  return feedRegions(visit, {
    render(now) {
      const found = findKeys(apiKeys.known(), query)
      const facts = { visit: now, query, found }
      const rows = regionRows(found.rows, keyColumns(now), keyRowId)
      return {
        show: { html: toHtml(KeySwitch(facts)) },
        keys: { html: toHtml(KeyRegion(facts)), rows },
      }
    },
    watch(changed) {
      const stops = [keys.onChange(changed), views.onChange(changed)]
      return () => stops.forEach((stop) => stop())
    },
  })
}

export async function revokeFromPage(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  await visit.do('DELETE /v1/admin/keys/{key_id}', {
    params: { key_id: visit.param('key') },
    query: { end_sessions: visit.form.has('end_sessions') ? 'true' : 'false' },
  })
  return { to: visit.at('/keys'), notice: 'key-revoked' }
}
