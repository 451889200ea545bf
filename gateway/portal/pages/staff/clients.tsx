/** Clients: onboarding, editing and offboarding. */
import { z } from 'zod'
import {
  clientActor,
  clientStatuses,
  type ClientView,
} from '../../../../proto/access/engagement/client.ts'
import { hasRole } from '../../../../proto/access/author.ts'
import { whyDependent } from '../../../access/people/second-person.ts'
import { onlyRoles } from '../../../routing/auth/access-rule.ts'
import { LongField, TextField } from '../../../html/fields.tsx'
import { FilterForm, StatusFilter } from '../../../html/filters.tsx'
import { ErrorSummary, Collapsible, PostForm, SubmitButton } from '../../../html/form.tsx'
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
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { NoticeName } from '../../html/notices.ts'
import type { Redirect, PortalSection as Pages } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Surface, Visit } from '../../visit.ts'
import { objectNameOf } from '../../words/names.ts'
import { toWords } from '../../words/words.ts'
import { pageRows } from '../pager.ts'
import { WhoLink } from '../people/who/link.tsx'
import { ScopeTable } from './scope-table.tsx'

const here: readonly Surface[] = ['staff']
const verbs = ['activate', 'suspend', 'resume', 'offboard', 'close'] as const
type Verb = (typeof verbs)[number]

export const clientsSection: Pages = {
  group: 'Work',
  nav: [{ label: 'Clients', path: '/clients', in: here }],
  pages: [
    { path: '/clients', in: here, show: showList },
    { path: '/clients/new', in: here, who: onlyRoles('admin'), show: showNew, submit: create },
    { path: '/clients/{id}', in: here, show: showOne },
    ...verbs.map((verb) => ({
      ...{ path: `/clients/{id}/${verb}`, in: here },
      ...{ submit: decide(verb), again: showOne },
    })),
  ],
}

function showList(visit: Visit): PageContent {
  const status = visit.asked('status')
  const all = visit.list('client').filter((one) => !status || one.status === status)
  const { rows, links } = pageRows(visit, all)
  return {
    title: 'Clients',
    lead: 'Clients own the data. All other objects belong to exactly one client.',
    actions: visit.may('POST /v1/clients') ? (
      <ButtonLink href={visit.at('/clients/new')} kind="main">
        Add a client
      </ButtonLink>
    ) : undefined,
    body: (
      <>
        <FilterForm path={visit.at('/clients')} isFiltered={status !== undefined}>
          <StatusFilter
            choices={clientStatuses.map((one) => ({ value: one, label: toWords(one) }))}
            value={status}
          />
        </FilterForm>
        {rows.length === 0 ? (
          <EmptyState title={status ? 'No clients have this status.' : 'There are no clients yet.'}>
            <p>One admin adds a client, and another admin activates it.</p>
          </EmptyState>
        ) : (
          <DataTable caption="Newest first" columns={columnsOf(visit)} rows={rows} />
        )}
        <Pager {...links} />
      </>
    ),
  }
}

