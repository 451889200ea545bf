/** The pages for asking for a change step by step, and for editing a draft. */
import { z } from 'zod'
import { changeActor } from '../../../../../proto/access/change.ts'
import { customAccess } from '../../../../../proto/access/change-terms.ts'
import { ServiceError } from '../../../../../proto/errors.ts'
import { isAreaKey } from '../../../../../proto/access/areas.ts'
import type { Elsewhere, Outcome, Problem, Shown } from '../../../page.ts'
import { withEach } from '../../../problem.ts'
import type { Visit } from '../../../visit.ts'
import { baseOf, choicesOf, specsOf } from './base.ts'
import { assertFits, bodyOf, wrongIn } from './body.ts'
import { ChangeForm, type FormProps } from './form.tsx'
import { clientStep, kindStep, recordStep, sourceStep } from './steps.tsx'
import { clientIn, wishIn, wishOf, type Wish } from './wish.ts'

/** Shows the first step without an answer, or the form if all are answered. */
export async function showNew(visit: Visit, problem?: Problem): Promise<Shown> {
  const client = clientIn(visit)
  if (client === undefined) return clientStep(visit)
  const wish = wishIn(visit, client)
  if (!wish) return kindStep(visit, client)
  const { on, record, does } = wish
  if (record === undefined || (record === 'new' && does === 'delete')) {
    return recordStep(visit, { ...wish, record: undefined })
  }
  if (on === customAccess && record === 'new' && !wish.source) return sourceStep(visit, wish)
  const props = { visit, wish: withSource(visit, wish), problem, action: visit.at('/changes/new') }
  return {
    title: wish.template?.title ?? 'Ask for a change',
    lead: 'Say it so that those who review it need not ask back.',
    up: { href: visit.at('/changes'), label: 'Changes' },
    body: await formOf(props),
  }
}

/** Fills in the area of an existing view. */
function withSource(visit: Visit, wish: Wish): Wish {
  const source = visit.find('custom', wish.record ?? '')?.definition.source_area
  return source === undefined ? wish : { ...wish, source }
}

async function formOf(of: Omit<FormProps, 'base' | 'choices'>) {
  const { visit, wish, problem } = of
  const base = await baseOf(visit, wish)
  const choices = await choicesOf(visit, wish, specsOf(wish))
  const isRefused = problem && ['validation_failed', 'unknown_field'].includes(problem.error.type)
  const each = isRefused
    ? wrongIn(wish, base, bodyOf(visit, wish, base))
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

export async function draft(visit: Visit): Promise<Elsewhere> {
  const client = clientIn(visit)
  const found = client === undefined ? undefined : wishIn(visit, client)
  if (!found) throw new ServiceError('bad_request', 'Choose first what the change is about.')
  const wish = withSource(visit, found)
  const base = await baseOf(visit, wish)
  const body = bodyOf(visit, wish, base)
  assertFits(visit, wish, base, body)
  const act = { body, once: visit.form.text('once') }
  const { data } = await visit.deps.acts.run(visit.facts, 'POST /v1/changes', act, made)
  return { to: visit.at(`/changes/${data.id}`), told: 'change-drafted' }
}

async function draftOf(visit: Visit) {
  const id = visit.param('id')
  const change = await visit.deps.governance.get(changeActor, visit.facts.caller, id)
  const wish = withSource(visit, wishOf(change))
  const source = visit.form.text('source')
  return { change, wish: isAreaKey(source) && !wish.source ? { ...wish, source } : wish }
}

/** If the change is no longer a draft, redirects to its page, which shows its state. */
export async function showEdit(visit: Visit, problem?: Problem): Promise<Outcome> {
  const { change, wish } = await draftOf(visit)
  const { id, status, proposedBy, terms, version } = change
  const page = visit.at(`/changes/${id}`)
  const isOpen = status === 'draft' || status === 'returned'
  if (!isOpen || proposedBy.id !== visit.person.id) return { to: page }
  return {
    title: 'Rewrite the change',
    lead: 'Earlier reviews count no more once it is saved.',
    up: { href: page, label: terms.title },
    body: await formOf({
      ...{ visit, wish, problem, action: visit.at(`/changes/${id}/edit`) },
      draft: { terms, version },
    }),
  }
}

/** Optional fields that are removed if the form does not contain them. */
const removable = ['window', 'implementer_id'] as const

export async function edit(visit: Visit): Promise<Elsewhere> {
  const { change, wish } = await draftOf(visit)
  const base = await baseOf(visit, wish)
  const body = bodyOf(visit, wish, base)
  assertFits(visit, wish, base, body)
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
  return { to: visit.at(`/changes/${change.id}`), told: 'change-drafted' }
}
