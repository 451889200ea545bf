/**
 * Whether an endpoint may receive an event now: checked when the event is shared out, and again
 * before each attempt, because the access may have ended meanwhile.
 */
import type { DeliveryReason, WebhookEvent } from '../../../proto/access/webhooks/delivery.ts'
import type { EndpointView } from '../../../proto/access/webhooks/endpoint.ts'
import { meetsConditions, type Permission } from '../../../proto/access/permissions.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import { permissionsInForce, type ChainLookup } from '../../access/in-force.ts'
import { withReportVisibility } from '../../access/report-visibility.ts'
import { visibleFields, toRecordJson } from '../../access/records/record-json.ts'
import type { WebhookRecordJson } from './body.ts'

export type DeliveryPermission =
  | { readonly isAllowed: true; readonly permission?: Permission }
  | { readonly isAllowed: false; readonly reason: DeliveryReason; readonly isFinal: boolean }

const denied = (reason: DeliveryReason, isFinal = false): DeliveryPermission => ({
  isAllowed: false,
  reason,
  isFinal,
})

/** `isFinal`: the grant has ended, so a later attempt would not help. */
export function checkDeliveryPermission(
  chain: ChainLookup,
  { grantId }: Pick<EndpointView, 'grantId'>,
  event: WebhookEvent,
  nowMs: number,
): DeliveryPermission {
  if (grantId === null) return { isAllowed: true }
  const grant = chain.get('grant', grantId)
  if (!grant) return denied('access_suspended')
  const isOver = grant.status === 'ended' || grant.status === 'revoked' || grant.endsAtMs <= nowMs
  if (isOver) return denied('grant_ended', true)
  const held = withReportVisibility(permissionsInForce(chain, grant, nowMs))
  if (held.length === 0) return denied('access_suspended')
  const { area } = event.object
  if (area === undefined) return { isAllowed: true }
  const permission = held.find((one) => one.area === area && one.actions.includes('read'))
  return permission ? { isAllowed: true, permission } : denied('not_granted')
}

/**
 * True if the permission's conditions hold for the record. They cannot be evaluated for a deleted
 * record, so a permission with conditions does not get its event.
 */
export function matchesPermission(
  { where }: Permission,
  record: Pick<StoredRecord, 'fields' | 'deletedAtMs'> | undefined,
): boolean {
  if (!where) return true
  if (!record || record.deletedAtMs !== undefined) return false
  return meetsConditions({ where }, record.fields)
}

/** The record with the fields that the grant shows. */
export function shownRecord(permission: Permission, record: StoredRecord): WebhookRecordJson {
  return toRecordJson(record, visibleFields(areaDefinitions[record.area], permission))
}
