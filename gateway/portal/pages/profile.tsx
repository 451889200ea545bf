/** The signed-in person's roles and sign-in methods. */
import { z } from 'zod'
import type { PersonSession } from '../../../proto/access/person.ts'
import { TextField, Username } from '../html/fields.tsx'
import { ErrorSummary, hidden, PostForm, Submit } from '../html/form.tsx'
import { Code, Facts, Notice, Section, Time } from '../html/parts.tsx'
import { Table } from '../html/table.tsx'
import {
  everywhere,
  type Elsewhere,
  type Page,
  type Problem,
  type Section as Pages,
  type Shown,
} from '../page.ts'
import type { Visit } from '../visit.ts'
import { roleWord } from '../words/words.ts'
import { addPasskey, PasskeySection, removePasskey, startPasskey } from './passkeys.tsx'

const pages: readonly Page[] = [
  { path: '/profile', in: everywhere, show },
  { path: '/profile/password', in: everywhere, submit: setPassword, again: show },
  { path: '/profile/code', in: everywhere, submit: offerCode, again: show },
  { path: '/profile/code/confirm', in: everywhere, submit: confirmCode, again: offerAgain },
  { path: '/profile/code/off', in: everywhere, submit: codeOff, again: show },
  { path: '/profile/passkeys/new', in: everywhere, submit: startPasskey, again: show },
  { path: '/profile/passkeys', in: everywhere, submit: addPasskey, again: startPasskey },
  { path: '/profile/passkeys/{id}/remove', in: everywhere, submit: removePasskey, again: show },
  { path: '/profile/everywhere', in: everywhere, submit: signOutEverywhere, again: show },
]

export const profile: Pages = {
  group: 'You',
  nav: [{ label: 'Profile', path: '/profile', in: everywhere }],
  pages,
}

const passwordFields = [
  { name: 'password', label: 'Present password' },
  { name: 'new_password', label: 'New password' },
  { name: 'code', label: 'Code' },
] as const

function show(visit: Visit, problem?: Problem): Shown {
  const { person } = visit
  return {
    title: 'Profile',
    body: (
      <>
        <ErrorSummary problem={problem} fields={passwordFields} />
        <Facts
          of={[
            { term: 'Name', is: person.name },
            { term: 'E-mail address', is: person.email },
            { term: 'Roles', is: person.roles.map(roleWord).join(', ') },
            visit.client && { term: 'Client', is: visit.client.name },
          ]}
        />
        <Section title="Password">
          <PasswordForm visit={visit} problem={problem} />
        </Section>
        <Section title="Code of an authenticator app">
          <CodeForm visit={visit} />
        </Section>
        <PasskeySection visit={visit} />
        <Section title="Sessions">
          <Sessions visit={visit} />
        </Section>
      </>
    ),
  }
}

const PasswordForm = ({ visit, problem }: { visit: Visit; problem: Problem | undefined }) => (
  <PostForm visit={visit} action={visit.at('/profile/password')} class="narrow">
    <Username of={visit.person} />
    <TextField
      {...{ name: 'password', label: 'Present password', type: 'password', problem }}
      autocomplete="current-password"
    />
    {visit.person.hasTotp ? <CodeField problem={problem} /> : ''}
    <TextField
      {...{ name: 'new_password', label: 'New password', type: 'password', problem }}
      hint="At least 12 characters. Your other sessions end."
      autocomplete="new-password"
    />
    <Submit kind="plain">Change the password</Submit>
  </PostForm>
)

const CodeField = ({ problem }: { problem?: Problem | undefined }) => (
  <TextField
    {...{ name: 'code', label: 'Code', width: 'short', problem }}
    autocomplete="one-time-code"
    inputmode="numeric"
  />
)

const CodeForm = ({ visit }: { visit: Visit }) =>
  visit.person.hasTotp ? (
    <PostForm visit={visit} action={visit.at('/profile/code/off')}>
      <p>Signing in asks for a code of your app.</p>
      <Submit kind="plain">Sign in without codes</Submit>
    </PostForm>
  ) : (
    <PostForm visit={visit} action={visit.at('/profile/code')}>
      <p>Beside your password, a code of an app on your phone makes sure that it is you.</p>
      <Submit kind="plain">Set up an app</Submit>
    </PostForm>
  )

