/** Finds the webhooks of a tenant, and sends commands to their actors. */
import { z } from 'zod'
import type { MessageOf } from '../../proto/actor.ts'
import { endpointActor, type EndpointView } from '../../proto/access/webhooks/endpoint.ts'
import { isAccessId } from '../../proto/access/ids.ts'
import { isNotFound, ServiceError } from '../../proto/errors.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { Directory } from '../../runtime/actor/directory.ts'
import type { UntrustedUrlRules } from '../../runtime/lib/network/guard/untrusted-url.ts'
import type { Sealer } from '../../runtime/accounts/seal/seal.ts'
import type { DeliveryStore } from '../../runtime/webhooks/delivery/store.ts'
import type { ViewIndex } from '../../runtime/actor/views.ts'
import type { Principal } from '../routing/auth/auth.ts'
import type { OwnEndpoint } from './operations.ts'

export interface TenantWebhookDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly endpointViews: Pick<ViewIndex<EndpointView>, 'list' | 'learn'>
  readonly deliveries: DeliveryStore
  readonly sealer: Pick<Sealer, 'seal'>
  readonly clock: Clock
  readonly rules: UntrustedUrlRules
}

export const webhookPath = '/v1/webhooks'
export const ofWebhook = z.object({ id: z.string() })
export const webhookSurface = 'service' as const

const unknownError = () => new ServiceError('not_found', 'There is no webhook with this id.')
export const byKey = ({ keyId }: Principal, requestId: string) =>
  ({ kind: 'integration', id: keyId, requestId }) as const

/**
 * Sends a command to an endpoint of the tenant; an endpoint of scoped access is answered as
 * unknown.
 */
export async function askEndpoint(
  { directory }: TenantWebhookDeps,
  { tenant }: Principal,
  id: string,
  message: MessageOf<typeof endpointActor>,
): Promise<EndpointView> {
  if (!isAccessId('endpoint', id)) throw unknownError()
  try {
    return (await directory.ask(endpointActor, id, message, { tenant })).view
  } catch (error) {
    throw isNotFound(error) ? unknownError() : error
  }
}

export async function findEndpoint(
  deps: TenantWebhookDeps,
  caller: Principal,
  id: string,
): Promise<EndpointView> {
  const view = await askEndpoint(deps, caller, id, { type: 'get' })
  if (view.grantId !== null || view.status === 'removed') throw unknownError()
  return view
}

interface EndpointCall {
  readonly caller: Principal
  readonly params: { readonly id: string }
  readonly requestId: string
}

export async function ownEndpoint(
  deps: TenantWebhookDeps,
  { caller, params: { id }, requestId }: EndpointCall,
): Promise<OwnEndpoint> {
  return {
    view: await findEndpoint(deps, caller, id),
    by: byKey(caller, requestId),
    tell: (message) => askEndpoint(deps, caller, id, message),
  }
}

export const endpointsOf = (
  { endpointViews }: TenantWebhookDeps,
  { tenant }: Principal,
): EndpointView[] =>
  endpointViews
    .list(tenant)
    .filter(({ grantId, status }) => grantId === null && status !== 'removed')
