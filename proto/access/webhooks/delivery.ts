/** The delivery of one event to one endpoint, with every attempt: a record of KV `deliveries`. */
import type { AreaKey } from '../areas/areas.ts'
import type { DeliveryId, EndpointId } from '../ids.ts'

/** The two surfaces; a delivery's key begins with one of them. */
export const webhookSurfaces = ['access', 'service'] as const
export type WebhookSurface = (typeof webhookSurfaces)[number]

/** An event as receivers get it. */
export interface WebhookEvent {
  /** `evt_…`: sent as `webhook-id`, the same on all attempts and replays. */
  readonly id: string
  readonly type: string
  /** When it happened, in wall-clock ms. */
  readonly atMs: number
  /** The object of the event. Only records have an area. */
  readonly object: {
    readonly area?: AreaKey
    readonly kind?: string
    readonly id: string
    readonly version?: number
  }
  /** Plain words such as a status, beside the ids; never a client's data. */
  readonly more?: Readonly<Record<string, string>>
}

export const deliveryStatuses = [
  'pending',
  'sending',
  'retrying',
  'delivered',
  'exhausted',
  'cancelled',
] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]
export const deliveryTriggers = ['event', 'manual', 'recover', 'test', 'verify'] as const
export type DeliveryTrigger = (typeof deliveryTriggers)[number]

/**
 * Error classes only: an address or a resolver's error text would turn the service into a port
 * scanner.
 */
const attemptErrors = [
  'status',
  'redirect',
  'blocked_address',
  'dns',
  'connection',
  'timeout',
  'tls',
  'interrupted',
  'unsignable',
] as const
export type AttemptError = (typeof attemptErrors)[number]

export interface DeliveryAttempt {
  /** 1, 2, 3 …, never reused. */
  readonly n: number
  readonly atMs: number
  readonly durationMs: number
  readonly statusCode?: number
  readonly error?: AttemptError
  /** The beginning of the receiver's response. */
  readonly excerpt?: string
}

/** Why a delivery is not or was not sent. */
const deliveryReasons = [
  'endpoint_disabled',
  'grant_ended',
  'access_suspended',
  'not_granted',
  'backlog_full',
] as const
export type DeliveryReason = (typeof deliveryReasons)[number]

export interface Delivery {
  readonly v: 1
  readonly id: DeliveryId
  readonly surface: WebhookSurface
  readonly tenant: string
  readonly endpointId: EndpointId
  readonly event: WebhookEvent
  readonly trigger: DeliveryTrigger
  /** For a ping: the version of the endpoint from which on it is valid. */
  readonly endpointVersion?: number
  readonly status: DeliveryStatus
  /** Number of attempts started. */
  readonly attempt: number
  readonly attempts: readonly DeliveryAttempt[]
  readonly createdAtMs: number
  /** Set while `pending` or `retrying`. */
  readonly nextAttemptAtMs?: number
  /** Set while `sending`: the worker that claimed the attempt. */
  readonly claim?: { readonly by: string; readonly atMs: number; readonly untilMs: number }
  readonly completedAtMs?: number
  readonly reason?: DeliveryReason
}

export const isDeliveryOpen = ({ status }: Pick<Delivery, 'status'>): boolean =>
  status === 'pending' || status === 'sending' || status === 'retrying'

/** True for deliveries that are attempted only once, whether they succeed or not. */
export const isSentOnce = ({ trigger }: Pick<Delivery, 'trigger'>): boolean =>
  trigger === 'verify' || trigger === 'test'
