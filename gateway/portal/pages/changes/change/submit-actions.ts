/** Carries out the actions of a change's forms through the REST routes. */
import { z } from 'zod'
import type { NoticeName } from '../../../html/notices.ts'
import type { Redirect, PortalPage } from '../../../page.ts'
import { bothSurfaces } from '../../../page.ts'
import type { Visit } from '../../../visit.ts'
import { momentIn } from '../../../../html/times.ts'
import { reviewIn } from '../../reviews.tsx'
import { suffixOf } from './change-actions.tsx'
import { showChange } from './change.tsx'
import type { ChangeVerb } from './possible-actions.ts'

interface Act {
  /** Absent if the verb takes no body. */
  readonly body?: (visit: Visit) => unknown
  /** The message for the state that the change has now. */
  readonly notice: (status: string) => NoticeName
}

const reason = ({ form }: Visit) => ({ reason: form.text('reason') })

const lines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const acts: Readonly<Record<ChangeVerb, Act>> = {
  propose: {
    notice: (status) => (status === 'approved' ? 'change-ready' : 'change-proposed'),
  },
  review: {
    body: reviewIn,
    notice: (status) => (status === 'approved' ? 'change-approved' : 'reviewed'),
  },
  schedule: {
    body: ({ form, zone }) => ({
      window: {
        start: momentIn(form.text('window_start'), zone),
        end: momentIn(form.text('window_end'), zone),
      },
    }),
    notice: () => 'scheduled',
  },
  start: { notice: () => 'started' },
  complete: {
    body: ({ form }) => ({ evidence: lines(form.text('evidence')), notes: form.text('notes') }),
    notice: () => 'change-done',
  },
  fail: { body: reason, notice: () => 'change-failed' },
  roll_back: { body: reason, notice: () => 'rolled-back' },
  cancel: { body: reason, notice: () => 'cancelled' },
  post_review: { body: reason, notice: () => 'change-looked-at' },
}

const answer = z.object({ data: z.object({ status: z.string() }) })

const submit =
  (verb: ChangeVerb) =>
  async (visit: Visit): Promise<Redirect> => {
    const { body, notice: noticeName } = acts[verb]
    const id = visit.param('id')
    const given = { params: { id }, seen: visit.form.text('seen') }
    const act = body ? { ...given, body: body(visit) } : given
    const name = `POST /v1/changes/{id}/${suffixOf[verb]}`
    const { data } = await visit.deps.acts.run(visit.facts, name, act, answer)
    return { to: visit.at(`/changes/${id}`), notice: noticeName(data.status) }
  }

export const actPages: readonly PortalPage[] = (Object.keys(acts) as ChangeVerb[]).map((verb) => ({
  path: `/changes/{id}/${suffixOf[verb]}`,
  in: bothSurfaces,
  submit: submit(verb),
  again: showChange,
}))
