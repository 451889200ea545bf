/** The passkeys of the signed-in person: listing, adding, removing. */
import type { PasskeyView } from '../../../../proto/access/people/passkey.ts'
import { TextField } from '../../../html/fields.tsx'
import { ErrorSummary, PostForm, SubmitButton } from '../../../html/form.tsx'
import { PageSection, TimeText } from '../../../html/parts.tsx'
import { NewPasskeyFields, passkeyIn } from '../../html/passkey.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { offerAnswer } from '../../session/passkey-options.ts'
import type { Visit } from '../../visit.ts'

/** Adding one needs scripts, so without them the section is hidden from people who have none. */
export const PasskeySection = ({ visit }: { visit: Visit }) => {
  const { passkeys } = visit.person
  if (passkeys.length === 0 && !visit.hasPasskeys) return <></>
  return (
    <div hidden={passkeys.length === 0} data-needs-passkeys>
      <PageSection title="Passkeys">
        <p>Sign in with your device’s fingerprint, face or PIN instead of a password.</p>
        {passkeys.length === 0 ? (
          ''
        ) : (
          <DataTable
            caption="Each replaces your password and code"
            columns={columnsOf(visit)}
            rows={passkeys}
          />
        )}
        {visit.hasPasskeys ? (
          <div hidden data-needs-passkeys>
            <PostForm visit={visit} action={visit.at('/profile/passkeys/new')}>
              <SubmitButton kind="plain">Add a passkey</SubmitButton>
            </PostForm>
          </div>
        ) : (
          ''
        )}
      </PageSection>
    </div>
  )
}

const columnsOf = (visit: Visit): readonly TableColumn<PasskeyView>[] => [
  { label: 'Name', isHead: true, cell: ({ name }) => name },
  { label: 'Added', cell: ({ createdAtMs }) => <TimeText ms={createdAtMs} zone={visit.zone} /> },
  {
    label: 'Last used',
    cell: ({ lastUsedAtMs: ms }) =>
      ms === undefined ? 'Not yet' : <TimeText ms={ms} zone={visit.zone} />,
  },
  {
    label: 'Actions',
    cell: ({ id, name }) => (
      <PostForm visit={visit} action={visit.at(`/profile/passkeys/${id}/remove`)}>
        <button type="submit" class="button danger" aria-label={`Remove ${name}`}>
          Remove
        </button>
      </PostForm>
    ),
  },
]

/** The options route requires a step-up, so this page does too. */
export async function startPasskey(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const { acts } = visit.deps
  const { data } = await acts.run(visit.facts, 'POST /v1/me/passkeys/options', {}, offerAnswer)
  return {
    title: 'Add a passkey',
    up: { href: visit.at('/profile'), label: 'Profile' },
    body: (
      <PostForm visit={visit} action={visit.at('/profile/passkeys')} class="narrow">
        <ErrorSummary problem={problem} fields={[{ name: 'name', label: 'Name' }]} />
        <TextField
          {...{ name: 'name', label: 'Name', problem, autocomplete: 'off' }}
          hint="Helps you recognise it, for example “Phone” or “Laptop at work”."
          value={visit.form.text('name')}
        />
        <NewPasskeyFields {...data} />
        <div class="buttons">
          <SubmitButton>Create the passkey</SubmitButton>
          <a href={visit.at('/profile')}>Cancel</a>
        </div>
      </PostForm>
    ),
  }
}

export async function addPasskey(visit: Visit): Promise<Redirect> {
  const body = { name: visit.form.text('name'), ...passkeyIn(visit.form) }
  await visit.do('POST /v1/me/passkeys', { body })
  return { to: visit.at('/profile'), notice: 'passkey-added' }
}

export async function removePasskey(visit: Visit): Promise<Redirect> {
  await visit.do('DELETE /v1/me/passkeys/{id}', { params: { id: visit.param('id') } })
  return { to: visit.at('/profile'), notice: 'passkey-removed' }
}
