/** The list of this tenant's logins with sites. */
import type { z } from 'zod'
import { ErrorSummary } from '../../../html/form.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { ButtonLink, EmptyState } from '../../../html/parts.tsx'
import { plural } from '../../../html/plural.ts'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import { spanWord } from '../../../html/times.ts'
import { siteLoginListJson, type siteLoginJson } from '../../../logins/login-json.ts'
import { QuestionButton } from '../../html/question.tsx'
import type { ConsoleRedirect } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'

type ListedLogin = z.output<typeof siteLoginJson>

export async function showLogins(visit: ConsoleVisit, problem?: FormProblem): Promise<PageContent> {
  const { data } = await visit.run('GET /v1/logins', {}, siteLoginListJson)
  const add = (
    <ButtonLink href={visit.at('/logins/new')} kind="main">
      New login
    </ButtonLink>
  )
  return {
    title: 'Logins',
    lead:
      'A login is a user name and a password for a site, with one-time codes if it asks for them. ' +
      'Commands, agents and tasks fill it in, and never see its values.',
    actions: add,
    body: (
      <>
        <ErrorSummary problem={problem} />
        {data.count === 0 ? (
          <EmptyState title="There are no logins yet">
            <p>
              Store one, go to the page on which its site asks for it, and run{' '}
              <code>fill_login</code>. See{' '}
              <a href="/docs/guides/logins#fill-in-a-login-form">Logins</a>.
            </p>
          </EmptyState>
        ) : (
          <DataTable
            caption={plural(data.count, 'login')}
            rows={data.items}
            columns={columns(visit)}
            idOf={({ name }) => `login-${name.replaceAll('.', '-')}`}
          />
        )}
      </>
    ),
  }
}

const columns = (visit: ConsoleVisit): readonly TableColumn<ListedLogin>[] => [
  {
    label: 'Login',
    isHead: true,
    cell: ({ name, description }) => (
      <>
        {name}
        {description === '' ? '' : <span class="reason">{description}</span>}
      </>
    ),
  },
  {
    label: 'Site',
    cell: ({ origin, subdomains }) => (
      <>
        <bdi>{origin}</bdi>
        {subdomains ? <span class="reason">and every name below it</span> : ''}
      </>
    ),
  },
  { label: 'Has', cell: ({ has }) => has.join(', ') },
  { label: 'Last used', cell: (login) => <LastUse of={login} visit={visit} /> },
  { label: 'Actions', cell: (login) => <LoginActions of={login} visit={visit} /> },
]

interface CellProps {
  readonly of: ListedLogin
  readonly visit: ConsoleVisit
}

const LastUse = ({ of: { last_used_at: time, last_session_id: id }, visit }: CellProps) => {
  if (time === undefined) return 'Not yet'
  const ago = `${spanWord(visit.now - Date.parse(time))} ago`
  return id === undefined ? (
    ago
  ) : (
    <>
      {ago}, in <a href={visit.at(`/sessions/${id}`)}>a session</a>
    </>
  )
}

const LoginActions = ({ of: { name, origin }, visit }: CellProps) => (
  <div class="row-acts">
    <a href={visit.at(`/logins/${name}/change`)}>
      Change<span class="hidden"> {name}</span>
    </a>
    <QuestionButton
      id={`delete-login-${name.replaceAll('.', '-')}`}
      visit={visit}
      action={visit.at(`/logins/${name}/delete`)}
      isLink
      label={
        <>
          Delete<span class="hidden"> {name}</span>
        </>
      }
      does="Delete this login"
      keeps="Keep it"
      question={
        <>
          <b>
            Delete the login “{name}” for {origin}?
          </b>{' '}
          Nothing can fill it in any more. This cannot be undone.
        </>
      }
    />
  </div>
)

export async function deleteLogin(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  await visit.do('DELETE /v1/logins/{name}', { params: { name: visit.param('name') } })
  return { to: visit.at('/logins'), notice: 'login-deleted' }
}
