/** Service scopes: what is contracted. One admin writes the terms, another confirms them. */
import {
  scopeActor,
  scopeStatuses,
  type ScopeTerms,
  type ScopeView,
} from '../../../../proto/access/engagement/scope.ts'
import { hasRole } from '../../../../proto/access/author.ts'
import { whyDependent } from '../../../access/people/second-person.ts'
import { onlyRoles } from '../../../routing/auth/access-rule.ts'
import { LongField } from '../../../html/fields.tsx'
import { ClientFilter, clientAsked } from '../../html/client-filter.tsx'
import { FilterForm, StatusFilter } from '../../../html/filters.tsx'
import {
  ErrorSummary,
  Collapsible,
  hiddenField,
  PostForm,
  SubmitButton,
} from '../../../html/form.tsx'
import { PermissionTable } from '../../html/permissions.tsx'
import {
  ButtonLink,
  IdCode,
  EmptyState,
  FactList,
  NoticeBox,
  Pager,
  PageSection,
  TimeText,
} from '../../../html/parts.tsx'
import type { NoticeName } from '../../html/notices.ts'
import type { Redirect, PortalSection as Pages } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Surface, Visit } from '../../visit.ts'
import { clientName, objectNameOf, scopeName } from '../../words/names.ts'
import { toWords } from '../../words/words.ts'
import { pageRows } from '../pager.ts'
import { saveTerms, showTerms } from './scope-form.tsx'
import { ScopeStatusMark, ScopeTable } from './scope-table.tsx'

const here: readonly Surface[] = ['staff']
const verbs = ['submit', 'confirm', 'return', 'retire'] as const
type Verb = (typeof verbs)[number]
const admin = onlyRoles('admin')

export const scopesSection: Pages = {
  group: 'Work',
  nav: [
    {
      ...{ label: 'Service scopes', path: '/scopes', in: here },
      count: (visit) => (hasRole(visit.person, 'admin') ? toConfirm(visit).length : 0),
    },
  ],
  pages: [
    { path: '/scopes', in: here, show: showList },
    { path: '/scopes/new', in: here, who: admin, show: showTerms, submit: saveTerms },
    { path: '/scopes/{id}', in: here, show: showOne },
    { path: '/scopes/{id}/terms', in: here, who: admin, show: showTerms, submit: saveTerms },
    ...verbs.map((verb) => ({
      ...{ path: `/scopes/{id}/${verb}`, in: here },
      ...{ submit: decide(verb), again: showOne },
    })),
  ],
}

const isProposed = ({ digest, status }: ScopeView) => digest !== null && status !== 'retired'

/** Why this admin may not confirm the proposal; undefined if they may. */
function whyNotConfirm(visit: Visit, { proposedBy = [] }: ScopeView): string | undefined {
  if (visit.deps.singleOperator) return undefined
  if (proposedBy.includes(visit.person.id)) {
    return 'You wrote or proposed it, so someone else must check it.'
  }
  return visit.isIndependentOf(proposedBy) ? undefined : whyDependent
}

/** Proposals of other admins that this person may confirm. */
const toConfirm = (visit: Visit): readonly ScopeView[] =>
  visit.list('scope').filter((scope) => isProposed(scope) && !whyNotConfirm(visit, scope))

function showList(visit: Visit): PageContent {
  const status = visit.asked('status')
  const client = clientAsked(visit)
  const all = visit.list('scope', client)
  const { rows, links } = pageRows(
    visit,
    all.filter((one) => !status || one.status === status),
  )
  return {
    title: 'Service scopes',
    lead: 'What the contract with each client covers. Access never exceeds the terms currently in force.',
    actions: visit.may('POST /v1/service-scopes') ? (
      <ButtonLink href={visit.at('/scopes/new')} kind="main">
        Add a service scope
      </ButtonLink>
    ) : undefined,
    body: (
      <>
        <FilterForm
          path={visit.at('/scopes')}
          isFiltered={status !== undefined || client !== undefined}
        >
          <ClientFilter visit={visit} />
          <StatusFilter
            choices={scopeStatuses.map((one) => ({ value: one, label: toWords(one) }))}
            value={status}
          />
        </FilterForm>
        {rows.length === 0 ? (
          <EmptyState
            title={
              status ? 'No service scopes have this status.' : 'There are no service scopes yet.'
            }
          >
            <p>One admin adds a service scope, and another admin confirms it.</p>
          </EmptyState>
        ) : (
          <ScopeTable visit={visit} rows={rows} caption="Newest first" />
        )}
        <Pager {...links} />
      </>
    ),
  }
}

