/** Stores a login with a site. */
import { ChoiceField, TextField } from '../../../html/fields.tsx'
import { ErrorSummary, PostForm, SubmitButton } from '../../../html/form.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { ConsoleRedirect } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { valueFields, ValueFields, valuesIn } from './value-fields.tsx'

const fields = [
  { name: 'origin', label: 'Address of the site' },
  { name: 'name', label: 'Name' },
  ...valueFields,
]

export async function createLogin(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const { form } = visit
  const name = form.given('name')
  await visit.do('POST /v1/logins', {
    body: {
      origin: form.text('origin'),
      ...(name !== undefined && { name }),
      ...(form.has('subdomains') && { subdomains: true }),
      ...valuesIn(visit),
    },
    once: form.text('once'),
  })
  return { to: visit.at('/logins'), notice: 'login-created' }
}

export function newLoginPage(visit: ConsoleVisit, problem?: FormProblem): PageContent {
  const { form } = visit
  return {
    title: 'New login',
    lead: 'Its values are encrypted, are never shown again, and are filled in on pages of this site only.',
    up: { href: visit.at('/logins'), label: 'Logins' },
    body: (
      <>
        <ErrorSummary problem={problem} fields={fields} />
        <PostForm visit={visit} action={visit.at('/logins/new')} isOnce class="key-form">
          <TextField
            name="origin"
            label="Address of the site"
            hint="Where it asks for the login, such as https://shop.example"
            type="url"
            problem={problem}
            value={form.given('origin')}
            autocomplete="off"
          />
          <ChoiceField
            name="subdomains"
            label="Other names of the site"
            kind="checkbox"
            problem={problem}
            chosen={form.has('subdomains') ? ['yes'] : []}
            choices={[
              {
                value: 'yes',
                label: 'Fill it in on every name below this one, too',
                hint: 'Only if all of them belong to the site: login.shop.example for shop.example.',
              },
            ]}
          />
          <TextField
            name="name"
            label="Name"
            hint="By which commands and tasks name it. If empty, the host of the address."
            problem={problem}
            value={form.given('name')}
            autocomplete="off"
            isOptional
          />
          <ValueFields problem={problem} />
          <div class="buttons ends">
            <SubmitButton>Store login</SubmitButton>
          </div>
        </PostForm>
      </>
    ),
  }
}
