/** The form for a service scope's terms, new or changed. */
import { z } from 'zod'
import {
  areaGroups,
  areaKeys,
  areaRules,
  type AreaGroup,
} from '../../../../proto/access/areas/areas.ts'
import { dayMs } from '../../../../proto/units.ts'
import {
  accessPaths,
  scopeActor,
  type ScopeTerms,
  type ScopeView,
} from '../../../../proto/access/engagement/scope.ts'
import { ChoiceField, LongField, SelectField, TextField } from '../../../html/fields.tsx'
import { ErrorSummary, PostForm, SubmitButton } from '../../../html/form.tsx'
import { fieldsWord, whereWord } from '../../html/permissions.tsx'
import type { Redirect } from '../../page.ts'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import type { Visit } from '../../visit.ts'
import { dayText, endOfDay, startOfDay } from '../../../html/times.ts'
import { toWords } from '../../words/words.ts'
import { termsOf } from './scope-table.tsx'

const fields = [
  { name: 'client_id', label: 'Client' },
  { name: 'name', label: 'Name' },
  { name: 'paths', label: 'Paths' },
  { name: 'areas', label: 'Areas' },
  { name: 'effective_from', label: 'First day' },
  { name: 'effective_to', label: 'Last day' },
]

export async function showTerms(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const scope = await existingScope(visit)
  const terms = scope && termsOf(scope)
  const { form } = visit
  const isSent = form.has('name')
  const chosen = (name: string, held: readonly string[]) => (isSent ? form.all(name) : held)
  const clients = visit.list('client').filter(({ status }) => status !== 'closed')
  return {
    title: scope ? 'Edit the terms' : 'Add a service scope',
    lead: scope
      ? 'Narrower terms apply immediately. Wider terms are proposed to another admin.'
      : 'It is saved as a draft. Propose it next; it is in force once another admin has confirmed it.',
    up: { href: visit.at(scope ? `/scopes/${scope.id}` : '/scopes'), label: 'Service scopes' },
    body: (
      <PostForm visit={visit} action={visit.facts.request.path} {...seenOf(scope)} isOnce>
        <ErrorSummary problem={problem} fields={fields} />
        <div class="narrow">
          {scope ? (
            ''
          ) : (
            <SelectField
              {...{ name: 'client_id', label: 'Client', problem }}
              value={form.given('client_id') ?? visit.asked('client')}
              choices={clients.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
          <Texts visit={visit} terms={terms ?? undefined} problem={problem} />
          <ChoiceField
            {...{ name: 'paths', label: 'Paths', kind: 'checkbox', isInline: true, problem }}
            hint="The ways in which people and programs may use the areas."
            choices={accessPaths.map((path) => ({ value: path, label: toWords(path) }))}
            chosen={chosen('paths', terms?.paths ?? ['portal', 'api'])}
          />
        </div>
        <Areas
          terms={terms ?? undefined}
          chosen={isSent ? form.all('area') : grantedNames(terms)}
        />
        <SubmitButton>{scope ? 'Save the terms' : 'Save as draft'}</SubmitButton>
      </PostForm>
    ),
  }
}

const grantedNames = (terms: ScopeTerms | null | undefined): readonly string[] =>
  (terms?.areas ?? []).flatMap(({ area, actions }) => actions.map((action) => `${area}:${action}`))

const seenOf = (scope: ScopeView | undefined) => (scope ? { seen: scope.version } : {})

async function existingScope(visit: Visit): Promise<ScopeView | undefined> {
  const id = visit.param('id')
  return id === '' ? undefined : visit.deps.governance.get(scopeActor, visit.facts.caller, id)
}

const Texts = ({
  visit,
  terms,
  problem,
}: {
  visit: Visit
  terms: ScopeTerms | undefined
  problem: FormProblem | undefined
}) => {
  const { form, now, zone } = visit
  const day = (ms: number) => dayText(ms, zone)
  return (
    <>
      <TextField
        {...{ name: 'name', label: 'Name', problem }}
        value={form.given('name') ?? terms?.name}
      />
      <LongField
        {...{ name: 'summary', label: 'Summary', rows: 2, isOptional: true }}
        value={form.given('summary') ?? terms?.summary}
      />
      <TextField
        {...{ name: 'engagement_ref', label: 'Engagement', width: 'middle', isOptional: true }}
        hint="The contract number, such as GC-2041."
        value={form.given('engagement_ref') ?? terms?.engagementRef}
      />
      <TextField
        {...{ name: 'effective_from', label: 'First day', type: 'date', width: 'short', problem }}
        value={form.given('effective_from') ?? day(terms?.effectiveFromMs ?? now)}
      />
      <TextField
        {...{ name: 'effective_to', label: 'Last day', type: 'date', width: 'short', problem }}
        value={form.given('effective_to') ?? day(terms?.effectiveToMs ?? now + 365 * dayMs)}
      />
    </>
  )
}

/** Limits on fields and records, which only REST can set, are left unchanged. */
const Areas = ({ terms, chosen }: { terms: ScopeTerms | undefined; chosen: readonly string[] }) => (
  <>
    {(Object.keys(areaGroups) as AreaGroup[]).map((group) => (
      <div class="area-group">
        <h2>{areaGroups[group].label}</h2>
        {areaGroups[group].areas.map((area) => {
          const { fields: some, where } = terms?.areas.find((one) => one.area === area) ?? {}
          const notes = [
            ...(some ? [`Fields: ${fieldsWord(some)}.`] : []),
            ...(where ? [`Records: ${whereWord(where)}.`] : []),
          ]
          return (
            <ChoiceField
              {...{ name: 'area', id: area, kind: 'checkbox', isInline: true, chosen }}
              label={areaRules[area].label}
              {...(notes.length > 0 && { hint: notes.join(' ') })}
              choices={areaRules[area].actions.map((action) => ({
                value: `${area}:${action}`,
                label: toWords(action),
              }))}
            />
          )
        })}
      </div>
    ))}
  </>
)

/** An unchanged day keeps its exact time, so that untouched terms do not become wider. */
function timeFor(
  { form, zone }: Visit,
  name: 'effective_from' | 'effective_to',
  heldMs: number | undefined,
): string {
  const day = form.text(name)
  if (heldMs !== undefined && day === dayText(heldMs, zone)) return new Date(heldMs).toISOString()
  return name === 'effective_from' ? startOfDay(day, zone) : endOfDay(day, zone)
}

const made = z.object({ data: z.object({ id: z.string() }) })

export async function saveTerms(visit: Visit): Promise<Redirect> {
  const { form, deps, facts } = visit
  const scope = await existingScope(visit)
  const terms = scope && termsOf(scope)
  const body = {
    name: form.text('name'),
    summary: form.text('summary'),
    engagement_ref: form.text('engagement_ref'),
    paths: form.all('paths'),
    areas: areaKeys.flatMap((area) => {
      const actions = areaRules[area].actions.filter((one) =>
        form.all('area').includes(`${area}:${one}`),
      )
      if (actions.length === 0) return []
      const { fields: some, where } = terms?.areas.find((one) => one.area === area) ?? {}
      return [{ area, actions, ...(some && { fields: some }), ...(where && { where }) }]
    }),
    effective_from: timeFor(visit, 'effective_from', terms?.effectiveFromMs),
    effective_to: timeFor(visit, 'effective_to', terms?.effectiveToMs),
  }
  if (scope) {
    const act = { params: { id: scope.id }, seen: form.text('seen'), body }
    await visit.do('PUT /v1/service-scopes/{id}/terms', act)
    return { to: visit.at(`/scopes/${scope.id}`), notice: 'saved' }
  }
  const act = { body: { ...body, client_id: form.text('client_id') }, once: form.text('once') }
  const { data } = await deps.acts.run(facts, 'POST /v1/service-scopes', act, made)
  return { to: visit.at(`/scopes/${data.id}`), notice: 'saved' }
}
