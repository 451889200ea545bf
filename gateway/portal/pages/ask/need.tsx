/** The first step: the need and the subject. Staff choose the client before that. */
import type { PersonView } from '../../../../proto/access/people/person.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { ChoiceField, SelectField, TextField } from '../../../html/fields.tsx'
import { ErrorSummary, hiddenField } from '../../../html/form.tsx'
import { ButtonLink, EmptyState } from '../../../html/parts.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { problemOf } from '../../../html/forms/problem.ts'
import type { Visit } from '../../visit.ts'
import { dayWord } from '../../../html/times.ts'
import { askStateIn, askClient, askStatePairs, type AskState } from './state.ts'
import { ClientNotice } from '../client-notice.tsx'
import { StepList } from './steps.tsx'

export function showNeed(visit: Visit): PageContent {
  const asking = askStateIn(visit)
  if (visit.isStaff && asking.one('client') === undefined) return clientPage(visit)
  const client = askClient(visit, asking)
  const title = asking.one('emergency') ? 'Request emergency access' : 'Request access'
  const up = { href: visit.at('/access'), label: 'My access' }
  const of = visit.find('client', client)
  if (of?.status !== 'active') return { title, up, body: <ClientNotice client={of} /> }
  const renewed = visit.find('grant', asking.one('renews') ?? '')
  const needs = visit
    .list('need', client)
    .filter(({ status, expectedEndAtMs }) => status === 'open' && expectedEndAtMs > visit.now)
  const problem = needProblem(visit.asked('missing'))
  return {
    title,
    up,
    lead: asking.one('emergency')
      ? 'Lasts at most four hours. One reviewer decides now; a second one reviews it within 24 hours.'
      : 'Say what you need, what for and how long. Other people review your request.',
    body: (
      <>
        <StepList at={0} />
        {needs.length === 0 ? (
          <NoNeed visit={visit} />
        ) : (
          <form method="get" action={visit.at('/ask/areas')} class="narrow">
            <ErrorSummary problem={problem} fields={fields} />
            {askStatePairs(asking, ['need', 'who', 'program']).map(([name, value]) =>
              hiddenField(name, value),
            )}
            <ChoiceField
              {...{ name: 'need', label: 'Need', kind: 'radio', problem }}
              hint="Access ends no later than its need."
              choices={needs.map((need) => ({
                value: need.id,
                label: need.title,
                hint: `${need.purpose} Until ${dayWord(need.expectedEndAtMs, visit.zone)}.`,
              }))}
              chosen={[asking.one('need') ?? renewed?.needId ?? only(needs) ?? '']}
            />
            <Who visit={visit} asking={asking} client={client} problem={problem} />
            <button type="submit" class="button main">
              Continue
            </button>
          </form>
        )}
      </>
    ),
  }
}

const only = (needs: readonly { readonly id: string }[]) =>
  needs.length === 1 ? needs[0]?.id : undefined

const fields = [
  { name: 'need', label: 'Need' },
  { name: 'program', label: 'Program name' },
]

const sentences: Readonly<Record<string, string>> = {
  need: 'Choose a need.',
  program: 'Enter a program name: lower-case letters, digits and hyphens.',
}

function needProblem(name: string | undefined): FormProblem | undefined {
  const text = name === undefined ? undefined : sentences[name]
  if (name === undefined || text === undefined) return undefined
  return problemOf(new ServiceError('validation_failed', text, { field: name }))
}

const NoNeed = ({ visit }: { visit: Visit }) => (
  <EmptyState title="There is no open need.">
    <p>Access is always granted for a need, which says what has to be done and until when.</p>
    {visit.may('POST /v1/needs') ? (
      <ButtonLink href={visit.at('/needs/new')} kind="main">
        Open a need
      </ButtonLink>
    ) : (
      <p>Ask {ownersOf(visit)} to open one.</p>
    )}
  </EmptyState>
)

/** The owners of a member's client, whom the member can ask. */
export function ownersOf(visit: Visit): string {
  const owners = visit.list('person').filter(({ roles, status }) => {
    return status === 'active' && roles.includes('owner')
  })
  if (owners.length === 0 || visit.isStaff) return 'an owner of the client'
  return owners.map(({ name }) => name).join(' or ')
}

const Who = ({
  visit,
  asking,
  client,
  problem,
}: {
  visit: Visit
  asking: AskState
  client: string
  problem: FormProblem | undefined
}) => {
  const people = visit.list('person', client).filter((person) => {
    return person.status === 'active' && person.id !== visit.person.id && person.kind === 'member'
  })
  return (
    <>
      <SelectField
        name="who"
        label="Who is it for?"
        value={asking.one('who') ?? visit.person.id}
        choices={[
          { value: visit.person.id, label: `${visit.person.name} (you)` },
          ...people.map(({ id, name }: PersonView) => ({ value: id, label: name })),
          { value: 'program', label: 'A program, with a token' },
        ]}
      />
      <TextField
        {...{ name: 'program', label: 'Program name', width: 'middle', isOptional: true }}
        hint="Only for a program. For example newsletter or crm-sync."
        value={asking.one('program')}
        problem={problem}
      />
    </>
  )
}

function clientPage(visit: Visit): PageContent {
  const asking = askStateIn(visit)
  const clients = visit.list('client').filter(({ status }) => status === 'active')
  return {
    title: 'Request access',
    lead: 'A request covers the data of one client.',
    body:
      clients.length === 0 ? (
        <EmptyState title="There is no active client.">
          <p>A client can be activated once one of its service scopes is confirmed.</p>
        </EmptyState>
      ) : (
        <form method="get" action={visit.at('/ask')} class="narrow">
          {askStatePairs(asking, ['client']).map(([name, value]) => hiddenField(name, value))}
          <SelectField
            name="client"
            label="Client"
            choices={clients.map(({ id, name, slug }) => ({
              value: id,
              label: `${name} (${slug})`,
            }))}
          />
          <button type="submit" class="button main">
            Continue
          </button>
        </form>
      ),
  }
}