const columnsOf = (visit: Visit): readonly TableColumn<ClientView>[] => [
  {
    label: 'Client',
    isHead: true,
    cell: ({ id, name }) => <a href={visit.at(`/clients/${id}`)}>{name}</a>,
  },
  { label: 'Status', cell: ({ status }) => <StatusMark of={status} /> },
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

function showNew(visit: Visit, problem?: FormProblem): PageContent {
  const { form } = visit
  const field = (i: number) => ({ ...newFields[i]!, problem, value: form.text(newFields[i]!.name) })
  return {
    title: 'Add a client',
    lead: 'Next, add the service scopes of the contract. Another admin activates the client once a scope is confirmed.',
    up: { href: visit.at('/clients'), label: 'Clients' },
    body: (
      <PostForm visit={visit} action={visit.at('/clients/new')} isOnce class="narrow">
        <ErrorSummary problem={problem} fields={newFields} />
        <TextField {...field(0)} />
        <TextField
          {...field(1)}
          hint="Lower-case letters, digits and hyphens. Cannot be changed later."
          width="middle"
        />
        <TextField {...field(2)} />
        <TextField {...field(3)} type="email" />
        <TextField
          {...field(4)}
          hint="For example Europe/Berlin. Times are shown in this zone."
          width="middle"
          value={form.given('timezone') ?? 'UTC'}
        />
        <SubmitButton>Add the client</SubmitButton>
      </PostForm>
    ),
  }
}

const made = z.object({ data: z.object({ id: z.string() }) })

async function create(visit: Visit): Promise<Redirect> {
  const { form, deps, facts } = visit
  const body = {
    name: form.text('name'),
    slug: form.text('slug'),
    contact: { name: form.text('contact_name'), email: form.text('contact_email') },
    timezone: form.text('timezone'),
  }
  const act = { body, once: form.text('once') }
  const { data } = await deps.acts.run(facts, 'POST /v1/clients', act, made)
  return { to: visit.at(`/clients/${data.id}`), notice: 'saved' }
}

async function showOne(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const id = visit.param('id')
  const client = await visit.deps.governance.get(clientActor, visit.facts.caller, id)
  const scopes = visit.list('scope', client.id)
  const isAdmin = hasRole(visit.person, 'admin')
  return {
    title: client.name,
    up: { href: visit.at('/clients'), label: 'Clients' },
    actions: (
      <>
        <StatusMark of={client.status} />
        <WhoLink visit={visit} client={client.id} />
      </>
    ),
    body: (
      <>
        <ErrorSummary
          problem={problem}
          fields={[{ name: 'reason', id: `reason-${visit.verb}`, label: 'Reason' }]}
        />
        <ClientFacts visit={visit} client={client} />
        <PageSection
          title="Service scopes"
          actions={
            isAdmin ? (
              <a href={visit.at(`/scopes/new?client=${client.id}`)}>Add a service scope</a>
            ) : undefined
          }
        >
          {scopes.length === 0 ? (
            <EmptyState title="There are no service scopes yet.">
              <p>Without a service scope, no access can be granted.</p>
            </EmptyState>
          ) : (
            <ScopeTable visit={visit} rows={scopes} caption="Newest first" />
          )}
        </PageSection>
        <p>
          <a href={visit.at(`/members?client=${client.id}`)}>Members</a> ·{' '}
          <a href={visit.at(`/grants?client=${client.id}`)}>Grants</a> ·{' '}
          <a href={visit.at(`/audit?client=${client.id}`)}>Audit</a>
        </p>
        {isAdmin ? <Acts visit={visit} client={client} problem={problem} /> : ''}
      </>
    ),
  }
}

const ClientFacts = ({ visit, client }: { visit: Visit; client: ClientView }) => (
  <FactList
    of={[
      { term: 'Short name', is: client.slug },
      { term: 'Contact', is: `${client.contact.name}, ${client.contact.email}` },
      { term: 'Time zone', is: client.timezone },
      { term: 'Added', is: <TimeText ms={client.createdAtMs} zone={visit.zone} /> },
      { term: 'Added by', is: objectNameOf(visit, client.createdBy) },
      client.activation && {
        term: 'Activated by',
        is: objectNameOf(visit, client.activation.by.id),
      },
      client.reason !== undefined && { term: 'Last reason', is: client.reason },
      { term: 'ID', is: <IdCode>{client.id}</IdCode> },
    ]}
  />
)

/** The effect of each verb, and the states in which it is possible. */
const acts: Readonly<
  Record<Verb, { readonly label: string; readonly says: string; readonly when: readonly string[] }>
> = {
  activate: {
    label: 'Activate',
    says: 'From then on, its grants and tokens work.',
    when: ['onboarding'],
  },
  suspend: {
    label: 'Suspend',
    says: 'All access to the client’s data is refused, starting with the next request.',
    when: ['active'],
  },
  resume: {
    label: 'Resume',
    says: 'Access to the client’s data is allowed again.',
    when: ['suspended'],
  },
  offboard: {
    label: 'Start offboarding',
    says: 'Access to the client’s data is refused permanently.',
    when: ['active', 'suspended'],
  },
  close: {
    label: 'Close',
    says: 'This is final. All grants of the client end.',
    when: ['offboarding'],
  },
}

/** Why this admin cannot activate the client now; undefined if they can. */
function whyNotActivate(visit: Visit, client: ClientView): string | undefined {
  if (!visit.list('scope', client.id).some(({ status }) => status === 'active')) {
    return 'No service scope is in force. Once one is confirmed, another admin than the one who added the client activates it.'
  }
  if (visit.deps.singleOperator) return undefined
  if (client.createdBy === visit.person.id) {
    return 'You added this client, so another admin activates it.'
  }
  return visit.isIndependentOf([client.createdBy]) ? undefined : whyDependent
}

const Acts = ({
  visit,
  client,
  problem,
}: {
  visit: Visit
  client: ClientView
  problem: FormProblem | undefined
}) => {
  const possible = verbs.filter((verb) => acts[verb].when.includes(client.status))
  if (possible.length === 0) return <></>
  const whyNot = possible.includes('activate') ? whyNotActivate(visit, client) : undefined
  const now = possible.filter((verb) => verb !== 'activate' || whyNot === undefined)
  return (
    <PageSection title="Actions">
      {whyNot === undefined ? (
        ''
      ) : (
        <NoticeBox tone="info" title="Not yet to be activated">
          <p>{whyNot}</p>
        </NoticeBox>
      )}
      {now.map((verb) => {
        const own = visit.verb === verb ? problem : undefined
        const { label, says } = acts[verb]
        return (
          <Collapsible label={label} isOpen={own !== undefined}>
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
                  hint="At least 10 characters. Kept in the audit."
                  value={own ? visit.form.text('reason') : ''}
                />
              )}
              <SubmitButton kind={verb === 'close' || verb === 'offboard' ? 'danger' : 'main'}>
                {label}
              </SubmitButton>
            </PostForm>
          </Collapsible>
        )
      })}
    </PageSection>
  )
}

const toldOf: Readonly<Record<Verb, NoticeName>> = {
  activate: 'activated',
  suspend: 'suspended',
  resume: 'resumed',
  offboard: 'offboarded',
  close: 'closed',
}

function decide(verb: Verb) {
  return async (visit: Visit): Promise<Redirect> => {
    const id = visit.param('id')
    const body = verb === 'activate' ? {} : { body: { reason: visit.form.text('reason') } }
    const act = { params: { id }, seen: visit.form.text('seen'), ...body }
    await visit.do(`POST /v1/clients/{id}/${verb}`, act)
    return { to: visit.at(`/clients/${id}`), notice: toldOf[verb] }
  }
}
