/** Sends a review of a request, bound to the version that was shown. */
import { z } from 'zod'
import type { Redirect } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { reviewIn } from '../reviews.tsx'

const reviewed = z.object({ data: z.object({ status: z.string() }) })

export async function giveReview(visit: Visit): Promise<Redirect> {
  const { form, deps, facts } = visit
  const id = visit.param('id')
  const act = { params: { id }, seen: form.text('seen'), body: reviewIn(visit) }
  const name = 'POST /v1/access-requests/{id}/reviews'
  const { data } = await deps.acts.run(facts, name, act, reviewed)
  const noticeName = data.status === 'fulfilled' ? 'granted' : 'reviewed'
  return { to: visit.at(`/requests/${id}`), notice: noticeName }
}
