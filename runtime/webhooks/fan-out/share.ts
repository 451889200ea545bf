/**
 * Creates a delivery of an event for each endpoint that subscribes to it and may receive it now.
 */
import type { Delivery, DeliveryReason } from '../../../proto/access/webhooks/delivery.ts'
import type { EndpointView } from '../../../proto/access/webhooks/endpoint.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import { deliveryIdOf, newDelivery, webhookSurfaceOf } from '../delivery/make.ts'
import { isEventTypeNamed } from '../events/registry.ts'
import { matchesPermission, checkDeliveryPermission } from '../send/allowed.ts'
import type { WebhookViews } from '../views.ts'
import type { WebhookSurface } from '../../../proto/access/webhooks/delivery.ts'
import type { Occurrence } from './occurrences.ts'

export interface ShareDeps {
  readonly views: Pick<WebhookViews, 'get' | 'endpointsOf'>
  /** Number of unsent deliveries of an endpoint. */
  readonly backlogOf: (endpointId: string) => number
  readonly nowMs: number
}

export function deliveriesForOccurrence(
  deps: ShareDeps,
  surface: WebhookSurface,
  happening: Occurrence,
  endpoints: readonly EndpointView[] = deps.views.endpointsOf(happening.tenant),
): readonly Delivery[] {
  const { event } = happening
  return endpoints.flatMap((endpoint) => {
    if (webhookSurfaceOf(endpoint) !== surface || !isAsked(endpoint, happening)) return []
    const held = heldBack(deps, endpoint, happening)
    if (held === 'nothing') return []
    // Uses the event's time, so that every host derives the same id.
    const id = deliveryIdOf(event.id, endpoint.id, event.atMs)
    const order = { id, event, trigger: 'event', nowMs: deps.nowMs } as const
    return [newDelivery(endpoint, { ...order, ...(held && { held }) })]
  })
}

/** Only events after the endpoint was verified. */
function isAsked(endpoint: EndpointView, { event }: Occurrence): boolean {
  const { verifiedAtMs, events } = endpoint
  if (verifiedAtMs === undefined || event.atMs < verifiedAtMs) return false
  return events.some((name) => isEventTypeNamed(name, event.type))
}

/**
 * Why a delivery is stored but not sent, for a later recovery: the endpoint is off or cannot keep
 * up.
 */
function heldBack(
  { views, nowMs, backlogOf }: ShareDeps,
  endpoint: EndpointView,
  { event, record }: Occurrence,
): DeliveryReason | 'nothing' | undefined {
  const verdict = checkDeliveryPermission(views, endpoint, event, nowMs)
  if (!verdict.isAllowed) return 'nothing'
  if (verdict.permission && !matchesPermission(verdict.permission, record)) return 'nothing'
  if (endpoint.status === 'removed' || endpoint.status === 'pending') return 'nothing'
  if (endpoint.status === 'disabled') return 'endpoint_disabled'
  return backlogOf(endpoint.id) >= limits.pendingPerEndpoint ? 'backlog_full' : undefined
}
