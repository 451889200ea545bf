/** A new report: first client and kind, then period and areas. */
import { defined } from '../../../../proto/defined.ts'
import { z } from 'zod'
import { areaRules } from '../../../../proto/access/areas/areas.ts'
import { reportKinds, type ReportKind } from '../../../../proto/access/reports/report-content.ts'
import { dayMs } from '../../../../proto/units.ts'
import { unknownEntity } from '../../../access/governance/governance.ts'
import { dataJson } from '../../../routing/schemas/access-json.ts'
import { reportAreasOf } from '../../../access/reports/generate/generate.ts'
import { ChoiceField, SelectField, TextField } from '../../../html/fields.tsx'
import {
  ErrorSummary,
  hiddenField,
  PostForm,
  SubmitButton,
  type NamedField,
} from '../../../html/form.tsx'
import { ButtonLink, EmptyState, FactList } from '../../../html/parts.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'
import { dayText } from '../../../html/times.ts'
import { areasHeld, clientsRead, reportsOf, type ReportRow } from './lookup.ts'
import { kindHints, kindWords, periodWord } from './words.ts'

const isKind = (text: string | undefined): text is ReportKind =>
  reportKinds.some((kind) => kind === text)

export async function showNewReport(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const clients = clientsRead(visit)
  const client = visit.form.given('client_id') ?? visit.asked('client')
  const kind = visit.form.given('kind') ?? visit.asked('kind')
  if (client !== undefined && !clients.some(({ id }) => id === client))
    throw unknownEntity('client')
  return {
    title: 'Create a report',
    lead: 'A draft is generated from the records of a period. Another person must publish it.',
    up: { href: visit.at('/reports'), label: 'Reports' },
    body:
      clients.length === 0 ? (
        <NoGrant visit={visit} />
      ) : client !== undefined && isKind(kind) ? (
        await draftForm(visit, { client, kind }, problem)
      ) : (
        <Choose visit={visit} clients={clients} client={client} />
      ),
  }
}

const NoGrant = ({ visit }: { visit: Visit }) => (
  <EmptyState title="You have no access to reports.">
    <p>
      To create a report, you need access to what it covers. Request access for yourself to Reports
      of a client and to the areas.
    </p>
    <p>
      <ButtonLink href={visit.at('/ask')} kind="main">
        Request access
      </ButtonLink>
    </p>
  </EmptyState>
)

const Choose = ({
  visit,
  clients,
  client,
}: {
  visit: Visit
  clients: ReturnType<typeof clientsRead>
  client: string | undefined
}) => (
  <form method="get" action={visit.at('/reports/new')} class="narrow">
    <SelectField
      name="client"
      label="Client"
      choices={clients.map(({ id, name }) => ({ value: id, label: name }))}
      value={client ?? clients[0]?.id}
    />
    <ChoiceField
      {...{ name: 'kind', label: 'Kind', kind: 'radio', chosen: ['work_summary'] }}
      choices={reportKinds.map((value) => ({
        value,
        label: kindWords[value],
        hint: kindHints[value],
      }))}
    />
    <SubmitButton>Continue</SubmitButton>
  </form>
)

interface Chosen {
  readonly client: string
  readonly kind: ReportKind
}

/** How many of the newest reports are offered to supersede. */
const supersededOffered = '100'

async function draftForm(visit: Visit, { client, kind }: Chosen, problem: FormProblem | undefined) {
  const { form, now } = visit
  const { data } = await reportsOf(visit, client, {
    ...{ 'filter[status]': 'published', 'filter[kind]': kind, limit: supersededOffered },
  })
  const fields = fieldsFor(problem)
  return (
    <PostForm visit={visit} action={visit.at('/reports/new')} isOnce class="narrow">
      <ErrorSummary problem={problem} fields={Object.values(fields)} />
      {hiddenField('client_id', client)}
      {hiddenField('kind', kind)}
      <FactList
        of={[
          { term: 'Client', is: clientName(visit, client) },
          { term: 'Kind', is: kindWords[kind] },
        ]}
      />
      <TextField
        {...{ ...fields.from, type: 'date', width: 'short', problem }}
        value={form.given('from') ?? dayText(now - 30 * dayMs, 'UTC')}
      />
      <TextField
        {...{ ...fields.to, type: 'date', width: 'short', problem }}
        hint="First and last day are included. Days are in UTC."
        value={form.given('to') ?? dayText(now, 'UTC')}
      />
      <AreaChoice {...{ visit, client, kind, problem }} field={fields.areas} />
      <TextField
        {...{ ...fields.title, isOptional: true, problem }}
        hint="If empty, composed of kind and period."
        value={form.given('title')}
      />
      <Superseded {...{ visit, problem }} field={fields.supersedes} reports={data} />
      <div class="buttons">
        <SubmitButton>Create draft</SubmitButton>
        <a href={visit.at('/reports')}>Cancel</a>
      </div>
    </PostForm>
  )
}

interface FieldProps {
  readonly visit: Visit
  readonly field: NamedField
  readonly problem: FormProblem | undefined
}

const AreaChoice = ({ visit, field, problem, client, kind }: FieldProps & Chosen) => {
  const held = areasHeld(visit, client)
  return (
    <ChoiceField
      {...{ ...field, kind: 'checkbox', problem }}
      hint="Readers need access to all of these."
      chosen={visit.form.has('from') ? visit.form.all('areas') : held}
      choices={reportAreasOf(kind).map((area) => ({
        value: area,
        label: areaRules[area].label,
        ...(!held.includes(area) && {
          isClosed: true,
          hint: 'You have no grant for all of its records. Request one.',
        }),
      }))}
    />
  )
}

const Superseded = ({
  visit,
  field,
  problem,
  reports,
}: FieldProps & { reports: readonly ReportRow[] }) => (
  <SelectField
    {...{ ...field, problem }}
    hint="The replaced report stays readable and links to the newer one."
    choices={[
      { value: '', label: 'None' },
      ...reports.map(({ id, title, period }) => ({
        value: id,
        label: `${title} (${periodWord(period)})`,
      })),
    ]}
    value={visit.form.given('supersedes') ?? visit.asked('supersedes') ?? ''}
  />
)

/** A problem with the whole period is shown at its end field. */
const fieldsFor = (problem: FormProblem | undefined) => ({
  from: { name: 'from', label: 'First day', about: 'period.from' },
  to: {
    ...{ name: 'to', label: 'Last day' },
    about: problem?.fields.includes('period.from') ? 'period.to' : 'period',
  },
  areas: { name: 'areas', label: 'Areas' },
  title: { name: 'title', label: 'Title' },
  supersedes: { name: 'supersedes', label: 'Replaces' },
})

const made = dataJson(z.object({ id: z.string() }))

export async function makeReport(visit: Visit): Promise<Redirect> {
  const { form, deps, facts } = visit
  const [title, supersedes] = [form.given('title'), form.given('supersedes')]
  const areas = form.all('areas')
  const body = {
    ...{ client_id: form.text('client_id'), kind: form.text('kind') },
    period: { from: form.text('from'), to: form.text('to') },
    // An empty list is sent too, since REST takes an absent one as all areas.
    areas,
    ...defined({ title, supersedes }),
  }
  const act = { body, once: form.text('once') }
  const { data } = await deps.acts.run(facts, 'POST /v1/reports', act, made)
  return { to: visit.at(`/reports/${data.id}`), notice: 'report-made' }
}
