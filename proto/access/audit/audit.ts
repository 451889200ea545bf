/**
 * The audit chain of one client: entries numbered 1, 2, 3 …, each with the hash of the previous
 * one. Entries are derived from what was already stored (actors' logs, notes, record changes), so
 * an entry names its source and how far each source had been read when it was written.
 */
import { z } from 'zod'
import type { Author } from '../author.ts'
import { platformTenant } from '../ids.ts'

export interface AuditChange {
  readonly field: string
  readonly to: string | number | boolean | null | readonly string[]
}

/** An audit entry before it has its place in the chain. */
export interface AuditFacts {
  /** A client's id, or `platform`. */
  readonly client: string
  /** When it happened, in wall-clock ms. */
  readonly at: number
  readonly actor: Pick<Author, 'kind' | 'id' | 'roles'>
  /** For example `grant.revoked`. */
  readonly action: string
  /** The matching event name of OWASP's logging vocabulary, if there is one. */
  readonly owasp?: string
  readonly object: { readonly kind: string; readonly id: string; readonly version?: number }
  readonly outcome: 'success' | 'denied' | 'failed'
  readonly reason?: string
  readonly grantId?: string
  readonly needId?: string
  readonly scopeId?: string
  readonly accessRequestId?: string
  readonly tokenId?: string
  /** The managed change that wrote a record. */
  readonly changeId?: string
  /** Id of the HTTP request that caused it. */
  readonly requestId?: string
  /** Pattern of the request's route: `GET /v1/contacts/{id}`. */
  readonly route?: string
  /** The client address, cut to /24 or /48. */
  readonly net?: string
  /** How many events of the same kind this entry stands for. */
  readonly count?: number
  readonly changes?: readonly AuditChange[]
  /** Field names only: the values may be personal data. */
  readonly changedFields?: readonly string[]
  /** Digest of the document that was shown to the decider. */
  readonly digest?: string
  /** The two-person rule was overridden. */
  readonly selfReviewed?: true
}

/** Where an entry comes from: a message of a stream, and its number in an actor's log. */
export interface AuditOrigin {
  readonly stream: string
  readonly seq: number
  readonly n?: number
}

export interface AuditEntry extends AuditFacts {
  readonly id: string
  readonly n: number
  readonly writtenAt: number
  readonly src: AuditOrigin
  /** For each source, the sequence of its last message that is in this chain. */
  readonly positions: Readonly<Record<string, number>>
  /** Stream sequence of the previous entry; 0 for the first. */
  readonly prevSeq: number
  /** Hash of the previous entry; for the first entry, SHA-256 of `genesis:<client>`. */
  readonly prev: string
  /** SHA-256, in hex, of the entry without this field (RFC 8785). */
  readonly hash: string
}

/** A signed statement of a chain's head, so that a truncated or rewritten chain is detected. */
export const auditCheckpoint = z.object({
  client: z.string(),
  n: z.int(),
  hash: z.string(),
  at: z.number(),
  /** Id of the signing key. */
  keyId: z.string(),
  /** Ed25519 over RFC 8785 of the fields above, in base64url. */
  signature: z.string(),
})
export type AuditCheckpoint = Readonly<z.output<typeof auditCheckpoint>>

/** Progress of the audit, published every `auditStateMs`. */
export interface AuditState {
  readonly atMs: number
  /** The actor host that writes the audit. */
  readonly by: string
  /** Sum over all chains. */
  readonly entries: number
  /** Entries known to be waiting. */
  readonly backlogEntries: number
  /** When the oldest waiting entry happened. */
  readonly oldestMs?: number
  /** Every message of a source up to this sequence is in the chains. */
  readonly positions: Readonly<Record<string, number>>
  /** When every chain last got its checkpoint. */
  readonly checkpointedAtMs: number
}

export const auditStateKey = 'state'

/** `aud_<the client's id without its prefix>_<n>`: the id alone locates the entry. */
export const auditId = (client: string, n: number): string =>
  `aud_${client === platformTenant ? client : client.slice('cli_'.length)}_${n}`

const idPattern = /^aud_(platform|[0-9a-hjkmnp-tv-z]{26})_([1-9]\d{0,14})$/

/** Undefined if the text is not an audit entry's id. */
export function readAuditId(
  text: string,
): { readonly client: string; readonly n: number } | undefined {
  const [, owner, n] = idPattern.exec(text) ?? []
  if (owner === undefined || n === undefined) return undefined
  return { client: owner === platformTenant ? owner : `cli_${owner}`, n: Number(n) }
}
