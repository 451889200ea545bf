/** The tokens of a grant: creating, showing once, replacing and revoking them. */
import { z } from 'zod'
import { hasRole } from '../../../../proto/access/author.ts'
import { pathUses } from '../../../../proto/access/engagement/scope.ts'
import type { GrantView, TokenView } from '../../../../proto/access/grants/grant.ts'
import { dayMs } from '../../../../proto/units.ts'
import { isHolder } from '../../../access/gate/holder.ts'
import { ChoiceField, SelectField, TextField } from '../../../html/fields.tsx'
import { Collapsible, hiddenField, PostForm, SubmitButton } from '../../../html/form.tsx'
import {
  IdCode,
  DueDay,
  EmptyState,
  FactList,
  NoticeBox,
  PageSection,
  TimeText,
} from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable } from '../../../html/table.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { dayText, endOfDay } from '../../../html/times.ts'

interface Props {
  readonly visit: Visit
  readonly grant: GrantView
  readonly problem?: FormProblem | undefined
}

const isKeeper = (visit: Visit, grant: GrantView): boolean =>
  grant.subject.id === visit.person.id ||
  hasRole(visit.person, 'admin', 'reviewer', 'operator', 'owner')

const mayMakeTokens = (visit: Visit, grant: GrantView): boolean =>
  pathUses[grant.path].tokens && isHolder(grant, visit.person) && grant.status === 'active'

const stateOf = ({ revokedAtMs, expiresAtMs }: TokenView, nowMs: number): string =>
  revokedAtMs !== undefined ? 'revoked' : expiresAtMs > nowMs ? 'active' : 'expired'

export const GrantTokens = ({ visit, grant, problem }: Props) => {
  const mayMake = mayMakeTokens(visit, grant)
  if (grant.tokens.length === 0 && !mayMake) return <></>
  return (
    <PageSection title="Tokens">
      {grant.tokens.length === 0 ? (
        <EmptyState title="This grant has no tokens.">
          <p>A token lets a program use this grant through the API.</p>
        </EmptyState>
      ) : (
        <TokenTable visit={visit} rows={[...grant.tokens].reverse()} grant={grant} />
      )}
      {mayMake ? <NewToken visit={visit} grant={grant} problem={problem} /> : ''}
    </PageSection>
  )
}

const TokenTable = ({
  visit,
  rows,
  grant,
}: {
  visit: Visit
  rows: readonly TokenView[]
  grant: GrantView
}) => (
  <DataTable
    caption="Newest first. A token is shown only once, when it is created"
    rows={rows}
    columns={[
      { label: 'Name', isHead: true, cell: ({ name }) => name },
      { label: 'Token', cell: ({ hint }) => <IdCode>{hint}</IdCode> },
      { label: 'Permissions', cell: ({ scopes }) => scopes.join(', ') },
      { label: 'Status', cell: (token) => <StatusMark of={stateOf(token, visit.now)} /> },
      {
        label: 'Last used',
        cell: ({ lastUsedAtMs }) =>
          lastUsedAtMs === undefined ? 'Not yet' : <TimeText ms={lastUsedAtMs} zone={visit.zone} />,
      },
      {
        label: 'Ends',
        cell: ({ expiresAtMs }) => <DueDay ms={expiresAtMs} zone={visit.zone} now={visit.now} />,
      },
      {
        label: 'Actions',
        cell: (token) => <TokenActs visit={visit} token={token} grant={grant} />,
      },
    ]}
  />
)

const TokenActs = ({
  visit,
  token,
  grant,
}: {
  visit: Visit
  token: TokenView
  grant: GrantView
}) => {
  const isLive = grant.status === 'active' || grant.status === 'suspended'
  if (!isLive || stateOf(token, visit.now) !== 'active' || !isKeeper(visit, grant)) {
    return <span class="quiet">–</span>
  }
  return (
    <div class="row-acts">
      {mayMakeTokens(visit, grant) ? (
        <PostForm visit={visit} action={visit.at(`/tokens/${token.id}/rotate`)} isOnce>
          {hiddenField('grant', grant.id)}
          <button class="link" type="submit">
            Replace<span class="hidden"> {token.name}</span>
          </button>
        </PostForm>
      ) : (
        ''
      )}
      <PostForm visit={visit} action={visit.at(`/tokens/${token.id}/revoke`)}>
        {hiddenField('grant', grant.id)}
        <button class="link" type="submit">
          Revoke<span class="hidden"> {token.name}</span>
        </button>
      </PostForm>
    </div>
  )
}

