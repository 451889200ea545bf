/**
 * One attempt: authorized again, claimed, signed, sent, and recorded. The claim is written by
 * compare-and-set before anything is sent, so an attempt is made once.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import {
  isSentOnce,
  type Delivery,
  type DeliveryReason,
} from '../../../proto/access/webhooks/delivery.ts'
import { endpointActor, type EndpointView } from '../../../proto/access/webhooks/endpoint.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'
import type { GrantUses } from '../../access/grant-uses.ts'
import type { ReadLog } from '../../access/audit/sources/reads.ts'
import type { RecordStore } from '../../access/records/record-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { retry, type RetryOptions } from '../../lib/retry.ts'
import type { Directory } from '../../actor/directory.ts'
import { StoreConflict, StoreUnavailable } from '../../store/store.ts'
import {
  cancelDelivery,
  claimDelivery,
  isAttemptSuccess,
  settleAttempt,
  type AttemptOutcome,
} from '../delivery/fold.ts'
import type { DeliveryStore, HeldDelivery } from '../delivery/store.ts'
import { matchesPermission, shownRecord, checkDeliveryPermission } from '../send/allowed.ts'
import { webhookBodyText, type WebhookRecordJson } from '../send/body.ts'
import { postWebhook, type PostDeps } from '../send/post.ts'
import type { WebhookSigner } from '../send/signing.ts'
import type { WebhookViews } from '../views.ts'

export interface AttemptDeps {
  readonly views: Pick<WebhookViews, 'get'>
  readonly deliveries: Pick<DeliveryStore, 'replace'>
  readonly records: Pick<RecordStore, 'get'>
  readonly reads: Pick<ReadLog, 'add'>
  readonly uses: Pick<GrantUses, 'note'>
  readonly directory: Pick<Directory, 'ask'>
  readonly signer: WebhookSigner
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  /** This host's incarnation, for claims. */
  readonly incarnation: string
  /** Empty if the service does not know its public address. */
  readonly baseUrl: string
  readonly userAgent: string
  readonly posting: PostDeps
}

export interface AttemptResult {
  readonly held: HeldDelivery
  /** Absent if nothing was sent. */
  readonly outcome?: AttemptOutcome
}

/**
 * Undefined if another worker has the delivery. `early`: its endpoint's version is not known here
 * yet, so nothing was done. Throws StoreUnavailable.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  { delivery, revision }: HeldDelivery,
): Promise<AttemptResult | 'early' | undefined> {
  const { deliveries, clock, views, incarnation, random } = deps
  const endpoint = views.get('endpoint', delivery.endpointId)
  if (!endpoint || endpoint.version < (delivery.endpointVersion ?? 0)) return 'early'
  try {
    const allowed = await allowance(deps, delivery, endpoint)
    if ('reason' in allowed) {
      const next = cancelDelivery(delivery, allowed.reason, clock.now())
      return { held: await deliveries.replace(next, revision) }
    }
    const claim = claimDelivery(delivery, incarnation, clock.now())
    const held = await deliveries.replace(claim, revision)
    const outcome = await send(deps, held.delivery, allowed)
    const { grantId } = endpoint
    if (grantId !== null && isAttemptSuccess(outcome)) deps.uses.note({ grantId })
    const next = settleAttempt(held.delivery, outcome, clock.now(), random())
    return { held: await settle(deps, next, held.revision), outcome }
  } catch (error) {
    if (error instanceof StoreConflict) return undefined
    throw error
  }
}

/** Retries, so that the outcome is not lost if the store is unavailable for a while. */
async function settle(
  { deliveries, clock, log }: AttemptDeps,
  next: Delivery,
  revision: number,
): Promise<HeldDelivery> {
  const options: RetryOptions = {
    withinMs: limits.claimMs,
    waitMs: limits.workerRetryMs,
    isRetryable: (error) => error instanceof StoreUnavailable,
    onRetry: (err) =>
      log.warn({ err, delivery: next.id }, 'webhooks: an outcome was not stored; retrying'),
  }
  return retry(clock, options, () => deliveries.replace(next, revision))
}

interface Allowed {
  readonly endpoint: EndpointView
  readonly record: WebhookRecordJson | undefined
}

