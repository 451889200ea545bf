/** The signed-in person's roles and sign-in methods. */
import { defined } from '../../../../proto/defined.ts'
import { z } from 'zod'
import type { PersonSession } from '../../../../proto/access/people/person.ts'
import { TextField, Username } from '../../../html/fields.tsx'
import { ErrorSummary, hiddenField, PostForm, SubmitButton } from '../../../html/form.tsx'
import { IdCode, FactList, NoticeBox, PageSection, TimeText } from '../../../html/parts.tsx'
import { DataTable } from '../../../html/table.tsx'
import {
  bothSurfaces,
  type Redirect,
  type PortalPage,
  type PortalSection as Pages,
} from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { RoleMarks } from '../../html/role-marks.tsx'
import { addPasskey, PasskeySection, removePasskey, startPasskey } from './passkeys.tsx'

const pages: readonly PortalPage[] = [
  { path: '/profile', in: bothSurfaces, show },
  { path: '/profile/password', in: bothSurfaces, submit: setPassword, again: show },
  { path: '/profile/code', in: bothSurfaces, submit: offerCode, again: show },
  { path: '/profile/code/confirm', in: bothSurfaces, submit: confirmCode, again: offerAgain },
  { path: '/profile/code/off', in: bothSurfaces, submit: codeOff, again: show },
  { path: '/profile/passkeys/new', in: bothSurfaces, submit: startPasskey, again: show },
  { path: '/profile/passkeys', in: bothSurfaces, submit: addPasskey, again: startPasskey },
  { path: '/profile/passkeys/{id}/remove', in: bothSurfaces, submit: removePasskey, again: show },
  { path: '/profile/everywhere', in: bothSurfaces, submit: signOutEverywhere, again: show },
]

export const profileSection: Pages = {
  group: 'You',
  nav: [{ label: 'Profile', path: '/profile', in: bothSurfaces }],
  pages,
}

const passwordFields = [
  { name: 'password', label: 'Current password' },
  { name: 'new_password', label: 'New password' },
  { name: 'code', label: 'Code' },
] as const

function show(visit: Visit, problem?: FormProblem): PageContent {
  const { person } = visit
  return {
    title: 'Profile',
    body: (
      <>
        <ErrorSummary problem={problem} fields={passwordFields} />
        <FactList
          of={[
            { term: 'Name', is: person.name },
            { term: 'E-mail address', is: person.email },
            { term: 'Roles', is: <RoleMarks of={person.roles} withHints /> },
            visit.client && { term: 'Client', is: visit.client.name },
          ]}
        />
        <PageSection title="Password">
          <PasswordForm visit={visit} problem={problem} />
        </PageSection>
        <PageSection title="Authenticator app">
          <CodeForm visit={visit} />
        </PageSection>
        <PasskeySection visit={visit} />
        <PageSection title="Sessions">
          <Sessions visit={visit} />
        </PageSection>
      </>
    ),
  }
}

const PasswordForm = ({ visit, problem }: { visit: Visit; problem: FormProblem | undefined }) => (
  <PostForm visit={visit} action={visit.at('/profile/password')} class="narrow">
    <Username of={visit.person} />
    <TextField
      {...{ name: 'password', label: 'Current password', type: 'password', problem }}
      autocomplete="current-password"
    />
    {visit.person.hasTotp ? <CodeField problem={problem} /> : ''}
    <TextField
      {...{ name: 'new_password', label: 'New password', type: 'password', problem }}
      hint="At least 12 characters. Your other sessions will end."
      autocomplete="new-password"
    />
    <SubmitButton kind="plain">Change password</SubmitButton>
  </PostForm>
)

const CodeField = ({ problem }: { problem?: FormProblem | undefined }) => (
  <TextField
    {...{ name: 'code', label: 'Code', width: 'short', problem }}
    autocomplete="one-time-code"
    inputmode="numeric"
  />
)