const Sessions = ({ visit }: { visit: Visit }) => (
  <>
    <Table<PersonSession>
      caption="Where you are signed in"
      columns={[
        {
          label: 'Signed in',
          isHead: true,
          cell: ({ createdAtMs }) => <Time ms={createdAtMs} zone={visit.zone} />,
        },
        { label: 'Ends', cell: ({ expiresAtMs }) => <Time ms={expiresAtMs} zone={visit.zone} /> },
        { label: 'Which', cell: ({ id }) => (isThis(visit, id) ? 'This one' : 'Another one') },
      ]}
      rows={visit.person.sessions.filter(({ expiresAtMs }) => expiresAtMs > visit.now)}
    />
    <PostForm visit={visit} action={visit.at('/profile/everywhere')}>
      <Submit kind="danger">Sign out everywhere</Submit>
    </PostForm>
  </>
)

const isThis = ({ facts }: Visit, id: string) => facts.caller.session.id === id

async function setPassword(visit: Visit): Promise<Elsewhere> {
  const { form } = visit
  const code = form.given('code')
  const body = {
    password: form.exact('password'),
    new_password: form.exact('new_password'),
    ...(code !== undefined && { code }),
  }
  await visit.do('PUT /v1/me/password', { body })
  return { to: visit.at('/profile'), told: 'password-set' }
}

const offered = z.object({
  data: z.object({ url: z.string(), secret: z.string(), sealed: z.string() }),
})

async function offerCode(visit: Visit): Promise<Shown> {
  const { acts } = visit.deps
  const { data } = await acts.run(visit.facts, 'POST /v1/me/totp', {}, offered)
  return codePage(visit, data)
}

/** The secret exists only in the form until a code confirms it. */
function offerAgain(visit: Visit, problem?: Problem): Shown {
  const { form } = visit
  const data = { url: form.text('url'), secret: form.text('secret'), sealed: form.text('sealed') }
  return codePage(visit, data, problem)
}

type Offer = z.output<typeof offered>['data']

function codePage(visit: Visit, { url, secret, sealed }: Offer, problem?: Problem): Shown {
  return {
    title: 'Set up an authenticator app',
    up: { href: visit.at('/profile'), label: 'Profile' },
    body: (
      <PostForm visit={visit} action={visit.at('/profile/code/confirm')} class="narrow">
        <ErrorSummary problem={problem} fields={[{ name: 'code', label: 'Code' }]} />
        {hidden('url', url)}
        {hidden('secret', secret)}
        {hidden('sealed', sealed)}
        <p>Add this key to your app, then enter the code that it shows.</p>
        <Notice tone="info">
          <p class="secret">
            <Code>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</Code>
          </p>
          <p class="quiet">
            On this device: <a href={url}>open the app</a>.
          </p>
        </Notice>
        <CodeField problem={problem} />
        <div class="buttons">
          <Submit>Ask for codes from now on</Submit>
          <a href={visit.at('/profile')}>Cancel</a>
        </div>
      </PostForm>
    ),
  }
}

async function confirmCode(visit: Visit): Promise<Elsewhere> {
  const { form } = visit
  const body = { sealed: form.text('sealed'), code: form.text('code') }
  await visit.do('PUT /v1/me/totp', { body })
  return { to: visit.at('/profile'), told: 'totp-on' }
}

async function codeOff(visit: Visit): Promise<Elsewhere> {
  await visit.do('DELETE /v1/me/totp')
  return { to: visit.at('/profile'), told: 'totp-off' }
}

async function signOutEverywhere(visit: Visit): Promise<Elsewhere> {
  await visit.do('DELETE /v1/sign-in', { query: { everywhere: 'true' } })
  return { to: '/portal/sign-in', told: 'signed-out-everywhere' }
}
