/** Turns one log entry of an access actor into the facts of an audit entry. */
import { defined } from '../../../../proto/defined.ts'
import { z } from 'zod'
import type { AuditChange, AuditFacts } from '../../../../proto/access/audit/audit.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { decode } from '../../../../proto/codec.ts'
import type { LogEntry } from '../../../actor/log.ts'
import { auditTable, unaudited, type AuditRule } from './table.ts'

const author = z.object({
  kind: z.enum(['staff', 'member', 'integration', 'system']),
  id: z.string(),
  roles: z
    .array(
      z.enum(['admin', 'reviewer', 'operator', 'change_manager', 'auditor', 'owner', 'member']),
    )
    .optional(),
  requestId: z.string().optional(),
})
const ids = {
  grantId: z.string().nullish(),
  needId: z.string().nullish(),
  scopeId: z.string().nullish(),
  requestId: z.string().nullish(),
}
/** Fields that all kinds have, and ids that some have. */
const context = z.looseObject({
  tenant: z.string(),
  version: z.number(),
  createdBy: author,
  updatedBy: author,
  ...ids,
  terms: z.object(ids).optional(),
})
const snapshot = z.object({ context })
/** The parts of an event that may be recorded; further fields only if its row names them. */
const event = z.looseObject({
  type: z.string(),
  by: author.optional(),
  reason: z.string().optional(),
  digest: z.string().optional(),
  tokenId: z.string().optional(),
  net: z.string().optional(),
  patch: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ type: z.string() }).optional(),
})
type Event = z.output<typeof event>
type Context = z.output<typeof context>

export interface LogFacts {
  readonly actor: { readonly id: string; readonly n: number }
  readonly client: string
  readonly at: number
  /** Undefined if the event is routine. */
  readonly facts: AuditFacts | undefined
}

/** Throws if the data is not an entry of such a log. */
export function factsOfLog(data: Uint8Array): LogFacts {
  const entry = decode<LogEntry>(data)
  const { context: state } = snapshot.parse(entry.snapshot)
  const auditEvent = event.parse(entry.event)
  const { kind, id, n, at } = entry
  const found = auditTable[kind]?.rows[auditEvent.type] ?? { action: auditEvent.type }
  const common = { actor: { id, n }, client: state.tenant, at }
  if (found === unaudited) return { ...common, facts: undefined }
  const by = authorOf(auditEvent, state, found)
  const { requestId } = by
  const reason = auditEvent.reason ?? auditEvent.error?.type
  return {
    ...common,
    facts: {
      client: state.tenant,
      at,
      actor: { kind: by.kind, id: by.id, ...(by.roles && { roles: by.roles }) },
      action: `${kind}.${found.action}`,
      ...defined({ owasp: found.owasp }),
      object: { kind, id, version: state.version },
      outcome: found.outcome ?? 'success',
      ...defined({ reason }),
      ...idsOf(kind, id, state),
      ...defined({ tokenId: auditEvent.tokenId, requestId, net: auditEvent.net }),
      ...changesOf(auditEvent, found),
      ...(auditEvent.patch && { changedFields: Object.keys(auditEvent.patch).sort() }),
      ...defined({ digest: auditEvent.digest }),
      ...(isSelfReviewed(state, found) && { selfReviewed: true }),
    },
  }
}

/** Deadlines have no author, so the service's clock is named. */
function authorOf(
  auditEvent: Event,
  state: Context,
  { isOwn }: AuditRule,
): z.output<typeof author> {
  if (auditEvent.by) return auditEvent.by
  if (auditEvent.type === 'created') return state.createdBy
  if (isOwn) return state.updatedBy
  const { kind, id } = systemAuthor(auditEvent.type.startsWith('deadline.') ? 'clock' : 'access')
  return { kind, id }
}

function idsOf(kind: string, id: string, state: Context) {
  const { grantId, needId, scopeId, requestId } = { ...state, ...state.terms }
  const found = {
    grantId: kind === 'grant' ? id : grantId,
    needId: kind === 'need' ? id : needId,
    scopeId: kind === 'scope' ? id : scopeId,
    accessRequestId: kind === 'request' ? id : requestId,
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === 'string'))
}

const recordableValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.string()),
])

function changesOf(
  auditEvent: Event,
  { recordedFields = [] }: AuditRule,
): Pick<AuditFacts, 'changes'> {
  const changes = recordedFields.flatMap((field): AuditChange[] => {
    const value = recordableValue.safeParse(auditEvent[field])
    return value.success ? [{ field, to: value.data }] : []
  })
  return changes.length > 0 ? { changes } : {}
}

const signature = z.looseObject({ selfReviewed: z.literal(true) })

/** If there are several signatures, the last one was made by this event. */
function isSelfReviewed(state: Context, { signed }: AuditRule): boolean {
  if (signed === undefined) return false
  const found = state[signed]
  return signature.safeParse(Array.isArray(found) ? found.at(-1) : found).success
}
