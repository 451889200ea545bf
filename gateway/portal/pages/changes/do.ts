/** Carries out the actions of a change's forms through the REST routes. */
import { z } from 'zod'
import type { Told } from '../../html/told.ts'
import type { Elsewhere, Page } from '../../page.ts'
import { everywhere } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { momentIn } from '../../words/times.ts'
import { reviewIn } from '../reviews.tsx'
import { suffixOf } from './acts.tsx'
import { showChange } from './change.tsx'
import type { ChangeVerb } from './standing.ts'

interface Act {
  /** Absent if the verb takes no body. */
  readonly body?: (visit: Visit) => unknown
  /** The message for the state that the change has now. */
  readonly told: (status: string) => Told
}

const reason = ({ form }: Visit) => ({ reason: form.text('reason') })

const lines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const acts: Readonly<Record<ChangeVerb, Act>> = {
  propose: {
    told: (status) => (status === 'approved' ? 'change-ready' : 'change-proposed'),
  },
  review: {
    body: reviewIn,
    told: (status) => (status === 'approved' ? 'change-approved' : 'reviewed'),
  },
  schedule: {
    body: ({ form, zone }) => ({
      window: {
        start: momentIn(form.text('window_start'), zone),
        end: momentIn(form.text('window_end'), zone),
      },
    }),
    told: () => 'scheduled',
  },
  start: { told: () => 'started' },
  complete: {
    body: ({ form }) => ({ evidence: lines(form.text('evidence')), notes: form.text('notes') }),
    told: () => 'change-done',
  },
  fail: { body: reason, told: () => 'change-failed' },
  roll_back: { body: reason, told: () => 'rolled-back' },
  cancel: { body: reason, told: () => 'cancelled' },
  post_review: { body: reason, told: () => 'change-looked-at' },
}

const answer = z.object({ data: z.object({ status: z.string() }) })

const submit =
  (verb: ChangeVerb) =>
  async (visit: Visit): Promise<Elsewhere> => {
    const { body, told } = acts[verb]
    const id = visit.param('id')
    const given = { params: { id }, seen: visit.form.text('seen') }
    const act = body ? { ...given, body: body(visit) } : given
    const name = `POST /v1/changes/{id}/${suffixOf[verb]}`
    const { data } = await visit.deps.acts.run(visit.facts, name, act, answer)
    return { to: visit.at(`/changes/${id}`), told: told(data.status) }
  }

export const actPages: readonly Page[] = (Object.keys(acts) as ChangeVerb[]).map((verb) => ({
  path: `/changes/{id}/${suffixOf[verb]}`,
  in: everywhere,
  submit: submit(verb),
  again: showChange,
}))
