/**
 * The audit of one client: entries numbered 1, 2, 3 …, each with the hash of the one before. They
 * are derived from what has happened already (actors' logs, notes, changes of records), so an entry
 * names its source, and how far each source had been read when it was written.
 */
import type { Author } from './author.ts'
import { platformTenant } from './ids.ts'

export interface AuditChange {
  readonly field: string
  readonly to: string | number | boolean | null | readonly string[]
}

/** What is told, before it has its place in the chain. */
export interface AuditFacts {
  /** A client's id, or `platform`. */
  readonly client: string
  /** When it happened, in wall-clock ms. */
  readonly at: number
  readonly actor: Pick<Author, 'kind' | 'id' | 'roles'>
  /** `grant.revoked` */
  readonly action: string
  /** The same in OWASP's logging vocabulary, where it has a name there. */
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
  /** Of the HTTP request it came with. */
  readonly requestId?: string
  /** The pattern of its route: `GET /v1/contacts/{id}`. */
  readonly route?: string
  /** The address, cut to /24 or /48. */
  readonly net?: string
  /** How many of the same kind this entry stands for. */
  readonly count?: number
  readonly changes?: readonly AuditChange[]
  /** Names alone, where values may be of people. */
  readonly changedFields?: readonly string[]
  /** Of what was shown to the one who decided. */
  readonly digest?: string
  /** The rule of two people was set aside. */
  readonly selfReviewed?: true
}

/** Where an entry comes from: its message in a stream, and its number in an actor's log. */
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
  /** Of each source: its last message that is in this chain. */
  readonly positions: Readonly<Record<string, number>>
  /** Where in the stream the entry before is; 0 for the first. */
  readonly prevSeq: number
  /** Of the entry before; of the first, SHA-256 of `genesis:<client>`. */
  readonly prev: string
  /** SHA-256, in hex, of the entry without this field (RFC 8785). */
  readonly hash: string
}

/** What a chain was at one moment, signed, so that a chain cut short or written anew is found. */
export interface AuditCheckpoint {
  readonly client: string
  readonly n: number
  readonly hash: string
  readonly at: number
  /** Of the key that signed it. */
  readonly keyId: string
  /** Ed25519, over RFC 8785 of the fields above, in base64url. */
  readonly signature: string
}

/** How far the audit has come, told every `auditStateMs`. */
export interface AuditState {
  readonly atMs: number
  /** The actor host that writes it. */
  readonly by: string
  /** Of all chains together. */
  readonly entries: number
  /** What is known to wait. */
  readonly backlogEntries: number
  /** When the oldest of it happened. */
  readonly oldestMs?: number
  /** Everything of a source up to here is in the chains. */
  readonly positions: Readonly<Record<string, number>>
  /** When every chain last got its checkpoint. */
  readonly checkpointedAtMs: number
}

export const auditStateKey = 'state'

/** `aud_<the client's id without its prefix>_<n>`: it says where to look. */
export const auditId = (client: string, n: number): string =>
  `aud_${client === platformTenant ? client : client.slice('cli_'.length)}_${n}`

const idPattern = /^aud_(platform|[0-9a-hjkmnp-tv-z]{26})_([1-9]\d{0,14})$/

/** Undefined for what is no id of an entry. */
export function readAuditId(
  text: string,
): { readonly client: string; readonly n: number } | undefined {
  const [, owner, n] = idPattern.exec(text) ?? []
  if (owner === undefined || n === undefined) return undefined
  return { client: owner === platformTenant ? owner : `cli_${owner}`, n: Number(n) }
}
