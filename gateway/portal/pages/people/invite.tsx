/**
 * Inviting a person: the invitation is shown once, as a link whose secret does not appear in logs.
 */
import { defined } from '../../../../proto/defined.ts'
import { z } from 'zod'
import { SelectField, TextField } from '../../../html/fields.tsx'
import { ErrorSummary, PostForm, SubmitButton } from '../../../html/form.tsx'
import { IdCode, FactList, NoticeBox } from '../../../html/parts.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { personKindFacts, type PersonKind } from './kind.ts'
import { RolesField } from './roles.tsx'

const fields = [
  { name: 'client_id', label: 'Client' },
  { name: 'name', label: 'Name' },
  { name: 'email', label: 'E-mail address' },
  { name: 'roles', label: 'Roles' },
]

export const showInvite =
  (kind: PersonKind) =>
  (visit: Visit, problem?: FormProblem): PageContent => {
    const { form } = visit
    const { path, title } = personKindFacts(kind)
    const clients = visit.list('client').filter(({ status }) => status !== 'closed')
    return {
      title: 'Invite a person',
      lead: 'You get a link to send them, with which they set their password. The link is valid for three days.',
      up: { href: visit.at(path), label: title },
      body: (
        <PostForm visit={visit} action={visit.at(`${path}/new`)} isOnce class="narrow">
          <ErrorSummary problem={problem} fields={fields} />
          {kind === 'member' && visit.isStaff ? (
            <SelectField
              {...{ name: 'client_id', label: 'Client', problem }}
              value={form.given('client_id') ?? visit.asked('client')}
              choices={clients.map(({ id, name }) => ({ value: id, label: name }))}
            />
          ) : (
            ''
          )}
          <TextField
            {...{ name: 'name', label: 'Name', problem, autocomplete: 'off' }}
            value={form.text('name')}
          />
          <TextField
            {...{ name: 'email', label: 'E-mail address', type: 'email', problem }}
            value={form.text('email')}
            autocomplete="off"
          />
          <RolesField
            {...{ kind, problem }}
            chosen={form.has('name') ? form.all('roles') : kind === 'member' ? ['member'] : []}
          />
          <SubmitButton>Create invitation</SubmitButton>
        </PostForm>
      ),
    }
  }

const invited = z.object({
  data: z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    invitation: z.string(),
    awaiting: z.object({ roles: z.array(z.string()) }).optional(),
  }),
})
type Invited = z.output<typeof invited>['data']

export const invitePerson =
  (kind: PersonKind) =>
  async (visit: Visit): Promise<PageContent> => {
    const { form, deps, facts } = visit
    const client = form.given('client_id')
    const body = {
      name: form.text('name'),
      email: form.text('email'),
      roles: form.all('roles'),
      ...defined({ client_id: client }),
    }
    const act = { body, once: form.text('once') }
    const { data } = await deps.acts.run(facts, `POST ${personKindFacts(kind).route}`, act, invited)
    return invitationPage(visit, kind, data)
  }

export const reinvitePerson =
  (kind: PersonKind) =>
  async (visit: Visit): Promise<PageContent> => {
    const { form, deps, facts } = visit
    const act = {
      ...{ params: { id: visit.param('id') }, seen: form.text('seen') },
      once: form.text('once'),
    }
    const name = `POST ${personKindFacts(kind).route}/{id}/reinvite`
    const { data } = await deps.acts.run(facts, name, act, invited)
    return invitationPage(visit, kind, data)
  }

function invitationPage(
  visit: Visit,
  kind: PersonKind,
  { id, name, email, invitation, awaiting }: Invited,
): PageContent {
  const { path, title } = personKindFacts(kind)
  const address = `${visit.deps.addressFor(visit.facts.request)}/portal/invitation#${invitation}`
  return {
    title: `Invitation for ${name}`,
    up: { href: visit.at(path), label: title },
    body: (
      <>
        <NoticeBox tone="wait" title="This link is shown only once">
          <p>Send this link to {email} over a channel that only they can read. It works once.</p>
          <p class="secret">
            <IdCode>{address}</IdCode>
          </p>
        </NoticeBox>
        {awaiting ? (
          <p>
            Some of their roles take effect when a second person confirms them, on the page of{' '}
            {name}.
          </p>
        ) : (
          ''
        )}
        <FactList of={[{ term: 'Person', is: <a href={visit.at(`${path}/${id}`)}>{name}</a> }]} />
      </>
    ),
  }
}
