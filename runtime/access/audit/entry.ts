/** One entry of a chain: made from facts and the entry before, kept as JSON. */
import { createHash } from 'node:crypto'
import {
  auditId,
  type AuditEntry,
  type AuditFacts,
  type AuditOrigin,
} from '../../../proto/access/audit.ts'
import { digestOf } from '../../../proto/access/digest.ts'

export const genesisOf = (client: string): string =>
  createHash('sha256').update(`genesis:${client}`).digest('hex')

export const hashOf = ({ hash: _, ...entry }: AuditEntry): string => digestOf(entry)

/** The last entry of a chain, as far as the next one needs it. */
export interface Head {
  readonly n: number
  readonly hash: string
  /** Its place in the stream. */
  readonly seq: number
  readonly positions: Readonly<Record<string, number>>
}

export const emptyHead = (client: string): Head => ({
  n: 0,
  hash: genesisOf(client),
  seq: 0,
  positions: {},
})

/** What is told of one message of one source. */
export interface Told {
  /** The source, as `positions` names it. */
  readonly source: string
  readonly src: AuditOrigin
  readonly facts: AuditFacts
}

export function nextEntry(head: Head, { source, src, facts }: Told, nowMs: number): AuditEntry {
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

/** Written by the sequencer alone; undefined for what cannot be an entry. */
export function decodeEntry(data: Uint8Array): AuditEntry | undefined {
  try {
    const text = Buffer.from(data).toString()
    const entry = JSON.parse(text) as AuditEntry
    // The hash covers what JSON means; this covers how it is written, such as a name given twice.
    if (JSON.stringify(entry) !== text) return undefined
    const isWhole = Number.isSafeInteger(entry.n) && typeof entry.hash === 'string'
    return isWhole && typeof entry.positions === 'object' ? entry : undefined
  } catch {
    // Not JSON: whoever asks says that the chain is broken there.
    return undefined
  }
}
