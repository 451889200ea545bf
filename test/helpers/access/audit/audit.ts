/** The audit of one client as the store has it, including what is not visible over REST. */
import type { AuditEntry } from '../../../../proto/access/audit/audit.ts'
import { subjects } from '../../../../proto/subjects.ts'
import { decodeEntry } from '../../../../runtime/access/audit/chain/entry.ts'
import type { NatsStore } from '../../../../runtime/store/nats/buckets.ts'
import { until } from '../../lib/until.ts'

type Audited = Pick<NatsStore, 'audit'>

export async function auditOf({ audit }: Audited, client: string): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = []
  for await (const { data } of audit.read(subjects.audit(client))) {
    const entry = decodeEntry(data)
    if (!entry) throw new Error(`no entry in the audit of ${client}`)
    entries.push(entry)
  }
  return entries
}

/** The entry of one request: it is written some moments after the answer. */
export function entryOfRequest(
  store: Audited,
  client: string,
  requestId: string,
): Promise<AuditEntry> {
  const has = async () =>
    (await auditOf(store, client)).find((entry) => entry.requestId === requestId)
  return until(`request ${requestId} is in the audit of ${client}`, has)
}
