/** A new endpoint: first the grant, which determines the event types, then URL and settings. */
import { dataJson } from '../../../../routing/schemas/access-json.ts'
import type { GrantView } from '../../../../../proto/access/grants/grant.ts'
import { isHolder } from '../../../../access/gate/holder.ts'
import { unknownEntity } from '../../../../access/governance/governance.ts'
import { madeEndpointJson } from '../../../../webhooks/json.ts'
import { ChoiceField, SelectField } from '../../../../html/fields.tsx'
import { ErrorSummary, hiddenField, PostForm, SubmitButton } from '../../../../html/form.tsx'
import { ButtonLink, EmptyState, FactList } from '../../../../html/parts.tsx'
import { accessTitle } from '../../../html/access-title.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { clientName, needTitle } from '../../../words/names.ts'
import { secretPage } from './secrets.tsx'
import { noSettings, settingFields, SettingFields, settingsBody, settingsIn } from './settings.tsx'

/** Active webhook grants that this person holds. */
const grantsFor = (visit: Visit): readonly GrantView[] =>
  visit
    .list('grant')
    .filter(({ path, status }) => path === 'webhooks' && ['active', 'scheduled'].includes(status))
    .filter((grant) => isHolder(grant, visit.person))

export function showNewEndpoint(visit: Visit, problem?: FormProblem): PageContent {
  const grants = grantsFor(visit)
  const named = visit.form.given('grant_id') ?? visit.asked('grant')
  const chosen = named === undefined && grants.length === 1 ? grants[0] : undefined
  const grant = chosen ?? grants.find(({ id }) => id === named)
  if (named !== undefined && !grant) throw unknownEntity('grant')
  const body = grant ? (
    <NewEndpoint visit={visit} grant={grant} problem={problem} />
  ) : grants.length === 0 ? (
    <NoGrant visit={visit} />
  ) : (
    <ChooseGrant visit={visit} grants={grants} />
  )
  return {
    title: 'Add an endpoint',
    lead: 'A URL to which Troupe sends a signed message when something happens.',
    up: { href: visit.at('/webhooks'), label: 'Webhooks' },
    body,
  }
}

const NoGrant = ({ visit }: { visit: Visit }) => (
  <EmptyState title="You have no grant for webhooks.">
    <p>
      An endpoint receives the events that a webhook grant includes, as long as the grant lasts.
      Request access, and choose webhooks as the way it is used. For a program’s grant, an owner of
      the client or a staff operator adds the endpoint.
    </p>
    <p>
      <ButtonLink href={visit.at('/ask')} kind="main">
        Request access
      </ButtonLink>
    </p>
  </EmptyState>
)

const ChooseGrant = ({ visit, grants }: { visit: Visit; grants: readonly GrantView[] }) => (
  <form method="get" action={visit.at('/webhooks/new')} class="narrow">
    <SelectField
      name="grant"
      label="Grant"
      hint="Determines which events the endpoint can receive. The endpoint ends with the grant."
      value={grants[0]?.id}
      choices={grants.map((grant) => ({ value: grant.id, label: choiceLabel(visit, grant) }))}
    />
    <SubmitButton>Continue</SubmitButton>
  </form>
)

const choiceLabel = (visit: Visit, grant: GrantView): string =>
  `${visit.isStaff ? `${clientName(visit, grant.tenant)}, ` : ''}${accessTitle(visit, grant)} (${needTitle(visit, grant.needId)})`

const NewEndpoint = ({
  visit,
  grant,
  problem,
}: {
  visit: Visit
  grant: GrantView
  problem: FormProblem | undefined
}) => {
  const { form } = visit
  const isSent = form.has('url')
  return (
    <PostForm visit={visit} action={visit.at('/webhooks/new')} isOnce class="narrow">
      <ErrorSummary problem={problem} fields={[...settingFields, signatureField]} />
      {hiddenField('grant_id', grant.id)}
      <FactList
        of={[
          visit.isStaff && { term: 'Client', is: clientName(visit, grant.tenant) },
          {
            term: 'Grant',
            is: <a href={visit.at(`/access/${grant.id}`)}>{accessTitle(visit, grant)}</a>,
          },
        ]}
      />
      <SettingFields
        permissions={grant.permissions}
        settings={isSent ? settingsIn(form) : noSettings}
        problem={problem}
      />
      <ChoiceField
        {...{ ...signatureField, kind: 'radio', problem }}
        chosen={[form.given('signature') ?? 'hmac']}
        choices={[
          {
            value: 'hmac',
            label: 'Shared secret (HMAC)',
            hint: 'Supported by every Standard Webhooks library. The secret is shown only once.',
          },
          {
            value: 'ed25519',
            label: 'Key pair (Ed25519)',
            hint: 'You verify with the public key, so there is nothing to keep secret.',
          },
        ]}
      />
      <div class="buttons">
        <SubmitButton>Add the endpoint</SubmitButton>
        <a href={visit.at('/webhooks')}>Cancel</a>
      </div>
    </PostForm>
  )
}

const signatureField = { name: 'signature', label: 'Signature' } as const

export async function makeEndpoint(visit: Visit): Promise<PageContent> {
  const { form, deps, facts } = visit
  const body = {
    ...settingsBody(settingsIn(form)),
    ...{ grant_id: form.text('grant_id'), signature: form.text('signature') },
  }
  const act = { body, once: form.text('once') }
  const route = 'POST /v1/webhook-endpoints'
  const { data } = await deps.acts.run(facts, route, act, dataJson(madeEndpointJson))
  return secretPage(visit, data, 'new')
}