const NewToken = ({ visit, grant, problem }: Props) => {
  const scopes = grant.permissions.flatMap(({ area, actions }) =>
    actions.map((action) => `${area}:${action}`),
  )
  const isSent = visit.verb === 'tokens'
  const own = isSent ? problem : undefined
  const latest = Math.min(grant.endsAtMs, visit.now + 90 * dayMs)
  return (
    <Collapsible label="Create a token" isOpen={own !== undefined}>
      <PostForm visit={visit} action={visit.at(`/access/${grant.id}/tokens`)} isOnce class="narrow">
        <TextField
          {...{ name: 'name', label: 'Name', problem: own, width: 'middle' }}
          value={visit.form.text('name')}
        />
        <ChoiceField
          {...{ name: 'scopes', label: 'Permissions', kind: 'checkbox', isInline: true }}
          hint="All or part of what the grant allows."
          problem={own}
          choices={scopes.map((scope) => ({ value: scope, label: scope }))}
          chosen={isSent ? visit.form.all('scopes') : scopes}
        />
        <TextField
          {...{ name: 'expires_at', label: 'Last day', type: 'date', width: 'short', problem: own }}
          hint="At most 90 days from now, and not after the grant ends."
          value={visit.form.given('expires_at') ?? dayText(latest - dayMs, visit.zone)}
          isOptional
        />
        <SubmitButton>Create token</SubmitButton>
      </PostForm>
    </Collapsible>
  )
}

const shownOnce = z.object({
  data: z.object({ id: z.string(), name: z.string(), secret: z.string(), grant_id: z.string() }),
})
type ShownToken = z.output<typeof shownOnce>['data']

export async function makeToken(visit: Visit): Promise<PageContent> {
  const { form } = visit
  const expires = form.given('expires_at')
  const body = {
    name: form.text('name'),
    scopes: form.all('scopes'),
    ...(expires !== undefined && { expires_at: endOfDay(expires, visit.zone) }),
  }
  const act = { params: { id: visit.param('id') }, body, once: form.text('once') }
  const { acts } = visit.deps
  const { data } = await acts.run(visit.facts, 'POST /v1/grants/{id}/tokens', act, shownOnce)
  return secretPage(visit, data)
}

export async function rotateToken(visit: Visit): Promise<PageContent> {
  const { form } = visit
  const hours = form.given('overlap_hours')
  if (hours === undefined) return overlapPage(visit)
  const act = {
    ...{ params: { id: visit.param('id') }, once: form.text('once') },
    body: { overlap_seconds: Number(hours) * 3_600 },
  }
  const { acts } = visit.deps
  const { data } = await acts.run(visit.facts, 'POST /v1/tokens/{id}/rotate', act, shownOnce)
  return secretPage(visit, data)
}

/** Asks how long both tokens shall work before the old one is replaced. */
export function overlapPage(visit: Visit): PageContent {
  const grant = visit.form.text('grant')
  return {
    title: 'Replace a token',
    lead: 'A new token replaces this one. The old token can stay valid for a while, until every program has the new one.',
    up: { href: visit.at(`/access/${grant}`), label: 'Grant' },
    body: (
      <PostForm visit={visit} action={visit.facts.request.path} isOnce class="narrow">
        {hiddenField('grant', grant)}
        <SelectField
          name="overlap_hours"
          label="Keep the old token valid for"
          value="1"
          choices={['0', '1', '8', '24'].map((value) => ({ value, label: hoursWord(value) }))}
        />
        <div class="buttons">
          <SubmitButton>Create the new token</SubmitButton>
          <a href={visit.at(`/access/${grant}`)}>Cancel</a>
        </div>
      </PostForm>
    ),
  }
}

const hoursWord = (hours: string) =>
  hours === '0' ? 'No time (it ends now)' : `${hours} ${hours === '1' ? 'hour' : 'hours'}`

export async function revokeToken(visit: Visit): Promise<Redirect> {
  await visit.do('DELETE /v1/tokens/{id}', { params: { id: visit.param('id') } })
  return { to: visit.at(`/access/${visit.form.text('grant')}`), notice: 'token-revoked' }
}

function secretPage(visit: Visit, { name, secret, grant_id: grant }: ShownToken): PageContent {
  const address = visit.deps.addressFor(visit.facts.request)
  return {
    title: 'Your new token',
    up: { href: visit.at(`/access/${grant}`), label: 'Grant' },
    body: (
      <>
        <NoticeBox tone="wait" title="This token is shown only once">
          <p>Copy it now to where the program keeps its secrets. It cannot be shown again.</p>
          <p class="secret">
            <IdCode>{secret}</IdCode>
          </p>
        </NoticeBox>
        <FactList
          of={[
            { term: 'Name', is: name },
            { term: 'Header', is: <IdCode>{`Authorization: Bearer spat_…`}</IdCode> },
            {
              term: 'Try it',
              is: <IdCode>{`curl ${address}/v1/access -H 'Authorization: Bearer …'`}</IdCode>,
            },
          ]}
        />
      </>
    ),
  }
}
