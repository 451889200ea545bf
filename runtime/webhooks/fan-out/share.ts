/** Shares an event out: a delivery for each endpoint that asked for it and may be told of it now. */
import type { Delivery, DeliveryReason } from '../../../proto/access/delivery.ts'
import type { EndpointView } from '../../../proto/access/endpoint.ts'
import { webhookLimits as limits } from '../../../proto/access/webhook-limits.ts'
import { deliveryIdOf, newDelivery, surfaceOf } from '../delivery/make.ts'
import { isNamed } from '../events/registry.ts'
import { isSeen, verdictOn } from '../send/allowed.ts'
import type { HookViews } from '../views.ts'
import type { HookSurface } from '../../../proto/access/delivery.ts'
import type { Happening } from './happening.ts'

export interface ShareDeps {
  readonly views: Pick<HookViews, 'get' | 'endpointsOf'>
  /** How many wait for an endpoint already. */
  readonly backlogOf: (endpointId: string) => number
  readonly nowMs: number
}

export function deliveriesOf(
  deps: ShareDeps,
  surface: HookSurface,
  happening: Happening,
  endpoints: readonly EndpointView[] = deps.views.endpointsOf(happening.tenant),
): readonly Delivery[] {
  const { event } = happening
  return endpoints.flatMap((endpoint) => {
    if (surfaceOf(endpoint) !== surface || !isAsked(endpoint, happening)) return []
    const held = heldBack(deps, endpoint, happening)
    if (held === 'nothing') return []
    // Its time is the event's: whoever shares it out again makes the same.
    const id = deliveryIdOf(event.id, endpoint.id, event.atMs)
    const order = { id, event, trigger: 'event', nowMs: deps.nowMs } as const
    return [newDelivery(endpoint, { ...order, ...(held && { held }) })]
  })
}

/** From the moment on that it was proved whose it is. */
function isAsked(endpoint: EndpointView, { event }: Happening): boolean {
  const { verifiedAtMs, events } = endpoint
  if (verifiedAtMs === undefined || event.atMs < verifiedAtMs) return false
  return events.some((name) => isNamed(name, event.type))
}

/** Kept for whoever recovers them: what comes while an endpoint is off, or cannot keep up. */
function heldBack(
  { views, nowMs, backlogOf }: ShareDeps,
  endpoint: EndpointView,
  { event, record }: Happening,
): DeliveryReason | 'nothing' | undefined {
  const verdict = verdictOn(views, endpoint, event, nowMs)
  if (!verdict.isAllowed) return 'nothing'
  if (verdict.permission && !isSeen(verdict.permission, record)) return 'nothing'
  if (endpoint.status === 'removed' || endpoint.status === 'pending') return 'nothing'
  if (endpoint.status === 'disabled') return 'endpoint_disabled'
  return backlogOf(endpoint.id) >= limits.pendingPerEndpoint ? 'backlog_full' : undefined
}
