/** Until when a chain must be covered by checkpoints, as its recorder signs them every hour. */
import { auditStateKey, type AuditState } from '../../../../proto/access/audit/audit.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { decode } from '../../../../proto/codec.ts'
import { buckets, subjects } from '../../../../proto/subjects.ts'
import type { TextSigner } from '../../../accounts/seal/signer.ts'
import type { NatsStore } from '../../../store/nats/buckets.ts'
import { decodeEntry } from './entry.ts'

/**
 * Entries that were written before this time, in wall-clock ms, had one checkpoint due after them
 * while the audit still ran. 0 if this host has no key to sign with, as then no checkpoints exist.
 */
export async function checkpointsDueMs(
  store: Pick<NatsStore, 'audit' | 'bucket'>,
  client: string,
  signer: TextSigner,
): Promise<number> {
  if (signer.sign('') === undefined) return 0
  const [entry, last] = await Promise.all([
    store.bucket(buckets.audit).get(auditStateKey),
    store.audit.last(subjects.audit(client)),
  ])
  const ranMs = entry ? decode<AuditState>(entry.value).atMs : 0
  const wroteMs = (last && decodeEntry(last.data)?.writtenAt) ?? 0
  return Math.max(ranMs, wroteMs) - limits.checkpointLateMs
}
