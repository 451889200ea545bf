/** A new endpoint: first the grant, which determines the event types, then URL and settings. */
import { dataJson } from '../../../../routing/schemas/access-json.ts'
import type { GrantView } from '../../../../../proto/access/grants/grant.ts'
import { isHolder } from '../../../../access/gate/holder.ts'
import { unknownEntity } from '../../../../access/governance/governance.ts'
import { madeEndpointJson } from '../../../../webhooks/json.ts'
import { ChoiceField, SelectField } from '../../../../html/fields.tsx'
import { ErrorSummary, hiddenField, PostForm, SubmitButton } from '../../../../html/form.tsx'
import { ButtonLink, EmptyState, FactList } from '../../../../html/parts.tsx'
import { permissionsWord } from '../../../html/permissions.tsx'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { clientName } from '../../../words/names.ts'
import { grantLabel } from '../lookup.ts'
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
    lead: 'Where Troupe sends a signed message when something happens.',
    up: { href: visit.at('/webhooks'), label: 'Webhooks' },
    body,
  }
}

const NoGrant = ({ visit }: { visit: Visit }) => (
  <EmptyState title="You hold no grant for webhooks.">
    <p>
      An endpoint is told what a grant for webhooks includes, for as long as the grant lasts. Ask
      for one, and choose Webhooks as the way it is used. A grant of a program is for an owner of
      the client or a staff operator to use.
    </p>
    <p>
      <ButtonLink href={visit.at('/ask')} kind="main">
        Ask for access
      </ButtonLink>
    </p>
  </EmptyState>
)

const ChooseGrant = ({ visit, grants }: { visit: Visit; grants: readonly GrantView[] }) => (
  <form method="get" action={visit.at('/webhooks/new')} class="narrow">
    <SelectField
      name="grant"
      label="Grant"
      hint="It says what the endpoint may be told of, and ends it when it ends."
      value={grants[0]?.id}
      choices={grants.map((grant) => ({ value: grant.id, label: choiceLabel(visit, grant) }))}
    />
    <SubmitButton>Go on</SubmitButton>
  </form>
)

const choiceLabel = (visit: Visit, grant: GrantView): string =>
  `${visit.isStaff ? `${clientName(visit, grant.tenant)}: ` : ''}${grantLabel(visit, grant)} (${permissionsWord(grant.permissions)})`

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
            is: <a href={visit.at(`/access/${grant.id}`)}>{grantLabel(visit, grant)}</a>,
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
            label: 'With a shared secret (HMAC)',
            hint: 'What every library of Standard Webhooks verifies. The secret is shown once.',
          },
          {
            value: 'ed25519',
            label: 'With a key pair (Ed25519)',
            hint: 'You get the public key, and there is nothing to keep secret.',
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

const signatureField = { name: 'signature', label: 'How it is signed' } as const

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
