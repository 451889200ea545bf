/**
 * The body of one webhook: ids and where to fetch the rest; with the record if that was requested.
 */
import type { Delivery, WebhookEvent } from '../../../proto/access/webhooks/delivery.ts'
import { webhookLimits as limits } from '../../../proto/access/webhooks/webhook-limits.ts'

export type WebhookRecordJson = Readonly<Record<string, unknown>>

/** API paths by kind of object. Records are below their area. */
const pathOf: Readonly<Record<string, string>> = {
  request: '/v1/access-requests',
  grant: '/v1/grants',
  session: '/v1/sessions',
  webhook_endpoint: '/v1/webhook-endpoints',
}

/**
 * `baseUrl` is empty if the service does not know its public address; then the body contains a
 * path.
 */
export function webhookBodyText(
  { event, surface, tenant }: Pick<Delivery, 'event' | 'surface' | 'tenant'>,
  {
    baseUrl,
    record,
  }: { readonly baseUrl: string; readonly record?: WebhookRecordJson | undefined },
): string {
  const data = {
    id: event.id,
    ...(surface === 'access' && { client_id: tenant }),
    object: event.object,
    url: baseUrl + urlOf(event, surface),
    ...event.more,
  }
  const made = (more: object) =>
    JSON.stringify({
      type: event.type,
      timestamp: new Date(event.atMs).toISOString(),
      data: { ...data, ...more },
    })
  if (!record) return made({})
  const full = made({ record })
  return Buffer.byteLength(full) <= limits.bodyBytes ? full : made({})
}

function urlOf({ object }: WebhookEvent, surface: Delivery['surface']): string {
  const { area, kind = '', id } = object
  if (area !== undefined) return `/v1/${area}/${id}`
  if (kind === 'task') return `/v1/tools/perform-web-task/${id}/status`
  if (kind === 'webhook_endpoint' && surface === 'service') return `/v1/webhooks/${id}`
  return `${pathOf[kind] ?? `/v1/${kind}s`}/${id}`
}
