/**
 * API keys in KV `keys`. Gateways watch the bucket, so a key works, or stops working, within a
 * moment.
 */
import { defined } from '../../../proto/defined.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { newKey, type KeyRecord } from '../../../proto/accounts/key.ts'
import type { KeyScope } from '../../../proto/accounts/key-scopes.ts'
import { entriesOf } from '../../store/entries-of.ts'
import { StoreConflict, type Bucket } from '../../store/store.ts'

export interface KeyOrder {
  readonly tenant: string
  readonly name: string
  readonly expiresAtMs?: number
  readonly sessionsMax?: number
  readonly scopes?: readonly KeyScope[]
  readonly allowPrivate?: boolean
}

/** The text is not stored and cannot be recovered. */
export async function createKey(
  keys: Bucket,
  order: KeyOrder,
  nowMs: number,
): Promise<{ record: KeyRecord; text: string }> {
  const { id, text, secretHash } = newKey()
  const { tenant, name, expiresAtMs, sessionsMax, scopes, allowPrivate } = order
  const record: KeyRecord = {
    id,
    name,
    tenant,
    secretHash,
    createdAtMs: nowMs,
    ...defined({ expiresAtMs }),
    ...(scopes && { scopes }),
    ...(allowPrivate && { allowPrivate }),
    limits: sessionsMax === undefined ? {} : { sessions: sessionsMax },
  }
  await keys.create(id, encode(record))
  return { record, text }
}

/** Oldest first, including revoked and expired keys. */
export async function listKeys(keys: Bucket): Promise<KeyRecord[]> {
  const entries = await entriesOf(keys)
  return entries
    .filter((entry) => isKeyId(entry.key))
    .map((entry) => decode<KeyRecord>(entry.value))
    .sort((a, b) => a.createdAtMs - b.createdAtMs)
}

/** The updated record; undefined if the key does not exist. A revoked key stays as it was. */
export async function revokeKey(
  keys: Bucket,
  id: string,
  nowMs: number,
): Promise<KeyRecord | undefined> {
  if (!isKeyId(id)) return undefined
  const entry = await keys.get(id)
  if (!entry) return undefined
  const record = decode<KeyRecord>(entry.value)
  if (record.revokedAtMs !== undefined) return record
  const revoked: KeyRecord = { ...record, revokedAtMs: nowMs }
  try {
    await keys.update(id, encode(revoked), entry.revision)
    return revoked
  } catch (error) {
    // A use was recorded, or another caller revoked it.
    if (error instanceof StoreConflict) return revokeKey(keys, id, nowMs)
    throw error
  }
}

/** Records that the key was used then. Does nothing if it does not exist. */
export async function recordKeyUse(keys: Bucket, id: string, atMs: number): Promise<void> {
  const entry = await keys.get(id)
  if (!entry) return
  const record = decode<KeyRecord>(entry.value)
  if ((record.lastUsedAtMs ?? 0) >= atMs) return
  try {
    await keys.update(id, encode({ ...record, lastUsedAtMs: atMs }), entry.revision)
  } catch (error) {
    // Another gateway recorded a use, or the key was revoked: neither needs this one.
    if (!(error instanceof StoreConflict)) throw error
  }
}

/** The gateways keep other secrets in the same bucket, under names with a dot. */
function isKeyId(key: string): boolean {
  return /^[a-z0-9]{12}$/.test(key)
}
