/** Endpoints and deliveries, as the routes show them to the signed-in person. */
import type { z } from 'zod'
import { endpointActor, type EndpointView } from '../../../../proto/access/webhooks/endpoint.ts'
import type { GrantView } from '../../../../proto/access/grants/grant.ts'
import { unknownEntity } from '../../../access/governance/governance.ts'
import { isHolder } from '../../../access/gate/holder.ts'
import { dataJson, pageJson } from '../../../routing/schemas/access-json.ts'
import { isShown } from '../../../access/webhooks/endpoint-routes.ts'
import { healthJson, type EndpointHealth } from '../../../webhooks/health.ts'
import { deliveryJson, wholeDeliveryJson } from '../../../webhooks/json.ts'
import type { Visit } from '../../visit.ts'

export type DeliveryData = z.output<typeof deliveryJson>

/** Newest first. */
export const endpointsFor = (visit: Visit, client?: string): readonly EndpointView[] =>
  visit.list('endpoint', client).filter(isShown)

/** Throws `not_found`. */
export async function endpointOf(visit: Visit): Promise<EndpointView> {
  const { governance } = visit.deps
  const view = await governance.get(endpointActor, visit.facts.caller, visit.param('id'))
  if (!isShown(view)) throw unknownEntity('endpoint')
  return view
}

export const grantOf = (
  visit: Visit,
  { grantId }: Pick<EndpointView, 'grantId'>,
): GrantView | undefined => (grantId === null ? undefined : visit.find('grant', grantId))

/** Whether this person may change it. */
export function isMine(visit: Visit, endpoint: Pick<EndpointView, 'grantId'>): boolean {
  const grant = grantOf(visit, endpoint)
  return grant !== undefined && isHolder(grant, visit.person)
}

async function healthOf(visit: Visit, id: string): Promise<EndpointHealth> {
  const { acts } = visit.deps
  const route = 'GET /v1/webhook-endpoints/{id}/health'
  return (await acts.run(visit.facts, route, { params: { id } }, dataJson(healthJson))).data
}

/** Each reads the newest deliveries of an endpoint, so only a few run concurrently. */
const healthsAtOnce = 5

export async function healthsOf(
  visit: Visit,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EndpointHealth>> {
  const found = new Map<string, EndpointHealth>()
  for (let at = 0; at < ids.length; at += healthsAtOnce) {
    const some = ids.slice(at, at + healthsAtOnce)
    const healths = await Promise.all(some.map((id) => healthOf(visit, id)))
    for (const health of healths) found.set(health.endpoint_id, health)
  }
  return found
}

export function deliveriesFor(visit: Visit, query: Readonly<Record<string, string>>) {
  const { acts } = visit.deps
  return acts.run(visit.facts, 'GET /v1/webhook-deliveries', { query }, pageJson(deliveryJson))
}

export async function deliveryOf(visit: Visit) {
  const { acts } = visit.deps
  const act = { params: { id: visit.param('id') } }
  const route = 'GET /v1/webhook-deliveries/{id}'
  return (await acts.run(visit.facts, route, act, dataJson(wholeDeliveryJson))).data
}