async function showOne(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const id = visit.param('id')
  const scope = await visit.deps.governance.get(scopeActor, visit.facts.caller, id)
  const { current, proposal, status } = scope
  const isAdmin = hasRole(visit.person, 'admin')
  return {
    title: current?.name ?? proposal?.name ?? scopeName(visit, id),
    lead: `Service scope of ${clientName(visit, scope.tenant)}.`,
    up: { href: visit.at('/scopes'), label: 'Service scopes' },
    actions: <ScopeStatusMark of={scope} />,
    body: (
      <>
        <ErrorSummary
          problem={problem}
          fields={[{ name: 'reason', id: `reason-${visit.verb}`, label: 'Reason' }]}
        />
        {scope.reason === undefined ? (
          ''
        ) : (
          <NoticeBox
            tone="wait"
            title={status === 'retired' ? 'Retired' : 'The last proposal was returned'}
          >
            <p>{scope.reason}</p>
          </NoticeBox>
        )}
        {current ? <Terms visit={visit} of={current} title="In force" /> : ''}
        {proposal ? (
          <Terms visit={visit} of={proposal} title={scope.digest ? 'Proposed' : 'Draft'} />
        ) : (
          ''
        )}
        <FactList
          of={[
            { term: 'Last changed by', is: objectNameOf(visit, scope.updatedBy) },
            scope.digest !== null && {
              term: 'Digest of the proposal',
              is: <IdCode>{scope.digest}</IdCode>,
            },
            ...scope.confirmations.slice(-3).map(({ by, atMs }) => ({
              term: 'Confirmed',
              is: (
                <>
                  <TimeText ms={atMs} zone={visit.zone} />, by {objectNameOf(visit, by.id)}
                </>
              ),
            })),
            { term: 'ID', is: <IdCode>{scope.id}</IdCode> },
          ]}
        />
        {isAdmin && status !== 'retired' ? (
          <Acts visit={visit} scope={scope} problem={problem} />
        ) : (
          ''
        )}
      </>
    ),
  }
}

const Terms = ({ visit, of, title }: { visit: Visit; of: ScopeTerms; title: string }) => (
  <PageSection title={title}>
    <FactList
      of={[
        { term: 'Name', is: of.name },
        of.summary !== '' && { term: 'Summary', is: of.summary },
        of.engagementRef !== '' && { term: 'Engagement', is: of.engagementRef },
        { term: 'Paths', is: of.paths.map(toWords).join(', ') },
        { term: 'From', is: <TimeText ms={of.effectiveFromMs} zone={visit.zone} /> },
        { term: 'Until', is: <TimeText ms={of.effectiveToMs} zone={visit.zone} /> },
      ]}
    />
    <PermissionTable of={of.areas} caption="The most that can be granted" />
  </PageSection>
)

const Acts = ({
  visit,
  scope,
  problem,
}: {
  visit: Visit
  scope: ScopeView
  problem: FormProblem | undefined
}) => {
  const { id, status, digest, current, version } = scope
  const whyNot = isProposed(scope) ? whyNotConfirm(visit, scope) : undefined
  const plain = (verb: Verb, label: string) => (
    <PostForm visit={visit} action={visit.at(`/scopes/${id}/${verb}`)} seen={version}>
      {digest === null ? '' : hiddenField('digest', digest)}
      <SubmitButton>{label}</SubmitButton>
    </PostForm>
  )
  return (
    <PageSection title="Actions">
      {whyNot === undefined ? (
        ''
      ) : (
        <NoticeBox tone="info" title="Another admin must confirm this">
          <p>{whyNot}</p>
        </NoticeBox>
      )}
      <div class="buttons">
        {status === 'draft' ? plain('submit', 'Propose to another admin') : ''}
        {isProposed(scope) && whyNot === undefined ? plain('confirm', 'Confirm this proposal') : ''}
        {isProposed(scope) && status === 'proposed' ? (
          ''
        ) : (
          <ButtonLink href={visit.at(`/scopes/${id}/terms`)}>Edit the terms</ButtonLink>
        )}
      </div>
      {isProposed(scope) ? (
        <Reasoned visit={visit} scope={scope} verb="return" label="Return it" problem={problem}>
          The proposal is returned to its author.
        </Reasoned>
      ) : (
        ''
      )}
      {current ? (
        <Reasoned visit={visit} scope={scope} verb="retire" label="Retire" problem={problem}>
          All access within this scope ends immediately.
        </Reasoned>
      ) : (
        ''
      )}
    </PageSection>
  )
}

const Reasoned = ({
  visit,
  scope,
  verb,
  label,
  problem,
  children,
}: {
  visit: Visit
  scope: ScopeView
  verb: Verb
  label: string
  problem: FormProblem | undefined
  children?: string
}) => {
  const own = visit.verb === verb ? problem : undefined
  return (
    <Collapsible label={label} isOpen={own !== undefined}>
      <PostForm
        visit={visit}
        action={visit.at(`/scopes/${scope.id}/${verb}`)}
        seen={scope.version}
        class="narrow"
      >
        <p>{children}</p>
        <LongField
          {...{ name: 'reason', label: 'Reason', rows: 2, problem: own, id: `reason-${verb}` }}
          hint="At least 10 characters. Kept in the audit."
          value={own ? visit.form.text('reason') : ''}
        />
        <SubmitButton kind={verb === 'retire' ? 'danger' : 'main'}>{label}</SubmitButton>
      </PostForm>
    </Collapsible>
  )
}

const toldOf: Readonly<Record<Verb, NoticeName>> = {
  submit: 'proposed',
  confirm: 'confirmed',
  return: 'sent-back',
  retire: 'retired',
}

function bodyOf(verb: Verb, { form }: Visit): { readonly body?: object } {
  if (verb === 'submit') return {}
  return {
    body: verb === 'confirm' ? { digest: form.text('digest') } : { reason: form.text('reason') },
  }
}

function decide(verb: Verb) {
  return async (visit: Visit): Promise<Redirect> => {
    const id = visit.param('id')
    const act = { params: { id }, seen: visit.form.text('seen'), ...bodyOf(verb, visit) }
    await visit.do(`POST /v1/service-scopes/{id}/${verb}`, act)
    return { to: visit.at(`/scopes/${id}`), notice: toldOf[verb] }
  }
}