async function allowance(
  deps: AttemptDeps,
  delivery: Delivery,
  endpoint: EndpointView,
): Promise<Allowed | { readonly reason: DeliveryReason }> {
  const { views, clock, records } = deps
  const isPinged = endpoint.status === 'pending' && isSentOnce(delivery)
  if (endpoint.status !== 'active' && !isPinged) {
    const isOver = endpoint.statusReason === 'grant_ended'
    return { reason: isOver ? 'grant_ended' : 'endpoint_disabled' }
  }
  const verdict = checkDeliveryPermission(views, endpoint, delivery.event, clock.now())
  if (!verdict.isAllowed) {
    if (verdict.isFinal) reportToEndpoint(deps, endpoint, { type: 'grant_ended' })
    return { reason: verdict.reason }
  }
  const { permission } = verdict
  const { area, id } = delivery.event.object
  const isFull = endpoint.payload === 'full'
  if (!permission || area === undefined || !(isFull || permission.where)) {
    return { endpoint, record: undefined }
  }
  const client = delivery.tenant as ClientId
  const found = (await records.get(client, area, id))?.record
  if (!matchesPermission(permission, found)) return { reason: 'not_granted' }
  const isShown = isFull && found !== undefined && found.deletedAtMs === undefined
  if (isShown) noteRead(deps, endpoint, permission, id)
  return { endpoint, record: isShown ? shownRecord(permission, found) : undefined }
}

function noteRead(
  { reads, clock }: AttemptDeps,
  { tenant, id, grantId, needId }: EndpointView,
  { area }: Permission,
  recordId: string,
): void {
  reads.add({
    client: tenant,
    at: clock.now(),
    by: { kind: 'integration', id },
    requestId: randomUUID(),
    ...(grantId && { grantId }),
    ...(needId && { needId }),
    area,
    ids: [recordId],
    count: 1,
  })
}

async function send(
  { signer, clock, baseUrl, userAgent, posting, log }: AttemptDeps,
  delivery: Delivery,
  { endpoint, record }: Allowed,
): Promise<AttemptOutcome> {
  const body = webhookBodyText(delivery, { baseUrl, record })
  const nowMs = clock.now()
  const timestampSeconds = Math.floor(nowMs / 1_000)
  const { id } = delivery.event
  let signature: string
  try {
    signature = signer.signatures(endpoint, { id, timestampSeconds, body }, nowMs)
  } catch (error) {
    // A key of the service is missing; the next attempt may find it.
    log.error({ err: error, endpoint: endpoint.id }, 'webhooks: a secret cannot be opened')
    return { durationMs: 0, error: 'unsignable' }
  }
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signature,
  }
  return postWebhook({ url: endpoint.url, headers, body }, posting)
}

type Word = 'gone' | 'grant_ended' | 'delivery_succeeded' | 'delivery_failed' | 'verified'
type Message =
  | { readonly type: 'gone' | 'grant_ended' }
  | { readonly type: 'delivery_succeeded' | 'delivery_failed'; readonly atMs: number }
  | { readonly type: 'verified'; readonly url: string }

/** Not awaited: the next attempt reports the same again. */
export function reportToEndpoint(
  { directory, log }: Pick<AttemptDeps, 'directory' | 'log'>,
  { id }: Pick<EndpointView, 'id'>,
  message: Message & { readonly type: Word },
): void {
  directory.ask(endpointActor, id, message).catch((error: unknown) => {
    log.warn({ err: error, endpoint: id, told: message.type }, 'webhooks: an endpoint was not told')
  })
}

/** What the endpoint's actor has to know about an attempt, if anything. */
export function endpointMessageFor(
  endpoint: EndpointView,
  { trigger }: Pick<Delivery, 'trigger'>,
  outcome: AttemptOutcome,
  nowMs: number,
): Message | undefined {
  if (isAttemptSuccess(outcome)) {
    if (trigger === 'verify' && endpoint.status === 'pending') {
      return { type: 'verified', url: endpoint.url }
    }
    return { type: 'delivery_succeeded', atMs: nowMs }
  }
  if (trigger === 'verify') return undefined
  if (outcome.statusCode === 410) return { type: 'gone' }
  return { type: 'delivery_failed', atMs: nowMs }
}
