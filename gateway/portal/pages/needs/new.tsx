/** Opening a need. */
import { z } from 'zod'
import { needCategories } from '../../../../proto/access/engagement/need.ts'
import { dayMs } from '../../../../proto/units.ts'
import { LongField, SelectField, TextField } from '../../../html/fields.tsx'
import { ErrorSummary, PostForm, SubmitButton } from '../../../html/form.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { dayText, endOfDay } from '../../../html/times.ts'
import { toWords } from '../../words/words.ts'

export function showNewNeed(visit: Visit, problem?: FormProblem): PageContent {
  return {
    title: 'Open a need',
    lead: 'Describe it so that a person who reviews a request next month can understand it.',
    up: { href: visit.at('/needs'), label: 'Needs' },
    body: <NewNeedForm visit={visit} problem={problem} />,
  }
}

const newFields = [
  { name: 'client_id', label: 'Client' },
  { name: 'title', label: 'Title' },
  { name: 'purpose', label: 'Purpose' },
  { name: 'reference', label: 'Reference' },
  { name: 'owner_id', label: 'Responsible person' },
  { name: 'expected_end_at', label: 'Last day' },
]

const NewNeedForm = ({ visit, problem }: { visit: Visit; problem: FormProblem | undefined }) => {
  const { form } = visit
  const clients = visit.list('client').filter(({ status }) => status !== 'closed')
  const people = visit.list('person').filter(({ status, tenant, kind }) => {
    return status === 'active' && (visit.isStaff ? kind === 'staff' : tenant === visit.client?.id)
  })
  return (
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
        {...{ name: 'title', label: 'Title', problem }}
        hint="What has to be done, in at least 10 characters."
        value={form.text('title')}
      />
      <LongField
        {...{ name: 'purpose', label: 'Purpose', problem }}
        hint="Why this requires access, in at least 20 characters."
        value={form.text('purpose')}
      />
      <SelectField
        {...{ name: 'category', label: 'Kind' }}
        value={form.given('category')}
        choices={needCategories.map((one) => ({ value: one, label: toWords(one) }))}
      />
      <SelectField
        {...{ name: 'reference_kind', label: 'Reference type' }}
        value={form.given('reference_kind')}
        choices={['task', 'project', 'change', 'ticket', 'contract'].map((one) => ({
          value: one,
          label: toWords(one),
        }))}
      />
      <TextField
        {...{ name: 'reference', label: 'Reference', width: 'middle', problem }}
        hint="A number or URL, such as GC-2041."
        value={form.text('reference')}
      />
      <SelectField
        {...{ name: 'owner_id', label: 'Responsible person', problem }}
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
  )
}

const made = z.object({ data: z.object({ id: z.string() }) })

export async function openNeed(visit: Visit): Promise<Redirect> {
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
