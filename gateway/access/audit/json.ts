import { z } from 'zod'
import type { AuditCheckpoint, AuditEntry } from '../../../proto/access/audit/audit.ts'
import { clientIdField, publicEntry } from '../../../runtime/access/audit/public-entry.ts'
import { authorJson, isoTime, timeJson } from '../../routing/schemas/access-json.ts'

export const auditEntryJson = z.object({
  id: z.string(),
  n: z.number().int().describe('The number of the entry in the chain of its client: 1, 2, 3 …'),
  client_id: z.string().optional().describe('Absent if the entry belongs to no client.'),
  at: timeJson,
  written_at: timeJson,
  actor: authorJson,
  action: z.string().describe('For example `grant.revoked`.'),
  owasp: z.string().optional().describe('The matching event name of the OWASP logging vocabulary.'),
  object: z.object({ kind: z.string(), id: z.string(), version: z.number().int().optional() }),
  outcome: z.enum(['success', 'denied', 'failed']),
  reason: z.string().optional(),
  grant_id: z.string().optional(),
  need_id: z.string().optional(),
  scope_id: z.string().optional(),
  access_request_id: z.string().optional(),
  token_id: z.string().optional(),
  change_id: z.string().optional().describe('The managed change that wrote the record.'),
  request_id: z.string().optional(),
  route: z.string().optional(),
  net: z.string().optional().describe('The network of the client address (/24 or /48).'),
  count: z
    .number()
    .int()
    .optional()
    .describe('How many events of the same kind this entry stands for.'),
  changes: z.array(z.object({ field: z.string(), to: z.unknown() })).optional(),
  changed_fields: z.array(z.string()).optional(),
  digest: z.string().optional(),
  self_reviewed: z.boolean().optional(),
  prev: z.string(),
  hash: z.string(),
})

/**
 * The type ensures that entries match the schema. Exports use the same form, and `troupe audit
 * verify` reads it.
 */
export const auditEntryData: (entry: AuditEntry) => z.output<typeof auditEntryJson> = publicEntry

export const checkpointJson = z.object({
  client_id: z.string().optional(),
  n: z.number().int(),
  hash: z.string(),
  at: timeJson,
  key_id: z.string(),
  signature: z
    .string()
    .describe(
      'Ed25519, in base64url, over the RFC 8785 form of client (`client_id`, or `platform`), ' +
        'n, hash and at (in milliseconds).',
    ),
})

export const checkpointData = ({ client, n, hash, at, keyId, signature }: AuditCheckpoint) => ({
  ...clientIdField(client),
  n,
  hash,
  at: isoTime(at),
  key_id: keyId,
  signature,
})

export const verdictJson = z.object({
  client_id: z.string().optional(),
  ok: z.boolean(),
  from: z.number().int(),
  to: z.number().int().describe('The number of the last valid entry.'),
  complete: z.boolean().describe('If false, continue with ?from= one more than `to`.'),
  first_bad: z.object({ n: z.number().int(), why: z.string() }).optional(),
  checkpoints: z.object({
    matched: z.number().int(),
    unknown_key: z
      .number()
      .int()
      .describe('Checkpoints signed with keys that this host does not have.'),
  }),
})

export { clientIdField }
