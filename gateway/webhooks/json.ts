/** The schemas of endpoints and deliveries, for both surfaces. */
import { z } from 'zod'
import {
  deliveryStatuses,
  deliveryTriggers,
  type Delivery,
} from '../../proto/access/webhooks/delivery.ts'
import {
  endpointStatuses,
  payloadKinds,
  signatureKinds,
  type EndpointSecret,
  type EndpointView,
} from '../../proto/access/webhooks/endpoint.ts'
import { webhookBodyText } from '../../runtime/webhooks/send/body.ts'
import { isoTime, entityStamps, stampsShape, timeJson } from '../routing/schemas/access-json.ts'

const secretJson = z.object({
  id: z.string(),
  signature: z.enum(signatureKinds),
  hint: z.string(),
  public_key: z.string().optional().describe('Public key of a key pair, to verify v1a signatures.'),
  created_at: timeJson,
  expires_at: timeJson
    .optional()
    .describe('Present on an older secret: until then it also signs, beside the newer one.'),
})

export const endpointJson = z.object({
  ...stampsShape,
  grant_id: z.string().optional(),
  url: z.string(),
  description: z.string(),
  events: z.array(z.string()),
  payload: z.enum(payloadKinds),
  rate_per_second: z.int(),
  status: z.enum(endpointStatuses),
  status_reason: z.string().optional(),
  reason: z.string().optional(),
  secrets: z
    .array(secretJson)
    .describe('At most two: the newest, and an older one in its grace period.'),
  verified_at: timeJson.optional(),
  last_success_at: timeJson.optional().describe('Time of the last success, accurate to a minute.'),
  failing_since: timeJson.optional(),
})

export const madeEndpointJson = endpointJson.extend({
  secret: z
    .string()
    .nullable()
    .describe(
      'The secret (whsec_…), shown only once; null for a key pair, because public_key is enough.',
    ),
})

const secretData = ({ id, kind, hint, publicKey, ...secret }: EndpointSecret) => ({
  ...{ id, signature: kind, hint },
  ...(publicKey !== undefined && { public_key: publicKey }),
  created_at: isoTime(secret.createdAtMs),
  ...(secret.expiresAtMs !== undefined && { expires_at: isoTime(secret.expiresAtMs) }),
})

export function endpointData(view: EndpointView) {
  const { grantId, statusReason, reason, verifiedAtMs, lastSuccessAtMs, failingSinceMs } = view
  return {
    ...entityStamps(view),
    ...(grantId !== null && { grant_id: grantId }),
    ...{ url: view.url, description: view.description, events: [...view.events] },
    ...{ payload: view.payload, rate_per_second: view.ratePerSecond, status: view.status },
    ...(statusReason && { status_reason: statusReason }),
    ...(reason !== undefined && { reason }),
    secrets: view.secrets.map(secretData),
    ...(verifiedAtMs !== undefined && { verified_at: isoTime(verifiedAtMs) }),
    ...(lastSuccessAtMs !== undefined && { last_success_at: isoTime(lastSuccessAtMs) }),
    ...(failingSinceMs !== undefined && { failing_since: isoTime(failingSinceMs) }),
  }
}

export const deliveryJson = z.object({
  id: z.string(),
  client_id: z.string().optional(),
  endpoint_id: z.string(),
  event_id: z.string().describe('The `webhook-id`, identical for all attempts and replays.'),
  event_type: z.string(),
  object: z.object({
    area: z.string().optional(),
    kind: z.string().optional(),
    id: z.string(),
    version: z.int().optional(),
  }),
  trigger: z.enum(deliveryTriggers),
  status: z.enum(deliveryStatuses),
  reason: z.string().optional().describe('Why the event was not delivered.'),
  attempt: z.int().describe('Number of attempts started.'),
  next_attempt_at: timeJson.optional(),
  attempts: z.array(
    z.object({
      n: z.int(),
      at: timeJson,
      duration_ms: z.int(),
      status_code: z.int().optional(),
      error: z.string().optional(),
      response_excerpt: z.string().optional(),
    }),
  ),
  created_at: timeJson,
  completed_at: timeJson.optional(),
})

export function deliveryData(delivery: Delivery) {
  const { event, nextAttemptAtMs, completedAtMs, reason, tenant, surface } = delivery
  return {
    id: delivery.id,
    ...(surface === 'access' && { client_id: tenant }),
    endpoint_id: delivery.endpointId,
    event_id: event.id,
    event_type: event.type,
    object: { ...event.object },
    ...{ trigger: delivery.trigger, status: delivery.status },
    ...(reason && { reason }),
    attempt: delivery.attempt,
    ...(nextAttemptAtMs !== undefined && { next_attempt_at: isoTime(nextAttemptAtMs) }),
    attempts: delivery.attempts.map(({ n, atMs, durationMs, statusCode, error, excerpt }) => ({
      ...{ n, at: isoTime(atMs), duration_ms: durationMs },
      ...(statusCode !== undefined && { status_code: statusCode }),
      ...(error && { error }),
      ...(excerpt !== undefined && { response_excerpt: excerpt }),
    })),
    created_at: isoTime(delivery.createdAtMs),
    ...(completedAtMs !== undefined && { completed_at: isoTime(completedAtMs) }),
  }
}

/** One delivery, with the payload that is sent. */
export const wholeDeliveryJson = deliveryJson.extend({
  body: z
    .unknown()
    .describe('The body that is sent. With payload full, the record is added when it is sent.'),
})

export const wholeDeliveryData = (delivery: Delivery, baseUrl: string) => ({
  ...deliveryData(delivery),
  body: JSON.parse(webhookBodyText(delivery, { baseUrl })) as unknown,
})

/** The answer to a request that sends an event: the id of the delivery. */
export const onItsWayJson = z.object({
  data: z.object({ delivery_id: z.string(), endpoint_id: z.string() }),
})

export const eventTypesJson = z.object({
  data: z.array(
    z.object({
      type: z.string(),
      summary: z.string(),
      area: z
        .string()
        .optional()
        .describe('Area of the records. Sent to endpoints whose grant can read it.'),
      schema: z.unknown().describe('JSON Schema of the body.'),
    }),
  ),
})
