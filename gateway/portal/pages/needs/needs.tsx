/** Operational needs: the purposes of access, and their ends. */
import { z } from 'zod'
import {
  needActor,
  needCategories,
  needStatuses,
  type NeedView,
} from '../../../../proto/access/engagement/need.ts'
import { dayMs } from '../../../../proto/access/limits.ts'
import { hasRole } from '../../../../proto/access/author.ts'
import { LongField, SelectField, TextField } from '../../html/fields.tsx'
import { FilterForm, StatusFilter } from '../../html/filters.tsx'
import { ErrorSummary, Collapsible, PostForm, SubmitButton } from '../../html/form.tsx'
import {
  ButtonLink,
  IdCode,
  DueDay,
  EmptyState,
  FactList,
  Pager,
  PageSection,
  StatusMark,
  TimeText,
} from '../../html/parts.tsx'
import { DataTable } from '../../html/table.tsx'
import {
  bothSurfaces,
  type Redirect,
  type FormProblem,
  type PortalSection as Pages,
  type PageContent,
} from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { clientName, objectNameOf } from '../../words/names.ts'
import { dayText, endOfDay } from '../../words/times.ts'
import { toWords } from '../../words/words.ts'
import { grantColumns } from '../grants/list.tsx'
import { NeedTable } from './need-table.tsx'
import { pageRows } from '../pager.ts'

export const needsSection: Pages = {
  group: 'Access',
  nav: [{ label: 'Needs', path: '/needs', in: bothSurfaces }],
  pages: [
    { path: '/needs', in: bothSurfaces, show: showList },
    { path: '/needs/new', in: bothSurfaces, show: showNew, submit: openNeed },
    { path: '/needs/{id}', in: bothSurfaces, show: showOne },
    { path: '/needs/{id}/extend', in: bothSurfaces, submit: extend, again: showOne },
    { path: '/needs/{id}/close', in: bothSurfaces, submit: close, again: showOne },
  ],
}

function showList(visit: Visit): PageContent {
  const status = visit.asked('status')
  const all = visit.list('need').filter((one) => !status || one.status === status)
  const { rows, links } = pageRows(visit, all)
  const path = visit.at('/needs')
  const mayOpen = visit.may('POST /v1/needs')
  return {
    title: 'Needs',
    lead: 'All access is for a need. When a need is closed, every access for it ends.',
    actions: mayOpen ? (
      <ButtonLink href={visit.at('/needs/new')} kind="main">
        Open a need
      </ButtonLink>
    ) : undefined,
    body: (
      <>
        <FilterForm path={path} isFiltered={status !== undefined}>
          <StatusFilter
            choices={needStatuses.map((one) => ({ value: one, label: toWords(one) }))}
            value={status}
          />
        </FilterForm>
        {rows.length === 0 ? (
          <EmptyState title={status ? 'No need has this status.' : 'No need was opened yet.'}>
            <p>{mayOpen ? 'Open one, and access can be asked for.' : 'An owner can open one.'}</p>
          </EmptyState>
        ) : (
          <NeedTable visit={visit} needs={rows} caption="Newest first" />
        )}
        <Pager {...links} />
      </>
    ),
  }
}

const newFields = [
  { name: 'client_id', label: 'Client' },
  { name: 'title', label: 'What is to be done?' },
  { name: 'purpose', label: 'Why does that take access?' },
  { name: 'reference', label: 'Reference' },
  { name: 'owner_id', label: 'Who answers for it?' },
  { name: 'expected_end_at', label: 'Last day' },
]

