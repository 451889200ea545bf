/** Checks the settings of a webhook endpoint when they are set: its URL and its event types. */
import type { WebhookSurface } from '../../proto/access/webhooks/delivery.ts'
import type { Permission } from '../../proto/access/permissions.ts'
import { webhookLimits as limits } from '../../proto/access/webhooks/webhook-limits.ts'
import type { EndpointView } from '../../proto/access/webhooks/endpoint.ts'
import { ServiceError } from '../../proto/errors.ts'
import {
  checkUntrustedUrl,
  type UntrustedUrlRules,
} from '../../runtime/lib/network/guard/untrusted-url.ts'
import { eventTypeOf, eventTypesNamed } from '../../runtime/webhooks/events/registry.ts'
import { dayMs } from '../../proto/units.ts'

export interface SettingsCheck {
  readonly rules: UntrustedUrlRules
  readonly surface: WebhookSurface
  /** The permissions of the endpoint's grant; undefined if it has none. */
  readonly permissions?: readonly Permission[]
}

interface WantedSettings {
  readonly url?: string | undefined
  readonly events?: readonly string[] | undefined
}

/** Throws `url_not_allowed`, `validation_failed` or `not_in_scope`, with pointers to the fields. */
export function checkSettings(
  { url, events = [] }: WantedSettings,
  { rules, surface, permissions }: SettingsCheck,
): void {
  if (url !== undefined) checkUntrustedUrl(url, rules)
  const unknown = pointersOf(events, (name) => eventTypesNamed(surface, name).length === 0)
  if (unknown.length > 0) {
    const text = 'There is no such event type; GET the event types for a list.'
    throw new ServiceError('validation_failed', text, { pointers: unknown })
  }
  if (!permissions) return
  const readable = permissions.filter(({ actions }) => actions.includes('read'))
  const beyond = pointersOf(events, (name) =>
    eventTypesNamed(surface, name).some(
      ({ area }) => area !== undefined && !readable.some((one) => one.area === area),
    ),
  )
  if (beyond.length === 0) return
  const text = 'The grant does not allow reading the records of these events; select fewer events.'
  throw new ServiceError('not_in_scope', text, { pointers: beyond })
}

const pointersOf = (names: readonly string[], isWrong: (name: string) => boolean): string[] =>
  names.flatMap((name, i) => (isWrong(name) ? [`/events/${i}`] : []))

/** Throws `validation_failed` if a test event's type does not exist. */
export function checkTestType(surface: WebhookSurface, type: string): void {
  if (eventTypeOf(surface, type)) return
  const text = 'There is no such event type; GET the event types for a list.'
  throw new ServiceError('validation_failed', text, { pointers: ['/event_type'] })
}

export function checkRoom(endpoints: readonly EndpointView[], limit: number): void {
  if (endpoints.filter(({ status }) => status !== 'removed').length < limit) return
  const text = `There are already ${limit} endpoints, the maximum; remove one that you do not need.`
  throw new ServiceError('quota_exceeded', text, { limit })
}

interface Period {
  readonly since: number
  readonly until?: number | undefined
}

/** Converts to ms. Throws `validation_failed` for an empty, negative or too long period. */
export function periodOf({ since, until }: Period, nowMs: number) {
  const untilMs = until ?? nowMs
  if (since < untilMs && untilMs - since <= limits.recoverMs) return { sinceMs: since, untilMs }
  const days = limits.recoverMs / dayMs
  const text = `since must be before until, by at most ${days} days.`
  throw new ServiceError('validation_failed', text, { pointers: ['/since'] })
}
