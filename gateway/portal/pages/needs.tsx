/** Operational needs: the purposes of access, and their ends. */
import { z } from 'zod'
import {
  needActor,
  needCategories,
  needStatuses,
  type NeedView,
} from '../../../proto/access/need.ts'
import { dayMs } from '../../../proto/access/limits.ts'
import { hasRole } from '../../../proto/access/author.ts'
import { LongField, SelectField, TextField } from '../html/fields.tsx'
import { Filters, StatusFilter } from '../html/filters.tsx'
import { ErrorSummary, Folded, PostForm, Submit } from '../html/form.tsx'
import {
  ButtonLink,
  Code,
  Due,
  Empty,
  Facts,
  Pager,
  Section,
  Status,
  Time,
} from '../html/parts.tsx'
import { Table } from '../html/table.tsx'
import {
  everywhere,
  type Elsewhere,
  type Problem,
  type Section as Pages,
  type Shown,
} from '../page.ts'
import type { Visit } from '../visit.ts'
import { clientName, nameOf } from '../words/names.ts'
import { dayText, endOfDay } from '../words/times.ts'
import { words } from '../words/words.ts'
import { grantColumns } from './grants/list.tsx'
import { NeedTable } from './need-table.tsx'
import { paged } from './pager.ts'

export const needs: Pages = {
  group: 'Access',
  nav: [{ label: 'Needs', path: '/needs', in: everywhere }],
  pages: [
    { path: '/needs', in: everywhere, show: showList },
    { path: '/needs/new', in: everywhere, show: showNew, submit: open },
    { path: '/needs/{id}', in: everywhere, show: showOne },
    { path: '/needs/{id}/extend', in: everywhere, submit: extend, again: showOne },
    { path: '/needs/{id}/close', in: everywhere, submit: close, again: showOne },
  ],
}

function showList(visit: Visit): Shown {
  const status = visit.asked('status')
  const all = visit.list('need').filter((one) => !status || one.status === status)
  const { rows, links } = paged(visit, all)
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
        <Filters path={path} isFiltered={status !== undefined}>
          <StatusFilter
            choices={needStatuses.map((one) => ({ value: one, label: words(one) }))}
            value={status}
          />
        </Filters>
        {rows.length === 0 ? (
          <Empty title={status ? 'No need has this status.' : 'No need was opened yet.'}>
            <p>{mayOpen ? 'Open one, and access can be asked for.' : 'An owner can open one.'}</p>
          </Empty>
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

function showNew(visit: Visit, problem?: Problem): Shown {
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
          choices={needCategories.map((one) => ({ value: one, label: words(one) }))}
        />
        <SelectField
          {...{ name: 'reference_kind', label: 'It refers to a' }}
          value={form.given('reference_kind')}
          choices={['task', 'project', 'change', 'ticket', 'contract'].map((one) => ({
            value: one,
            label: words(one),
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
        <Submit>Open the need</Submit>
      </PostForm>
    ),
  }
}

const made = z.object({ data: z.object({ id: z.string() }) })

async function open(visit: Visit): Promise<Elsewhere> {
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
  return { to: visit.at(`/needs/${data.id}`), told: 'opened' }
}

async function showOne(visit: Visit, problem?: Problem): Promise<Shown> {
  const id = visit.param('id')
  const need = await visit.deps.governance.get(needActor, visit.facts.caller, id)
  const grants = visit.list('grant').filter(({ needId }) => needId === need.id)
  return {
    title: need.title,
    up: { href: visit.at('/needs'), label: 'Needs' },
    actions: <Status of={need.status} />,
    body: (
      <>
        <ErrorSummary problem={problem} fields={verbFields(visit.verb)} />
        <NeedFacts visit={visit} need={need} />
        <Section title="Access for it">
          {grants.length === 0 ? (
            <Empty title="No access was given for this need.">
              <p>
                <a
                  href={visit.at(
                    `/ask?need=${need.id}${visit.isStaff ? `&client=${need.tenant}` : ''}`,
                  )}
                >
                  Ask for access for it
                </a>
              </p>
            </Empty>
          ) : (
            <Table
              caption="Newest first"
              columns={grantColumns(visit).filter(({ label }) => label !== 'Client')}
              rows={grants.slice(0, 25)}
            />
          )}
        </Section>
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
  <Facts
    of={[
      visit.isStaff && { term: 'Client', is: clientName(visit, need.tenant) },
      { term: 'Purpose', is: need.purpose },
      { term: 'Kind', is: words(need.category) },
      { term: 'Refers to', is: `${words(need.reference.kind)} ${need.reference.id}` },
      { term: 'Answers for it', is: nameOf(visit, need.ownerId) },
      { term: 'Opened', is: <Time ms={need.createdAtMs} zone={visit.zone} /> },
      {
        term: 'Expected end',
        is: <Due ms={need.expectedEndAtMs} zone={visit.zone} now={visit.now} />,
      },
      need.closedAtMs !== undefined && {
        term: 'Closed',
        is: (
          <>
            <Time ms={need.closedAtMs} zone={visit.zone} />: {need.closedReason ?? ''}
          </>
        ),
      },
      { term: 'ID', is: <Code>{need.id}</Code> },
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
  problem: Problem | undefined
}) => {
  const isKept = visit.may('POST /v1/needs/{id}/close')
  if (need.status === 'closed' || !isKept) return <></>
  const mayExtend = hasRole(visit.person, 'reviewer', 'owner') && need.ownerId !== visit.person.id
  const [extending, closing] = ['extend', 'close'].map((verb) =>
    visit.verb === verb ? problem : undefined,
  )
  return (
    <Section title="Decide">
      {mayExtend ? (
        <Folded label="Extend" isOpen={extending !== undefined}>
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
            <Submit>Extend the need</Submit>
          </PostForm>
        </Folded>
      ) : (
        ''
      )}
      <Folded label="Close" isOpen={closing !== undefined}>
        <PostForm
          visit={visit}
          action={visit.at(`/needs/${need.id}/close`)}
          seen={need.version}
          class="narrow"
        >
          <p>Every access for it ends at once.</p>
          <Reason visit={visit} verb="close" problem={closing} />
          <Submit kind="danger">Close the need</Submit>
        </PostForm>
      </Folded>
    </Section>
  )
}

const Reason = ({
  visit,
  verb,
  problem,
}: {
  visit: Visit
  verb: string
  problem: Problem | undefined
}) => (
  <LongField
    {...{ name: 'reason', id: `reason-${verb}`, label: 'Reason', problem, rows: 2 }}
    hint="At least 10 characters. It is kept in the audit."
    value={problem ? visit.form.text('reason') : ''}
  />
)

async function extend(visit: Visit): Promise<Elsewhere> {
  const { form, zone } = visit
  const body = {
    expected_end_at: endOfDay(form.text('expected_end_at'), zone),
    reason: form.text('reason'),
  }
  return verb(visit, 'extend', body, 'extended')
}

async function close(visit: Visit): Promise<Elsewhere> {
  return verb(visit, 'close', { reason: visit.form.text('reason') }, 'closed')
}

async function verb(
  visit: Visit,
  name: 'extend' | 'close',
  body: object,
  told: 'extended' | 'closed',
): Promise<Elsewhere> {
  const id = visit.param('id')
  const act = { params: { id }, seen: visit.form.text('seen'), body }
  await visit.do(`POST /v1/needs/{id}/${name}`, act)
  return { to: visit.at(`/needs/${id}`), told }
}
