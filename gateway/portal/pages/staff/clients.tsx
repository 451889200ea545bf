/** Clients: onboarding, editing and offboarding. */
import { z } from 'zod'
import { clientActor, clientStatuses, type ClientView } from '../../../../proto/access/client.ts'
import { hasRole } from '../../../../proto/access/author.ts'
import { only } from '../../../access/rule.ts'
import { LongField, TextField } from '../../html/fields.tsx'
import { Filters, StatusFilter } from '../../html/filters.tsx'
import { ErrorSummary, Folded, PostForm, Submit } from '../../html/form.tsx'
import { ButtonLink, Code, Empty, Facts, Pager, Section, Status, Time } from '../../html/parts.tsx'
import { Table, type Column } from '../../html/table.tsx'
import type { Told } from '../../html/told.ts'
import type { Elsewhere, Problem, Section as Pages, Shown } from '../../page.ts'
import type { Surface, Visit } from '../../visit.ts'
import { nameOf } from '../../words/names.ts'
import { words } from '../../words/words.ts'
import { paged } from '../pager.ts'
import { ScopeTable } from './scope-table.tsx'

const here: readonly Surface[] = ['staff']
const verbs = ['activate', 'suspend', 'resume', 'offboard', 'close'] as const
type Verb = (typeof verbs)[number]

export const clients: Pages = {
  group: 'Work',
  nav: [{ label: 'Clients', path: '/clients', in: here }],
  pages: [
    { path: '/clients', in: here, show: showList },
    { path: '/clients/new', in: here, who: only('admin'), show: showNew, submit: create },
    { path: '/clients/{id}', in: here, show: showOne },
    ...verbs.map((verb) => ({
      ...{ path: `/clients/{id}/${verb}`, in: here },
      ...{ submit: decide(verb), again: showOne },
    })),
  ],
}

function showList(visit: Visit): Shown {
  const status = visit.asked('status')
  const all = visit.list('client').filter((one) => !status || one.status === status)
  const { rows, links } = paged(visit, all)
  return {
    title: 'Clients',
    lead: 'Whose data it is. Everything else belongs to exactly one of them.',
    actions: visit.may('POST /v1/clients') ? (
      <ButtonLink href={visit.at('/clients/new')} kind="main">
        Take a client on
      </ButtonLink>
    ) : undefined,
    body: (
      <>
        <Filters path={visit.at('/clients')} isFiltered={status !== undefined}>
          <StatusFilter
            choices={clientStatuses.map((one) => ({ value: one, label: words(one) }))}
            value={status}
          />
        </Filters>
        {rows.length === 0 ? (
          <Empty title={status ? 'No client has this status.' : 'There is no client yet.'}>
            <p>An admin takes one on, and another admin activates it.</p>
          </Empty>
        ) : (
          <Table caption="Newest first" columns={columnsOf(visit)} rows={rows} />
        )}
        <Pager {...links} />
      </>
    ),
  }
}

const columnsOf = (visit: Visit): readonly Column<ClientView>[] => [
  {
    label: 'Client',
    isHead: true,
    cell: ({ id, name }) => <a href={visit.at(`/clients/${id}`)}>{name}</a>,
  },
  { label: 'Status', cell: ({ status }) => <Status of={status} /> },
  { label: 'Contact', cell: ({ contact }) => contact.name },
  {
    label: 'Grants in force',
    isNumber: true,
    cell: ({ id }) => String(visit.list('grant', id).filter(isActive).length),
  },
  {
    label: 'Open needs',
    isNumber: true,
    cell: ({ id }) => String(visit.list('need', id).filter(isNotClosed).length),
  },
]

const isActive = ({ status }: { readonly status: string }) => status === 'active'
const isNotClosed = ({ status }: { readonly status: string }) => status !== 'closed'

const newFields = [
  { name: 'name', label: 'Name' },
  { name: 'slug', label: 'Short name' },
  { name: 'contact_name', label: 'Contact', about: 'contact.name' },
  { name: 'contact_email', label: 'Contact’s e-mail address', about: 'contact.email' },
  { name: 'timezone', label: 'Time zone' },
]

function showNew(visit: Visit, problem?: Problem): Shown {
  const { form } = visit
  const field = (i: number) => ({ ...newFields[i]!, problem, value: form.text(newFields[i]!.name) })
  return {
    title: 'Take a client on',
    lead: 'Then say what is contracted. Another admin activates the client once that is confirmed.',
    up: { href: visit.at('/clients'), label: 'Clients' },
    body: (
      <PostForm visit={visit} action={visit.at('/clients/new')} isOnce class="narrow">
        <ErrorSummary problem={problem} fields={newFields} />
        <TextField {...field(0)} />
        <TextField
          {...field(1)}
          hint="Lower-case letters, digits and hyphens. It never changes."
          width="middle"
        />
        <TextField {...field(2)} />
        <TextField {...field(3)} type="email" />
        <TextField
          {...field(4)}
          hint="Such as Europe/Berlin: times are shown in it."
          width="middle"
          value={form.given('timezone') ?? 'UTC'}
        />
        <Submit>Take the client on</Submit>
      </PostForm>
    ),
  }
}

const made = z.object({ data: z.object({ id: z.string() }) })

