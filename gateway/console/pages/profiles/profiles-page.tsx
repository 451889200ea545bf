/** The list of this tenant's profiles, and what can be done with them. */
import { z } from 'zod'
import { ErrorSummary } from '../../../html/form.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { ButtonLink, EmptyState } from '../../../html/parts.tsx'
import { plural } from '../../../html/plural.ts'
import { DataTable } from '../../../html/table.tsx'
import { profileListJson } from '../../../profiles/profile-json.ts'
import type { ConsoleRedirect } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { profileColumns, profileRowId } from './profile-row.tsx'

export async function showProfiles(
  visit: ConsoleVisit,
  problem?: FormProblem,
): Promise<PageContent> {
  const { data } = await visit.run('GET /v1/profiles', {}, profileListJson)
  const newSession = visit.at('/sessions/new')
  return {
    title: 'Profiles',
    lead:
      'A profile keeps logins, permissions and other site data. A session that begins with one is ' +
      'logged in where an earlier one was.',
    actions: (
      <ButtonLink href={newSession} kind="main">
        New session
      </ButtonLink>
    ),
    body: (
      <>
        <ErrorSummary problem={problem} />
        {data.count === 0 ? (
          <EmptyState title="There are no profiles yet">
            <p>
              Create a <a href={newSession}>new session</a> with a profile’s name and “Save it when
              the session ends”. Log in by hand in its live view, then end the session. See{' '}
              <a href="/docs/guides/logins">Logins</a>.
            </p>
          </EmptyState>
        ) : (
          <DataTable
            caption={plural(data.count, 'profile')}
            rows={data.items}
            columns={profileColumns(visit)}
            idOf={profileRowId}
          />
        )}
      </>
    ),
  }
}

const ofProfile = (visit: ConsoleVisit) => ({ params: { name: visit.param('name') } })

export async function deleteProfile(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  await visit.do('DELETE /v1/profiles/{name}', ofProfile(visit))
  return { to: visit.at('/profiles'), notice: 'profile-deleted' }
}

export async function restoreProfile(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const version = z.coerce.number().catch(0).parse(visit.form.text('version'))
  await visit.do('POST /v1/profiles/{name}/restore', { ...ofProfile(visit), body: { version } })
  return { to: visit.at('/profiles'), notice: 'profile-restored' }
}