function showNew(visit: Visit, problem?: FormProblem): PageContent {
  const { form } = visit
  const clients = visit.list('client').filter(({ status }) => status !== 'closed')
  const people = visit.list('person').filter(({ status, tenant, kind }) => {
    return status === 'active' && (visit.isStaff ? kind === 'staff' : tenant === visit.client?.id)
  })
  return {
    title: 'Open a need',
    lead: 'Say it so that somebody who reviews a request next month understands it.',
    up: { href: visit.at('/needs'), label: 'Needs' },
    body: (
      <PostForm visit={visit} action={visit.at('/needs/new')} isOnce class="narrow">
        <ErrorSummary problem={problem} fields={newFields} />
        {visit.isStaff ? (
          <SelectField
            {...{ name: 'client_id', label: 'Client', problem }}
            value={form.given('client_id')}
            choices={clients.map(({ id, name }) => ({ value: id, label: name }))}
          />
        ) : (
          ''
        )}
        <TextField
          {...{ name: 'title', label: 'What is to be done?', problem }}
          hint="At least 10 characters."
          value={form.text('title')}
        />
        <LongField
          {...{ name: 'purpose', label: 'Why does that take access?', problem }}
          hint="At least 20 characters."
          value={form.text('purpose')}
        />
        <SelectField
          {...{ name: 'category', label: 'Kind' }}
          value={form.given('category')}
          choices={needCategories.map((one) => ({ value: one, label: toWords(one) }))}
        />
        <SelectField
          {...{ name: 'reference_kind', label: 'It refers to a' }}
          value={form.given('reference_kind')}
          choices={['task', 'project', 'change', 'ticket', 'contract'].map((one) => ({
            value: one,
            label: toWords(one),
          }))}
        />
        <TextField
          {...{ name: 'reference', label: 'Reference', width: 'middle', problem }}
          hint="Its number or address, such as GC-2041."
          value={form.text('reference')}
        />
        <SelectField
          {...{ name: 'owner_id', label: 'Who answers for it?', problem }}
          value={form.given('owner_id') ?? visit.person.id}
          choices={people.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <TextField
          {...{ name: 'expected_end_at', label: 'Last day', type: 'date', problem }}
          width="short"
          value={form.given('expected_end_at') ?? dayText(visit.now + 90 * dayMs, visit.zone)}
        />
        <SubmitButton>Open the need</SubmitButton>
      </PostForm>
    ),
  }
}

const made = z.object({ data: z.object({ id: z.string() }) })

async function openNeed(visit: Visit): Promise<Redirect> {
  const { form, deps, facts, zone } = visit
  const body = {
    client_id: visit.client?.id ?? form.text('client_id'),
    title: form.text('title'),
    purpose: form.text('purpose'),
    category: form.text('category'),
    reference: { kind: form.text('reference_kind'), id: form.text('reference') },
    owner_id: form.text('owner_id'),
    expected_end_at: endOfDay(form.text('expected_end_at'), zone),
  }
  const act = { body, once: form.text('once') }
  const { data } = await deps.acts.run(facts, 'POST /v1/needs', act, made)
  return { to: visit.at(`/needs/${data.id}`), notice: 'opened' }
}

async function showOne(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const id = visit.param('id')
  const need = await visit.deps.governance.get(needActor, visit.facts.caller, id)
  const grants = visit.list('grant').filter(({ needId }) => needId === need.id)
  return {
    title: need.title,
    up: { href: visit.at('/needs'), label: 'Needs' },
    actions: <StatusMark of={need.status} />,
    body: (
      <>
        <ErrorSummary problem={problem} fields={verbFields(visit.verb)} />
        <NeedFacts visit={visit} need={need} />
        <PageSection title="Access for it">
          {grants.length === 0 ? (
            <EmptyState title="No access was given for this need.">
              <p>
                <a
                  href={visit.at(
                    `/ask?need=${need.id}${visit.isStaff ? `&client=${need.tenant}` : ''}`,
                  )}
                >
                  Ask for access for it
                </a>
              </p>
            </EmptyState>
          ) : (
            <DataTable
              caption="Newest first"
              columns={grantColumns(visit).filter(({ label }) => label !== 'Client')}
              rows={grants.slice(0, 25)}
            />
          )}
        </PageSection>
        <Acts visit={visit} need={need} problem={problem} />
      </>
    ),
  }
}

const verbFields = (verb: string) => [
  { name: 'reason', id: `reason-${verb}`, label: 'Reason' },
  { name: 'expected_end_at', label: 'New last day' },
]

const NeedFacts = ({ visit, need }: { visit: Visit; need: NeedView }) => (
  <FactList
    of={[
      visit.isStaff && { term: 'Client', is: clientName(visit, need.tenant) },
      { term: 'Purpose', is: need.purpose },
      { term: 'Kind', is: toWords(need.category) },
      { term: 'Refers to', is: `${toWords(need.reference.kind)} ${need.reference.id}` },
      { term: 'Answers for it', is: objectNameOf(visit, need.ownerId) },
      { term: 'Opened', is: <TimeText ms={need.createdAtMs} zone={visit.zone} /> },
      {
        term: 'Expected end',
        is: <DueDay ms={need.expectedEndAtMs} zone={visit.zone} now={visit.now} />,
      },
      need.closedAtMs !== undefined && {
        term: 'Closed',
        is: (
          <>
            <TimeText ms={need.closedAtMs} zone={visit.zone} />: {need.closedReason ?? ''}
          </>
        ),
      },
      { term: 'ID', is: <IdCode>{need.id}</IdCode> },
    ]}
  />
)

const Acts = ({
  visit,
  need,
  problem,
}: {
  visit: Visit
  need: NeedView
  problem: FormProblem | undefined
}) => {
  const isKept = visit.may('POST /v1/needs/{id}/close')
  if (need.status === 'closed' || !isKept) return <></>
  const mayExtend = hasRole(visit.person, 'reviewer', 'owner') && need.ownerId !== visit.person.id
  const [extending, closing] = ['extend', 'close'].map((verb) =>
    visit.verb === verb ? problem : undefined,
  )
  return (
    <PageSection title="Decide">
      {mayExtend ? (
        <Collapsible label="Extend" isOpen={extending !== undefined}>
          <PostForm
            visit={visit}
            action={visit.at(`/needs/${need.id}/extend`)}
            seen={need.version}
            class="narrow"
          >
            <TextField
              {...{ name: 'expected_end_at', label: 'New last day', type: 'date' }}
              {...{ width: 'short', problem: extending }}
              value={dayText(need.expectedEndAtMs, visit.zone)}
            />
            <Reason visit={visit} verb="extend" problem={extending} />
            <SubmitButton>Extend the need</SubmitButton>
          </PostForm>
        </Collapsible>
      ) : (
        ''
      )}
      <Collapsible label="Close" isOpen={closing !== undefined}>
        <PostForm
          visit={visit}
          action={visit.at(`/needs/${need.id}/close`)}
          seen={need.version}
          class="narrow"
        >
          <p>Every access for it ends at once.</p>
          <Reason visit={visit} verb="close" problem={closing} />
          <SubmitButton kind="danger">Close the need</SubmitButton>
        </PostForm>
      </Collapsible>
    </PageSection>
  )
}

const Reason = ({
  visit,
  verb,
  problem,
}: {
  visit: Visit
  verb: string
  problem: FormProblem | undefined
}) => (
  <LongField
    {...{ name: 'reason', id: `reason-${verb}`, label: 'Reason', problem, rows: 2 }}
    hint="At least 10 characters. It is kept in the audit."
    value={problem ? visit.form.text('reason') : ''}
  />
)

async function extend(visit: Visit): Promise<Redirect> {
  const { form, zone } = visit
  const body = {
    expected_end_at: endOfDay(form.text('expected_end_at'), zone),
    reason: form.text('reason'),
  }
  return verb(visit, 'extend', body, 'extended')
}

async function close(visit: Visit): Promise<Redirect> {
  return verb(visit, 'close', { reason: visit.form.text('reason') }, 'closed')
}

async function verb(
  visit: Visit,
  name: 'extend' | 'close',
  body: object,
  noticeName: 'extended' | 'closed',
): Promise<Redirect> {
  const id = visit.param('id')
  const act = { params: { id }, seen: visit.form.text('seen'), body }
  await visit.do(`POST /v1/needs/{id}/${name}`, act)
  return { to: visit.at(`/needs/${id}`), notice: noticeName }
}
