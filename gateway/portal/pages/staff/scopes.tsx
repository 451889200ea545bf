/** Service scopes: what is contracted. One admin writes the terms, another confirms them. */
import {
  scopeActor,
  scopeStatuses,
  type ScopeTerms,
  type ScopeView,
} from '../../../../proto/access/scope.ts'
import { hasRole } from '../../../../proto/access/author.ts'
import { only } from '../../../access/rule.ts'
import { LongField } from '../../html/fields.tsx'
import { Filters, StatusFilter } from '../../html/filters.tsx'
import { ErrorSummary, Folded, hidden, PostForm, Submit } from '../../html/form.tsx'
import { Permissions } from '../../html/permissions.tsx'
import { ButtonLink, Code, Empty, Facts, Notice, Pager, Section, Time } from '../../html/parts.tsx'
import type { Told } from '../../html/told.ts'
import type { Elsewhere, Problem, Section as Pages, Shown } from '../../page.ts'
import type { Surface, Visit } from '../../visit.ts'
import { clientName, nameOf, scopeName } from '../../words/names.ts'
import { words } from '../../words/words.ts'
import { paged } from '../pager.ts'
import { saveTerms, showTerms } from './scope-form.tsx'
import { ScopeStatus, ScopeTable } from './scope-table.tsx'

const here: readonly Surface[] = ['staff']
const verbs = ['submit', 'confirm', 'return', 'retire'] as const
type Verb = (typeof verbs)[number]
const admin = only('admin')