async function create(visit: Visit): Promise<Elsewhere> {
  const { form, deps, facts } = visit
  const body = {
    name: form.text('name'),
    slug: form.text('slug'),
    contact: { name: form.text('contact_name'), email: form.text('contact_email') },
    timezone: form.text('timezone'),
  }
  const act = { body, once: form.text('once') }
  const { data } = await deps.acts.run(facts, 'POST /v1/clients', act, made)
  return { to: visit.at(`/clients/${data.id}`), told: 'saved' }
}

async function showOne(visit: Visit, problem?: Problem): Promise<Shown> {
  const id = visit.param('id')
  const client = await visit.deps.governance.get(clientActor, visit.facts.caller, id)
  const scopes = visit.list('scope', client.id)
  const isAdmin = hasRole(visit.person, 'admin')
  return {
    title: client.name,
    up: { href: visit.at('/clients'), label: 'Clients' },
    actions: <Status of={client.status} />,
    body: (
      <>
        <ErrorSummary
          problem={problem}
          fields={[{ name: 'reason', id: `reason-${visit.verb}`, label: 'Reason' }]}
        />
        <ClientFacts visit={visit} client={client} />
        <Section
          title="Service scopes"
          actions={
            isAdmin ? (
              <a href={visit.at(`/scopes/new?client=${client.id}`)}>Write a service scope</a>
            ) : undefined
          }
        >
          {scopes.length === 0 ? (
            <Empty title="Nothing is contracted yet.">
              <p>Without a service scope nobody can be given access to anything.</p>
            </Empty>
          ) : (
            <ScopeTable visit={visit} rows={scopes} caption="Newest first" />
          )}
        </Section>
        <p>
          <a href={visit.at(`/members?client=${client.id}`)}>Its members</a> ·{' '}
          <a href={visit.at(`/grants?client=${client.id}`)}>Its grants</a> ·{' '}
          <a href={visit.at(`/audit?client=${client.id}`)}>Its audit</a>
        </p>
        {isAdmin ? <Acts visit={visit} client={client} problem={problem} /> : ''}
      </>
    ),
  }
}

const ClientFacts = ({ visit, client }: { visit: Visit; client: ClientView }) => (
  <Facts
    of={[
      { term: 'Short name', is: client.slug },
      { term: 'Contact', is: `${client.contact.name}, ${client.contact.email}` },
      { term: 'Time zone', is: client.timezone },
      { term: 'Taken on', is: <Time ms={client.createdAtMs} zone={visit.zone} /> },
      { term: 'By', is: nameOf(visit, client.createdBy) },
      client.activation && { term: 'Activated by', is: nameOf(visit, client.activation.by.id) },
      client.reason !== undefined && { term: 'Last reason', is: client.reason },
      { term: 'ID', is: <Code>{client.id}</Code> },
    ]}
  />
)

/** The effect of each verb, and the states in which it is possible. */
const acts: Readonly<
  Record<Verb, { readonly label: string; readonly says: string; readonly when: readonly string[] }>
> = {
  activate: {
    label: 'Activate',
    says: 'As another admin than the one who took it on, once a service scope is confirmed.',
    when: ['onboarding'],
  },
  suspend: {
    label: 'Suspend',
    says: 'Every access to its data is refused from the next request on.',
    when: ['active'],
  },
  resume: { label: 'Resume', says: 'Its access opens again.', when: ['suspended'] },
  offboard: {
    label: 'Begin to part',
    says: 'Its access stays shut.',
    when: ['active', 'suspended'],
  },
  close: { label: 'Close', says: 'For good. Its grants end.', when: ['offboarding'] },
}

const Acts = ({
  visit,
  client,
  problem,
}: {
  visit: Visit
  client: ClientView
  problem: Problem | undefined
}) => {
  const now = verbs.filter((verb) => acts[verb].when.includes(client.status))
  if (now.length === 0) return <></>
  return (
    <Section title="Decide">
      {now.map((verb) => {
        const own = visit.verb === verb ? problem : undefined
        const { label, says } = acts[verb]
        return (
          <Folded label={label} isOpen={own !== undefined}>
            <PostForm
              visit={visit}
              action={visit.at(`/clients/${client.id}/${verb}`)}
              seen={client.version}
              class="narrow"
            >
              <p>{says}</p>
              {verb === 'activate' ? (
                ''
              ) : (
                <LongField
                  {...{
                    name: 'reason',
                    label: 'Reason',
                    rows: 2,
                    problem: own,
                    id: `reason-${verb}`,
                  }}
                  hint="At least 10 characters. It is kept in the audit."
                  value={own ? visit.form.text('reason') : ''}
                />
              )}
              <Submit kind={verb === 'close' || verb === 'offboard' ? 'danger' : 'main'}>
                {label}
              </Submit>
            </PostForm>
          </Folded>
        )
      })}
    </Section>
  )
}

const toldOf: Readonly<Record<Verb, Told>> = {
  activate: 'activated',
  suspend: 'suspended',
  resume: 'resumed',
  offboard: 'offboarded',
  close: 'closed',
}

function decide(verb: Verb) {
  return async (visit: Visit): Promise<Elsewhere> => {
    const id = visit.param('id')
    const body = verb === 'activate' ? {} : { body: { reason: visit.form.text('reason') } }
    const act = { params: { id }, seen: visit.form.text('seen'), ...body }
    await visit.do(`POST /v1/clients/{id}/${verb}`, act)
    return { to: visit.at(`/clients/${id}`), told: toldOf[verb] }
  }
}
