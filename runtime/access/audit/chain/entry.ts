/** One entry of a chain: built from facts and the previous entry, stored as JSON. */
import { createHash } from 'node:crypto'
import {
  auditId,
  type AuditEntry,
  type AuditFacts,
  type AuditOrigin,
} from '../../../../proto/access/audit/audit.ts'
import { digestOf } from '../../../../proto/access/digest.ts'

export const genesisHashOf = (client: string): string =>
  createHash('sha256').update(`genesis:${client}`).digest('hex')

export const entryHashOf = ({ hash: _, ...entry }: AuditEntry): string => digestOf(entry)

/** The fields of a chain's last entry that the next one needs. */
export interface ChainHead {
  readonly n: number
  readonly hash: string
  /** Its sequence in the stream. */
  readonly seq: number
  readonly positions: Readonly<Record<string, number>>
}

export const emptyChainHead = (client: string): ChainHead => ({
  n: 0,
  hash: genesisHashOf(client),
  seq: 0,
  positions: {},
})

/** The facts of one message of one source. */
export interface SourcedFacts {
  /** The source's name in `positions`. */
  readonly source: string
  readonly src: AuditOrigin
  readonly facts: AuditFacts
}

export function nextEntry(
  head: ChainHead,
  { source, src, facts }: SourcedFacts,
  nowMs: number,
): AuditEntry {
  const n = head.n + 1
  const entry = {
    id: auditId(facts.client, n),
    n,
    ...facts,
    writtenAt: nowMs,
    src,
    positions: { ...head.positions, [source]: src.seq },
    prevSeq: head.seq,
    prev: head.hash,
  }
  return { ...entry, hash: digestOf(entry) }
}

export const encodeEntry = (entry: AuditEntry): Uint8Array => Buffer.from(JSON.stringify(entry))

/** Only sequencers write entries; undefined if the data cannot be one. */
export function decodeEntry(data: Uint8Array): AuditEntry | undefined {
  try {
    const text = Buffer.from(data).toString()
    const entry = JSON.parse(text) as AuditEntry
    // The hash covers the JSON value; this check covers the text, for example a name given twice.
    if (JSON.stringify(entry) !== text) return undefined
    const isWhole = Number.isSafeInteger(entry.n) && typeof entry.hash === 'string'
    return isWhole && typeof entry.positions === 'object' ? entry : undefined
  } catch {
    // Not JSON: the caller reports that the chain is broken there.
    return undefined
  }
}