export const scopes: Pages = {
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

/** Proposals of other admins that this person may confirm. */
const toConfirm = (visit: Visit): readonly ScopeView[] =>
  visit.list('scope').filter((scope) => isProposed(scope) && scope.updatedBy !== visit.person.id)

function showList(visit: Visit): Shown {
  const status = visit.asked('status')
  const all = visit.list('scope', visit.asked('client'))
  const { rows, links } = paged(
    visit,
    all.filter((one) => !status || one.status === status),
  )
  return {
    title: 'Service scopes',
    lead: 'What is contracted for each client. No access reaches beyond it, as it stands now.',
    actions: visit.may('POST /v1/service-scopes') ? (
      <ButtonLink href={visit.at('/scopes/new')} kind="main">
        Write a service scope
      </ButtonLink>
    ) : undefined,
    body: (
      <>
        <Filters path={visit.at('/scopes')} isFiltered={status !== undefined}>
          <StatusFilter
            choices={scopeStatuses.map((one) => ({ value: one, label: words(one) }))}
            value={status}
          />
        </Filters>
        {rows.length === 0 ? (
          <Empty title={status ? 'No scope has this status.' : 'Nothing is contracted yet.'}>
            <p>An admin writes a service scope, and another admin confirms it.</p>
          </Empty>
        ) : (
          <ScopeTable visit={visit} rows={rows} caption="Newest first" />
        )}
        <Pager {...links} />
      </>
    ),
  }
}

async function showOne(visit: Visit, problem?: Problem): Promise<Shown> {
  const id = visit.param('id')
  const scope = await visit.deps.governance.get(scopeActor, visit.facts.caller, id)
  const { current, proposal, status } = scope
  const isAdmin = hasRole(visit.person, 'admin')
  return {
    title: current?.name ?? proposal?.name ?? scopeName(visit, id),
    lead: `What is contracted for ${clientName(visit, scope.tenant)}.`,
    up: { href: visit.at('/scopes'), label: 'Service scopes' },
    actions: <ScopeStatus of={scope} />,
    body: (
      <>
        <ErrorSummary
          problem={problem}
          fields={[{ name: 'reason', id: `reason-${visit.verb}`, label: 'Reason' }]}
        />
        {scope.reason === undefined ? (
          ''
        ) : (
          <Notice
            tone="wait"
            title={status === 'retired' ? 'Retired' : 'The last proposal went back'}
          >
            <p>{scope.reason}</p>
          </Notice>
        )}
        {current ? <Terms visit={visit} of={current} title="In force" /> : ''}
        {proposal ? (
          <Terms visit={visit} of={proposal} title={scope.digest ? 'Proposed' : 'Draft'} />
        ) : (
          ''
        )}
        <Facts
          of={[
            { term: 'Last changed by', is: nameOf(visit, scope.updatedBy) },
            scope.digest !== null && {
              term: 'Digest of the proposal',
              is: <Code>{scope.digest}</Code>,
            },
            ...scope.confirmations.slice(-3).map(({ by, atMs }) => ({
              term: 'Confirmed',
              is: (
                <>
                  <Time ms={atMs} zone={visit.zone} />, by {nameOf(visit, by.id)}
                </>
              ),
            })),
            { term: 'ID', is: <Code>{scope.id}</Code> },
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
  <Section title={title}>
    <Facts
      of={[
        { term: 'Name', is: of.name },
        of.summary !== '' && { term: 'Summary', is: of.summary },
        of.engagementRef !== '' && { term: 'Engagement', is: of.engagementRef },
        { term: 'Paths', is: of.paths.map(words).join(', ') },
        { term: 'From', is: <Time ms={of.effectiveFromMs} zone={visit.zone} /> },
        { term: 'Until', is: <Time ms={of.effectiveToMs} zone={visit.zone} /> },
      ]}
    />
    <Permissions of={of.areas} caption="The most that can be given" />
  </Section>
)

const Acts = ({
  visit,
  scope,
  problem,
}: {
  visit: Visit
  scope: ScopeView
  problem: Problem | undefined
}) => {
  const { id, status, digest, current, version } = scope
  const isOwn = scope.updatedBy === visit.person.id && !visit.deps.singleOperator
  const plain = (verb: Verb, label: string) => (
    <PostForm visit={visit} action={visit.at(`/scopes/${id}/${verb}`)} seen={version}>
      {digest === null ? '' : hidden('digest', digest)}
      <Submit>{label}</Submit>
    </PostForm>
  )
  return (
    <Section title="Decide">
      {isProposed(scope) && isOwn ? (
        <Notice tone="info" title="Another admin confirms this">
          <p>You wrote or proposed it, so somebody else has to read it.</p>
        </Notice>
      ) : (
        ''
      )}
      <div class="buttons">
        {status === 'draft' ? plain('submit', 'Propose it to another admin') : ''}
        {isProposed(scope) && !isOwn ? plain('confirm', 'Confirm exactly this proposal') : ''}
        {isProposed(scope) && status === 'proposed' ? (
          ''
        ) : (
          <ButtonLink href={visit.at(`/scopes/${id}/terms`)}>Change the terms</ButtonLink>
        )}
      </div>
      {isProposed(scope) ? (
        <Reasoned visit={visit} scope={scope} verb="return" label="Send it back" problem={problem}>
          The proposal goes back to its author.
        </Reasoned>
      ) : (
        ''
      )}
      {current ? (
        <Reasoned visit={visit} scope={scope} verb="retire" label="Retire" problem={problem}>
          Every access within it ends at once.
        </Reasoned>
      ) : (
        ''
      )}
    </Section>
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
  problem: Problem | undefined
  children?: string
}) => {
  const own = visit.verb === verb ? problem : undefined
  return (
    <Folded label={label} isOpen={own !== undefined}>
      <PostForm
        visit={visit}
        action={visit.at(`/scopes/${scope.id}/${verb}`)}
        seen={scope.version}
        class="narrow"
      >
        <p>{children}</p>
        <LongField
          {...{ name: 'reason', label: 'Reason', rows: 2, problem: own, id: `reason-${verb}` }}
          hint="At least 10 characters. It is kept in the audit."
          value={own ? visit.form.text('reason') : ''}
        />
        <Submit kind={verb === 'retire' ? 'danger' : 'main'}>{label}</Submit>
      </PostForm>
    </Folded>
  )
}

const toldOf: Readonly<Record<Verb, Told>> = {
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
  return async (visit: Visit): Promise<Elsewhere> => {
    const id = visit.param('id')
    const act = { params: { id }, seen: visit.form.text('seen'), ...bodyOf(verb, visit) }
    await visit.do(`POST /v1/service-scopes/{id}/${verb}`, act)
    return { to: visit.at(`/scopes/${id}`), told: toldOf[verb] }
  }
}
