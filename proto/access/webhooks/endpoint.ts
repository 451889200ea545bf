/**
 * A webhook endpoint: a URL that its owner has verified, the events it subscribes to, and the
 * signing secrets. It depends on a grant of Surface A, or belongs to a tenant of Surface B.
 */
import { z } from 'zod'
import { actorProtocol, commandVerb, endVerb, queryVerb } from '../../actor.ts'
import type { ByAuthor } from '../author.ts'
import { reasonText, type AccessView, type EntityReply } from '../common.ts'
import { accessId, type DeliveryId, type EndpointId, type GrantId, type NeedId } from '../ids.ts'
import { webhookLimits as limits } from './webhook-limits.ts'

/** `pending`: only the ping that verifies ownership is sent. */
export const endpointStatuses = ['pending', 'active', 'disabled', 'removed'] as const
export type EndpointStatus = (typeof endpointStatuses)[number]

/** Why an endpoint is not active. */
const endpointReasons = ['by_request', 'failing', 'gone', 'grant_ended', 'url_changed'] as const
export type EndpointReason = (typeof endpointReasons)[number]

export const signatureKinds = ['hmac', 'ed25519'] as const
export type SignatureKind = (typeof signatureKinds)[number]
export const payloadKinds = ['thin', 'full'] as const
export type PayloadKind = (typeof payloadKinds)[number]

/** `contact.created`, or `contact.*` for all contact events. */
const eventPattern = /^[a-z0-9_]+(\.[a-z0-9_]+)*\.(\*|[a-z0-9_]+)$/
const eventNames = z
  .array(
    z
      .string()
      .max(100)
      .regex(eventPattern, 'must be an event type such as contact.created, or contact.*'),
  )
  .min(1)
  .max(limits.eventsPerEndpoint)
  .transform((names) => [...new Set(names)])

const shape = {
  url: z
    .string()
    .min(1)
    .max(2 * limits.urlChars),
  description: z.string().trim().max(limits.descriptionChars),
  events: eventNames.describe('Event types; contact.* stands for all contact events.'),
  rate_per_second: z.int().min(1).max(limits.ratePerSecondMost),
}
const payload = z
  .enum(payloadKinds)
  .describe(
    'thin: only ids, to fetch the record with; full: also the record as the grant shows it.',
  )

const signature = z
  .enum(signatureKinds)
  .default('hmac')
  .describe('hmac: a shared secret (v1); ed25519: a key pair whose public key you receive (v1a).')

const made = {
  url: shape.url,
  events: shape.events,
  description: shape.description.default(''),
  rate_per_second: shape.rate_per_second.default(limits.ratePerSecond),
  signature,
}
export const endpointBody = z.strictObject({
  grant_id: accessId('grant').describe(
    'A grant with the path webhooks. Events are only about what it may read.',
  ),
  ...made,
  payload: payload.default('thin'),
})
/** The creation body for tenants of Surface B. */
export const webhookBody = z.strictObject(made)
export const endpointPatch = z.strictObject({ ...shape, payload }).partial()
export const webhookPatch = z.strictObject(shape).partial()
export const secretRotation = z.strictObject({
  grace_seconds: z
    .int()
    .min(0)
    .max(limits.secretGraceMostMs / 1_000)
    .default(limits.secretGraceMs / 1_000)
    .describe('How long the old secret also signs, in seconds.'),
})
export const endpointTest = z.strictObject({
  event_type: z.string().max(100).default('webhook.ping').describe('The type of the test event.'),
})
export const endpointReason = z.strictObject({ reason: reasonText })
export const recoveryBody = z.strictObject({
  since: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  until: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional(),
})

/**
 * Sealed for its endpoint. Receivers verify with a text that is shown once, or with a public key.
 */
export interface EndpointSecret {
  readonly id: string
  readonly kind: SignatureKind
  readonly sealed: string
  /** The last characters of a shared secret. */
  readonly hint: string
  /** `whpk_…`: the public key of a key pair. */
  readonly publicKey?: string
  readonly createdAtMs: number
  /** Until this time it signs beside the newer secret. */
  readonly expiresAtMs?: number
}

/** The same secret sealed with another key. `was`: the sealed text that it replaces. */
export interface ResealedSecret extends Pick<EndpointSecret, 'id' | 'sealed'> {
  readonly was: string
}

export interface EndpointSettings {
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly payload: PayloadKind
  readonly ratePerSecond: number
}

export interface EndpointInput extends ByAuthor, EndpointSettings {
  readonly id: EndpointId
  /** A client's id, or a tenant of Surface B. */
  readonly tenant: string
  readonly createdAtMs: number
  /** Null for a tenant of Surface B. */
  readonly grantId: GrantId | null
  readonly needId: NeedId | null
  readonly secret: EndpointSecret
}

export interface EndpointView extends AccessView, EndpointSettings {
  readonly id: EndpointId
  readonly status: EndpointStatus
  readonly statusReason?: EndpointReason
  /** A person's reason, or one sentence of the service. */
  readonly reason?: string
  readonly grantId: GrantId | null
  readonly needId: NeedId | null
  /** Newest first. */
  readonly secrets: readonly EndpointSecret[]
  readonly verifiedAtMs?: number
  readonly lastSuccessAtMs?: number
  readonly failingSinceMs?: number
}

type Reasoned = ByAuthor & { readonly reason: string }
type EndpointVerbReply = EntityReply<EndpointView>

export const endpointActor = actorProtocol<EndpointInput, EndpointView>()('endpoint', {
  created: queryVerb<EndpointVerbReply>(),
  get: queryVerb<EndpointVerbReply>(),
  /** A new URL has to be verified again. */
  update: commandVerb<
    EndpointVerbReply,
    ByAuthor & { readonly patch: Partial<EndpointSettings> }
  >(),
  /**
   * Sends one signed message, without retries; a 2xx response to `verify` activates the endpoint.
   */
  ping: commandVerb<
    EndpointVerbReply,
    ByAuthor & {
      readonly purpose: 'verify' | 'test'
      readonly deliveryId: DeliveryId
      readonly eventType: string
    }
  >(),
  /** Sends the same event again as a new delivery. */
  replay: commandVerb<
    EndpointVerbReply,
    ByAuthor & { readonly sourceId: DeliveryId; readonly deliveryId: DeliveryId }
  >(),
  /** Sends every undelivered event of a period again. Times are wall-clock ms. */
  recover: commandVerb<
    EndpointVerbReply,
    ByAuthor & { readonly sinceMs: number; readonly untilMs: number }
  >(),
  enable: commandVerb<EndpointVerbReply, ByAuthor>(),
  disable: endVerb<EndpointVerbReply, Reasoned>(),
  rotate: commandVerb<
    EndpointVerbReply,
    ByAuthor & { readonly secret: EndpointSecret; readonly graceMs: number }
  >(),
  remove: endVerb<EndpointVerbReply, ByAuthor>(),
  /** Sent by the delivery workers. `url`: the one that responded. */
  verified: commandVerb<EndpointVerbReply, { readonly url: string }>(),
  delivery_succeeded: commandVerb<EndpointVerbReply, { readonly atMs: number }>(),
  delivery_failed: commandVerb<EndpointVerbReply, { readonly atMs: number }>(),
  /** The endpoint responded 410. */
  gone: commandVerb<EndpointVerbReply>(),
  grant_ended: commandVerb<EndpointVerbReply>(),
  /**
   * Sent by `troupe credentials reseal`. A secret whose sealed text has changed since is skipped.
   */
  resealed: commandVerb<EndpointVerbReply, { readonly secrets: readonly ResealedSecret[] }>(),
})
