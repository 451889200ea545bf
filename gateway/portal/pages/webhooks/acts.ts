/** Carries out actions on an endpoint through the REST routes. */
import type { Elsewhere } from '../../page.ts'
import type { Act } from '../../acts.ts'
import type { Told } from '../../html/told.ts'
import type { Visit } from '../../visit.ts'
import { momentIn } from '../../words/times.ts'

const path = '/v1/webhook-endpoints/{id}'

async function done(visit: Visit, route: string, act: Act, told: Told): Promise<Elsewhere> {
  const id = visit.param('id')
  await visit.do(route, { params: { id }, ...act })
  return { to: visit.at(`/webhooks/${id}`), told }
}

export const sendPing = (visit: Visit) => done(visit, `POST ${path}/verify`, {}, 'ping-sent')

export function sendTest(visit: Visit): Promise<Elsewhere> {
  const body = { event_type: visit.form.text('event_type') }
  return done(visit, `POST ${path}/test`, { body }, 'test-sent')
}

/** For the pages `…/disable` and `…/enable`. */
export function changeStanding(visit: Visit): Promise<Elsewhere> {
  const seen = visit.form.text('seen')
  if (visit.verb === 'enable') return done(visit, `POST ${path}/enable`, { seen }, 'enabled')
  const body = { reason: visit.form.text('reason') }
  return done(visit, `POST ${path}/disable`, { seen, body }, 'paused')
}

export function recover(visit: Visit): Promise<Elsewhere> {
  const { form, zone } = visit
  const until = form.given('until')
  const body = {
    since: momentIn(form.text('since'), zone),
    ...(until !== undefined && { until: momentIn(until, zone) }),
  }
  return done(visit, `POST ${path}/recover`, { body, once: form.text('once') }, 'recovering')
}

export async function removeEndpoint(visit: Visit): Promise<Elsewhere> {
  const act = { params: { id: visit.param('id') }, seen: visit.form.text('seen') }
  await visit.do(`DELETE ${path}`, act)
  return { to: visit.at('/webhooks'), told: 'endpoint-removed' }
}
