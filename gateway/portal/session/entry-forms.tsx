/**
 * The forms for people without a session: signing in, and setting a password with an invitation or
 * reset.
 */
import { defined } from '../../../proto/defined.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { TextField } from '../../html/fields.tsx'
import { ErrorSummary, hiddenField, SubmitButton } from '../../html/form.tsx'
import { PasskeyButton, passkeyIn } from '../html/passkey.tsx'
import { formTokenField } from '../../html/forms/form-token.ts'
import { SubmittedForm } from '../../html/forms/form.ts'
import type { FormProblem } from '../../html/forms/problem.ts'
import type { PageContent } from '../../html/page-content.ts'

/** A wrong address, password or code gets the same error, so the code field is shown to all. */
export const signInForm: EntryForm = {
  path: '/portal/sign-in',
  act(form, holder) {
    const passkey = passkeyIn(form)
    if (passkey) return { route: 'POST /v1/sign-in/passkeys', body: { ...passkey, holder } }
    const code = form.given('code')
    const { email, password } = { email: form.text('email'), password: form.exact('password') }
    const body = { email, password, ...defined({ code }) }
    return { route: 'POST /v1/sign-in', body }
  },
  shown: ({ form, token, next, hasPasskeys, problem }) => ({
    title: 'Sign in',
    lead: 'See the work done for you, and who can access your data.',
    body: (
      <form method="post" action="/portal/sign-in" class="card">
        <ErrorSummary problem={problem} fields={[{ name: 'email', label: 'E-mail address' }]} />
        {hiddenField(formTokenField, token)}
        {next === undefined ? '' : hiddenField('next', next)}
        {hasPasskeys ? (
          <PasskeyButton of="sign_in" token={token}>
            Sign in with a passkey
          </PasskeyButton>
        ) : (
          ''
        )}
        <TextField
          {...{ name: 'email', label: 'E-mail address', type: 'email', problem }}
          value={form.text('email')}
          autocomplete="username"
        />
        <TextField
          {...{ name: 'password', label: 'Password', type: 'password', problem }}
          autocomplete="current-password"
        />
        <TextField
          {...{ name: 'code', label: 'Code', width: 'short', isOptional: true }}
          hint="Only if you use an authenticator app."
          autocomplete="one-time-code"
          inputmode="numeric"
        />
        <SubmitButton>Sign in</SubmitButton>
        <p class="quiet">
          Invited? <a href="/portal/invitation">Set your password</a>. Forgot it, or lost your
          device? Ask the person who invited you for a reset link.
        </p>
      </form>
    ),
  }),
}

interface SecretWords {
  readonly path: string
  readonly route: string
  /** The field's name in REST. */
  readonly name: 'invitation' | 'reset'
  readonly label: string
  readonly title: string
  readonly lead: string
  readonly done: string
}

/** A page on which the holder of a one-time secret sets a password and is signed in. */
const passwordForm = ({ path, route, name, label, title, lead, done }: SecretWords): EntryForm => ({
  path,
  act: (form) => ({ route, body: { [name]: form.text(name), password: form.exact('password') } }),
  shown: ({ form, token, problem }) => ({
    title,
    lead,
    body: (
      <form method="post" action={path} class="card">
        <ErrorSummary
          problem={problem}
          fields={[
            { name, label },
            { name: 'password', label: 'Password' },
          ]}
        />
        {hiddenField(formTokenField, token)}
        <TextField
          {...{ name, label, problem }}
          hint="Starts with spai_. Filled in automatically if you followed the link."
          value={form.text(name)}
          autocomplete="off"
        />
        <TextField
          {...{ name: 'password', label: 'New password', type: 'password', problem }}
          hint={`At least ${limits.passwordCharsLeast} characters. Several words are easy to remember.`}
          autocomplete="new-password"
        />
        <SubmitButton>Set password and sign in</SubmitButton>
        <p class="quiet">
          {done} <a href="/portal/sign-in">Sign in</a>.
        </p>
      </form>
    ),
  }),
})

export const invitationForm = passwordForm({
  path: '/portal/invitation',
  route: 'POST /v1/sign-in/invitations',
  ...{ name: 'invitation', label: 'Invitation', title: 'Accept your invitation' },
  lead: 'Choose a password to sign in. An invitation works once and is valid for three days.',
  done: 'Already set your password?',
})

export const resetForm = passwordForm({
  path: '/portal/reset',
  route: 'POST /v1/sign-in/resets',
  ...{ name: 'reset', label: 'Reset code', title: 'Choose a new password' },
  lead: 'Your other sessions end, and your authenticator app and passkeys are removed. Set them up again afterwards.',
  done: 'Remembered it?',
})

/** A page with a form that signs somebody in. */
export interface EntryForm {
  readonly path: string
  /** The route to call and its body. `holder` is the content of the page's cookie. */
  act(form: SubmittedForm, holder: string): { readonly route: string; readonly body: unknown }
  shown(facts: EntryFormFacts): PageContent
}

export interface EntryFormFacts {
  readonly form: SubmittedForm
  readonly token: string
  readonly next: string | undefined
  readonly hasPasskeys: boolean
  readonly problem?: FormProblem
}
