/**
 * Asks for the password or a passkey again before critical actions. The submitted form is kept in
 * hidden fields of the page that asks, so nothing has to be entered twice.
 */
import { defined } from '../../../proto/defined.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { AccessAuthenticator } from '../../access/gate/authenticate.ts'
import { ErrorSummary, hiddenField, PostForm, SubmitButton } from '../../html/form.tsx'
import { TextField, Username } from '../../html/fields.tsx'
import { PasskeyButton, passkeyIn, stepUpFields } from '../html/passkey.tsx'
import type { FormProblem } from '../../html/forms/problem.ts'
import type { PageContent } from '../../html/page-content.ts'
import { problemOf } from '../../html/forms/problem.ts'
import { Visit } from '../visit.ts'
import { formTokenField } from '../../html/forms/form-token.ts'

const passwordField = 'step_up_password'
const codeField = 'step_up_code'
const own: readonly string[] = [
  ...[passwordField, codeField, formTokenField],
  ...Object.values(stepUpFields),
]

/** The visit to continue with, or the page that asks again. */
export async function stepUpReply(
  visit: Visit,
  authenticator: Pick<AccessAuthenticator, 'again'>,
): Promise<{ readonly visit: Visit } | { readonly shown: PageContent }> {
  const { form, facts } = visit
  if (!form.has(passwordField)) return { visit }
  const password = form.exact(passwordField)
  const code = form.given(codeField)
  try {
    const passkey = passkeyIn(form, stepUpFields)
    const body = passkey ?? { password, ...defined({ code }) }
    await visit.do(`POST /v1/sign-in/step-up${passkey ? '/passkeys' : ''}`, { body })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error
    return { shown: passwordPage(visit, problemOf(error)) }
  }
  return { visit: new Visit({ ...facts, caller: authenticator.again(facts.caller) }, visit.deps) }
}

export function passwordPage(visit: Visit, problem?: FormProblem): PageContent {
  const { request } = visit.facts
  const kept = visit.form.entries().filter(([name]) => !own.includes(name))
  const withPasskey = visit.person.passkeys.length > 0 && visit.hasPasskeys
  return {
    title: withPasskey ? 'Confirm that it is you' : 'Enter your password to continue',
    lead: 'This action affects access, so we ask you to confirm your identity. You will not be asked again for ten minutes.',
    status: problem ? problem.error.status : 403,
    body: (
      <PostForm visit={visit} action={request.path} class="narrow">
        <ErrorSummary problem={problem} />
        {kept.map(([name, value]) => hiddenField(name, value))}
        {withPasskey ? (
          <PasskeyButton of="step_up" token={visit.facts.formToken} fields={stepUpFields}>
            Use a passkey
          </PasskeyButton>
        ) : (
          ''
        )}
        <Username of={visit.person} />
        <TextField
          name={passwordField}
          label="Password"
          type="password"
          autocomplete="current-password"
        />
        {visit.person.hasTotp ? (
          <TextField
            name={codeField}
            label="Code from your authenticator app"
            autocomplete="one-time-code"
            inputmode="numeric"
            width="short"
          />
        ) : (
          ''
        )}
        <div class="buttons">
          <SubmitButton>Continue</SubmitButton>
          <a href={request.path.replace(/\/[^/]*$/, '')}>Cancel</a>
        </div>
      </PostForm>
    ),
  }
}