const CodeForm = ({ visit }: { visit: Visit }) =>
  visit.person.hasTotp ? (
    <PostForm visit={visit} action={visit.at('/profile/code/off')}>
      <p>Signing in requires a code from your authenticator app.</p>{' '}
      <SubmitButton kind="plain">Remove the app</SubmitButton>
    </PostForm>
  ) : (
    <PostForm visit={visit} action={visit.at('/profile/code')}>
      <p>
        Protect your account with a code from an app on your phone, in addition to your password.
      </p>{' '}
      <SubmitButton kind="plain">Set up an app</SubmitButton>
    </PostForm>
  )

const Sessions = ({ visit }: { visit: Visit }) => (
  <>
    <DataTable<PersonSession>
      caption="Where you are signed in"
      columns={[
        {
          label: 'Signed in',
          isHead: true,
          cell: ({ createdAtMs }) => <TimeText ms={createdAtMs} zone={visit.zone} />,
        },
        {
          label: 'Ends',
          cell: ({ expiresAtMs }) => <TimeText ms={expiresAtMs} zone={visit.zone} />,
        },
        {
          label: 'Session',
          cell: ({ id }) => (isThis(visit, id) ? 'This session' : 'Another session'),
        },
      ]}
      rows={visit.person.sessions.filter(({ expiresAtMs }) => expiresAtMs > visit.now)}
    />
    <PostForm visit={visit} action={visit.at('/profile/everywhere')}>
      <SubmitButton kind="danger">Sign out everywhere</SubmitButton>
    </PostForm>
  </>
)

const isThis = ({ facts }: Visit, id: string) => facts.caller.session.id === id

async function setPassword(visit: Visit): Promise<Redirect> {
  const { form } = visit
  const code = form.given('code')
  const body = {
    password: form.exact('password'),
    new_password: form.exact('new_password'),
    ...defined({ code }),
  }
  await visit.do('PUT /v1/me/password', { body })
  return { to: visit.at('/profile'), notice: 'password-set' }
}

const offered = z.object({
  data: z.object({ url: z.string(), secret: z.string(), sealed: z.string() }),
})

async function offerCode(visit: Visit): Promise<PageContent> {
  const { acts } = visit.deps
  const { data } = await acts.run(visit.facts, 'POST /v1/me/totp', {}, offered)
  return codePage(visit, data)
}

/** The secret exists only in the form until a code confirms it. */
function offerAgain(visit: Visit, problem?: FormProblem): PageContent {
  const { form } = visit
  const data = { url: form.text('url'), secret: form.text('secret'), sealed: form.text('sealed') }
  return codePage(visit, data, problem)
}

type Offer = z.output<typeof offered>['data']

function codePage(
  visit: Visit,
  { url, secret, sealed }: Offer,
  problem?: FormProblem,
): PageContent {
  return {
    title: 'Set up an authenticator app',
    up: { href: visit.at('/profile'), label: 'Profile' },
    body: (
      <PostForm visit={visit} action={visit.at('/profile/code/confirm')} class="narrow">
        <ErrorSummary problem={problem} fields={[{ name: 'code', label: 'Code' }]} />
        {hiddenField('url', url)}
        {hiddenField('secret', secret)}
        {hiddenField('sealed', sealed)}
        <p>Add this key to your app, then enter the code it shows.</p>
        <NoticeBox tone="info">
          <p class="secret">
            <IdCode>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</IdCode>
          </p>
          <p class="quiet">
            On this device: <a href={url}>open the app</a>.
          </p>
        </NoticeBox>
        <CodeField problem={problem} />
        <div class="buttons">
          <SubmitButton>Turn on codes</SubmitButton>
          <a href={visit.at('/profile')}>Cancel</a>
        </div>
      </PostForm>
    ),
  }
}

async function confirmCode(visit: Visit): Promise<Redirect> {
  const { form } = visit
  const body = { sealed: form.text('sealed'), code: form.text('code') }
  await visit.do('PUT /v1/me/totp', { body })
  return { to: visit.at('/profile'), notice: 'totp-on' }
}

async function codeOff(visit: Visit): Promise<Redirect> {
  await visit.do('DELETE /v1/me/totp')
  return { to: visit.at('/profile'), notice: 'totp-off' }
}

async function signOutEverywhere(visit: Visit): Promise<Redirect> {
  await visit.do('DELETE /v1/sign-in', { query: { everywhere: 'true' } })
  return { to: '/portal/sign-in', notice: 'signed-out-everywhere' }
}
