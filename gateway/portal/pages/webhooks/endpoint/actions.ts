/** Carries out actions on an endpoint through the REST routes. */
import type { Redirect } from '../../../page.ts'
import type { InnerCall } from '../../../../routing/inner-request.ts'
import type { NoticeName } from '../../../html/notices.ts'
import type { Visit } from '../../../visit.ts'
import { momentIn } from '../../../../html/times.ts'

const path = '/v1/webhook-endpoints/{id}'

async function submitAction(
  visit: Visit,
  route: string,
  act: InnerCall,
  noticeName: NoticeName,
): Promise<Redirect> {
  const id = visit.param('id')
  await visit.do(route, { params: { id }, ...act })
  return { to: visit.at(`/webhooks/${id}`), notice: noticeName }
}

export const sendPing = (visit: Visit) =>
  submitAction(visit, `POST ${path}/verify`, {}, 'ping-sent')

export function sendTest(visit: Visit): Promise<Redirect> {
  const body = { event_type: visit.form.text('event_type') }
  return submitAction(visit, `POST ${path}/test`, { body }, 'test-sent')
}

/** For the pages `…/disable` and `…/enable`. */
export function changeEndpointState(visit: Visit): Promise<Redirect> {
  const seen = visit.form.text('seen')
  if (visit.verb === 'enable')
    return submitAction(visit, `POST ${path}/enable`, { seen }, 'enabled')
  const body = { reason: visit.form.text('reason') }
  return submitAction(visit, `POST ${path}/disable`, { seen, body }, 'paused')
}

export function recoverDeliveriesOfEndpoint(visit: Visit): Promise<Redirect> {
  const { form, zone } = visit
  const until = form.given('until')
  const body = {
    since: momentIn(form.text('since'), zone),
    ...(until !== undefined && { until: momentIn(until, zone) }),
  }
  return submitAction(
    visit,
    `POST ${path}/recover`,
    { body, once: form.text('once') },
    'recovering',
  )
}

export async function removeEndpoint(visit: Visit): Promise<Redirect> {
  const act = { params: { id: visit.param('id') }, seen: visit.form.text('seen') }
  await visit.do(`DELETE ${path}`, act)
  return { to: visit.at('/webhooks'), notice: 'endpoint-removed' }
}
