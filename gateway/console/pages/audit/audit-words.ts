/** Formats entries of the service's audit for the console. */
import type { ServiceAuditAction, ServiceAuditEntry } from '../../../../proto/service-audit.ts'
import type { Tone } from '../../../html/parts.tsx'

export const auditActionWords: Readonly<Record<ServiceAuditAction, string>> = {
  'session.create': 'Session requested',
  'session.extend': 'Session extended',
  'session.end': 'Session end requested',
  'session.end_all': 'End of all sessions requested',
  'session.ended': 'Session ended',
  'cdp.attach': 'CDP client connected',
  'cdp.detach': 'CDP client disconnected',
  'cdp.refuse': 'CDP call refused',
  'live.open': 'Live view opened',
  'live.close': 'Live view closed',
  'recording.open': 'Recording opened by a link',
  'network.refuse': 'Address blocked by the network policy',
  'token.create': 'Link or token created',
  'token.end_all': 'Links and tokens revoked',
  'task.create': 'Task created',
  'task.cancel': 'Task cancelled',
  'profile.create': 'Profile created',
  'profile.save': 'Profile of a running session saved',
  'profile.change': 'Profile renamed or described',
  'profile.restore': 'Earlier version of a profile restored',
  'profile.remove': 'Profile deleted',
  'extension.create': 'Extension uploaded',
  'extension.remove': 'Extension deleted',
  'login.create': 'Login with a site created',
  'login.change': 'Login with a site changed',
  'login.remove': 'Login with a site deleted',
  'recording.pause': 'Recording paused',
  'recording.resume': 'Recording went on',
  'recording.remove': 'Recording deleted',
  'credential.set': 'Model account set',
  'credential.remove': 'Model account removed',
  'webhook.create': 'Webhook created',
  'webhook.update': 'Webhook updated',
  'webhook.remove': 'Webhook removed',
  'key.create': 'Key created',
  'key.revoke': 'Key revoked',
  'key.refuse': 'Invalid key, token or link refused',
  'scope.refuse': 'Refused: missing scope',
  'host.drain': 'Browser host drained',
  'host.undrain': 'Drain of a browser host ended',
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
