/** Formats entries of the service's audit for the console. */
import type { ServiceAuditAction, ServiceAuditEntry } from '../../../../proto/service-audit.ts'
import type { Tone } from '../../../html/parts.tsx'

export const auditActionWords: Readonly<Record<ServiceAuditAction, string>> = {
  'session.create': 'Session asked for',
  'session.extend': 'More time given',
  'session.end': 'End asked for',
  'session.end_all': 'End of all sessions asked for',
  'session.ended': 'Session over',
  'cdp.attach': 'CDP client connected',
  'cdp.detach': 'CDP client left',
  'cdp.refuse': 'CDP call refused',
  'live.open': 'Live view opened',
  'live.close': 'Live view closed',
  'network.refuse': 'Address refused by the network policy',
  'token.create': 'Link or token made',
  'token.end_all': 'Links and tokens revoked',
  'task.create': 'Task given',
  'task.cancel': 'Task cancelled',
  'credential.set': 'Model account set',
  'credential.remove': 'Model account removed',
  'webhook.create': 'Webhook set up',
  'webhook.update': 'Webhook changed',
  'webhook.remove': 'Webhook removed',
  'key.create': 'Key made',
  'key.revoke': 'Key revoked',
  'key.refuse': 'Wrong key, token or link refused',
  'scope.refuse': 'Refused: the key lacks a scope',
  'host.drain': 'Browser host drained',
  'secret.rotate': 'Signing secret replaced',
}

export const auditOutcomeWords: Readonly<
  Record<ServiceAuditEntry['outcome'], { readonly tone: Tone; readonly label: string }>
> = {
  done: { tone: 'good', label: 'Done' },
  refused: { tone: 'wait', label: 'Refused' },
  failed: { tone: 'bad', label: 'Failed' },
}

export const auditActionWord = ({ action }: Pick<ServiceAuditEntry, 'action'>): string =>
  auditActionWords[action]

/** For example `mode: control, seconds: 12`. */
export const detailWord = ({
  detail = {},
  count,
}: Pick<ServiceAuditEntry, 'detail' | 'count'>): string =>
  [
    ...Object.entries(detail).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`),
    ...(count === undefined ? [] : [`${count} more of the same`]),
  ].join(', ')
