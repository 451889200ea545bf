/**
 * The service's audit: who used the service from where, and what it refused. An entry is one JSON
 * message on `troupe.v1.service-audit.<tenant>` (stream SERVICE_AUDIT), or on `….<tenant>.refused` if
 * it was refused or has failed; `GET /v1/audit` and
 * `troupe audit list` show them. Decisions of scoped access have a chain of their own, see
 * `access/audit.ts`.
 */
import { z } from 'zod'

/** The actions that entries record, each with its sentence in the documentation. */
export const serviceAuditActions = {
  'session.create': 'A session was requested.',
  'session.extend': 'A caller gave a session more time.',
  'session.end': 'A caller ended a session.',
  'session.end_all': 'A caller ended every session of a tenant.',
  'session.ended': 'A session has ended; `detail.reason` says why.',
  'cdp.attach': 'A CDP client attached to a session.',
  'cdp.detach': 'A CDP client disconnected, after `detail.seconds`.',
  'cdp.refuse': 'A CDP call that clients may not make was refused; `detail.method` names it.',
  'live.open': 'The live view of a session was opened, to view or to control it.',
  'live.close': 'A live view was closed, after `detail.seconds`.',
  'network.refuse': 'A browser requested a host that its network policy forbids.',
  'token.create': 'A token for a part of a session, or a link to its live view, was created.',
  'token.end_all': 'The tokens and links of a session were revoked.',
  'task.create': 'A web task was created.',
  'task.cancel': 'A web task was cancelled.',
  'profile.create': 'A profile was created.',
  'profile.save': 'The profile of a running session was saved.',
  'profile.change': 'A profile was renamed or described.',
  'profile.restore': 'An earlier version of a profile was made the newest one.',
  'profile.remove': 'A profile was deleted.',
  'extension.create': 'An extension was uploaded.',
  'extension.remove': 'An extension was deleted.',
  'login.create': 'A login with a site was created.',
  'login.change': 'Values of a login with a site were changed.',
  'login.remove': 'A login with a site was deleted.',
  'recording.open': 'A link to a recording was opened; repeated within a minute, it is counted.',
  'recording.pause': 'The recording of a session was paused.',
  'recording.resume': 'The recording of a session went on.',
  'recording.remove': 'The recording of a session was deleted.',
  'credential.set': 'An account with a model provider was set, or a login to it was started.',
  'credential.remove': 'An account with a model provider was removed.',
  'webhook.create': 'A webhook was created.',
  'webhook.update': 'A webhook was changed.',
  'webhook.remove': 'A webhook was removed.',
  'key.create': 'An API key was created.',
  'key.revoke': 'An API key was revoked.',
  'key.refuse': 'A key, token or link that is not valid was refused.',
  'scope.refuse': 'A request was refused because its key lacks the scope.',
  'host.drain': 'A browser host was drained: it takes no new sessions.',
  'host.undrain': 'The drain of a browser host was ended: it takes new sessions again.',
  'secret.rotate': 'The secret that signs URLs, links and tokens was replaced.',
} as const
export type ServiceAuditAction = keyof typeof serviceAuditActions
export const serviceAuditActionNames = Object.keys(serviceAuditActions) as [
  ServiceAuditAction,
  ...ServiceAuditAction[],
]

export const serviceAuditOutcomes = ['done', 'refused', 'failed'] as const

/** The form of an entry in the stream. */
export const serviceAuditEntry = z.object({
  at: z.iso.datetime(),
  action: z.enum(serviceAuditActionNames),
  outcome: z.enum(serviceAuditOutcomes),
  tenant: z.string().optional().describe('Absent if no key identified the tenant of the request.'),
  key_id: z.string().optional(),
  address: z
    .string()
    .optional()
    .describe('Source of the request: an IP address, or `cli` for a command of the operator.'),
  session_id: z.string().optional(),
  task_id: z.string().optional(),
  request_id: z.string().optional(),
  count: z
    .number()
    .int()
    .optional()
    .describe(
      'For refusals, the number of further ones of the same key and kind since the previous entry.',
    ),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
})
export type ServiceAuditEntry = z.infer<typeof serviceAuditEntry>

/** Stands for the tenant in the subject of an entry without one: no tenant can have this name. */
export const noTenant = '~'
