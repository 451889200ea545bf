/** The pages for asking for a change step by step, and for editing a draft. */
import { z } from 'zod'
import { changeActor } from '../../../../../proto/access/changes/change.ts'
import { customAccess } from '../../../../../proto/access/changes/change-terms.ts'
import { ServiceError } from '../../../../../proto/errors.ts'
import { isAreaKey } from '../../../../../proto/access/areas/areas.ts'
import type { Redirect, PageOutcome } from '../../../page.ts'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import { withEach } from '../../../../html/forms/problem.ts'
import type { Visit } from '../../../visit.ts'
import { formBaseOf, fieldChoicesOf, specsOf } from './base.ts'
import { assertFits, changeBodyOf, problemIn } from './body.ts'
import { ChangeForm } from './form.tsx'
import type { FormProps } from './form-props.ts'
import { clientStep, kindStep, recordStep, sourceStep } from './steps.tsx'
import {
  chosenClient,
  changeSubjectIn,
  changeSubjectOf,
  type ChangeSubject,
} from './change-subject.ts'

/** Shows the first step without an answer, or the form if all are answered. */
export async function showNewChange(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const client = chosenClient(visit)
  if (client === undefined) return clientStep(visit)
  const subject = changeSubjectIn(visit, client)
  if (!subject) return kindStep(visit, client)
  const { on, record, does } = subject
  if (record === undefined || (record === 'new' && does === 'delete')) {
    return recordStep(visit, { ...subject, record: undefined })
  }
  if (on === customAccess && record === 'new' && !subject.source) return sourceStep(visit, subject)
  const props = {
    visit,
    subject: withSource(visit, subject),
    problem,
    action: visit.at('/changes/new'),
  }
  return {
    title: subject.template?.title ?? 'Request a change',
    lead: 'Describe the change so that reviewers can decide without asking you.',
    up: { href: visit.at('/changes'), label: 'Changes' },
    body: await formOf(props),
  }
}

/** Fills in the area of an existing view. */
function withSource(visit: Visit, subject: ChangeSubject): ChangeSubject {
  const source = visit.find('custom', subject.record ?? '')?.definition.source_area
  return source === undefined ? subject : { ...subject, source }
}

async function formOf(of: Omit<FormProps, 'base' | 'choices'>) {
  const { visit, subject, problem } = of
  const base = await formBaseOf(visit, subject)
  const choices = await fieldChoicesOf(visit, subject, specsOf(subject))
  const isRefused = problem && ['validation_failed', 'unknown_field'].includes(problem.error.type)
  const each = isRefused
    ? problemIn(subject, base, changeBodyOf(visit, subject, base))
    : new Map<string, string>()
  return (
    <ChangeForm
      {...of}
      base={base}
      choices={choices}
      problem={problem && withEach(problem, each)}
    />
  )
}

const made = z.object({ data: z.object({ id: z.string() }) })

export async function draftChange(visit: Visit): Promise<Redirect> {
  const client = chosenClient(visit)
  const found = client === undefined ? undefined : changeSubjectIn(visit, client)
  if (!found) throw new ServiceError('bad_request', 'Choose what the change is about first.')
  const subject = withSource(visit, found)
  const base = await formBaseOf(visit, subject)
  const body = changeBodyOf(visit, subject, base)
  assertFits(visit, subject, base, body)
  const act = { body, once: visit.form.text('once') }
  const { data } = await visit.deps.acts.run(visit.facts, 'POST /v1/changes', act, made)
  return { to: visit.at(`/changes/${data.id}`), notice: 'change-drafted' }
}

async function draftOf(visit: Visit) {
  const id = visit.param('id')
  const change = await visit.deps.governance.get(changeActor, visit.facts.caller, id)
  const subject = withSource(visit, changeSubjectOf(change))
  const source = visit.form.text('source')
  return {
    change,
    subject: isAreaKey(source) && !subject.source ? { ...subject, source } : subject,
  }
}

/** If the change is no longer a draft, redirects to its page, which shows its state. */
export async function showChangeEdit(visit: Visit, problem?: FormProblem): Promise<PageOutcome> {
  const { change, subject } = await draftOf(visit)
  const { id, status, proposedBy, terms, version } = change
  const page = visit.at(`/changes/${id}`)
  const isOpen = status === 'draft' || status === 'returned'
  if (!isOpen || proposedBy.id !== visit.person.id) return { to: page }
  return {
    title: 'Edit the change',
    lead: 'Saving discards earlier reviews.',
    up: { href: page, label: terms.title },
    body: await formOf({
      ...{ visit, subject, problem, action: visit.at(`/changes/${id}/edit`) },
      draft: { terms, version },
    }),
  }
}

/** Optional fields that are removed if the form does not contain them. */
const removable = ['window', 'implementer_id'] as const

export async function editChange(visit: Visit): Promise<Redirect> {
  const { change, subject } = await draftOf(visit)
  const base = await formBaseOf(visit, subject)
  const body = changeBodyOf(visit, subject, base)
  assertFits(visit, subject, base, body)
  const { client_id: _, ...rest } = body
  const absent = removable.filter((name) => !(name in body)).map((name) => [name, null] as const)
  // Members do not see the implementer among staff, so it is left unchanged.
  const taken = absent.filter(([name]) => visit.isStaff || name !== 'implementer_id')
  const act = {
    params: { id: change.id },
    seen: visit.form.text('seen'),
    body: { ...rest, ...Object.fromEntries(taken) },
  }
  await visit.do('PATCH /v1/changes/{id}', act)
  return { to: visit.at(`/changes/${change.id}`), notice: 'change-drafted' }
}
