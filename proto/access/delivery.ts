/** One event on its way to one endpoint, with each attempt: a record of KV `deliveries`. */
import type { AreaKey } from './areas.ts'
import type { DeliveryId, EndpointId } from './ids.ts'

/** The two surfaces, as keys of deliveries begin. */
export const hookSurfaces = ['access', 'service'] as const
export type HookSurface = (typeof hookSurfaces)[number]

/** Something that happened, as receivers are told of it. */
export interface HookEvent {
  /** `evt_…`: `webhook-id`, the same on all attempts and replays. */
  readonly id: string
  readonly type: string
  /** When it happened, in wall-clock ms. */
  readonly atMs: number
  /** What it is about. Only records have an area. */
  readonly object: {
    readonly area?: AreaKey
    readonly kind?: string
    readonly id: string
    readonly version?: number
  }
  /** Plain words beside the ids, such as a status; never data of a client. */
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

/** Classes alone: an address or a text of a resolver would make a port scanner of the service. */
export const attemptErrors = [
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
  /** 1, 2, 3 …: no number comes twice. */
  readonly n: number
  readonly atMs: number
  readonly durationMs: number
  readonly statusCode?: number
  readonly error?: AttemptError
  /** Of what the receiver answered. */
  readonly excerpt?: string
}

/** Why nothing is, or was, sent. */
export const deliveryReasons = [
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
  readonly surface: HookSurface
  readonly tenant: string
  readonly endpointId: EndpointId
  readonly event: HookEvent
  readonly trigger: DeliveryTrigger
  /** Of a ping: it is for the endpoint as it is from this version on. */
  readonly endpointVersion?: number
  readonly status: DeliveryStatus
  /** Attempts that were begun. */
  readonly attempt: number
  readonly attempts: readonly DeliveryAttempt[]
  readonly createdAtMs: number
  /** Of `pending` and `retrying`. */
  readonly nextAttemptAtMs?: number
  /** Of `sending`: who has claimed the attempt. */
  readonly claim?: { readonly by: string; readonly atMs: number; readonly untilMs: number }
  readonly completedAtMs?: number
  readonly reason?: DeliveryReason
}

export const isOpen = ({ status }: Pick<Delivery, 'status'>): boolean =>
  status === 'pending' || status === 'sending' || status === 'retrying'

/** What is sent once, whatever comes of it. */
export const isSentOnce = ({ trigger }: Pick<Delivery, 'trigger'>): boolean =>
  trigger === 'verify' || trigger === 'test'
