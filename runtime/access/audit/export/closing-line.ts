/**
 * The last line of an NDJSON export of the audit: which entries of which chains the lines before it
 * hold, and a signed hash over all of them. Without it an export could not be told from one whose
 * lines were removed, moved or cut.
 */
import { createHash } from 'node:crypto'
import { canonicalize } from 'json-canonicalize'
import { z } from 'zod'
import type { AuditEntry } from '../../../../proto/access/audit/audit.ts'
import type { TextSigner } from '../../../accounts/seal/signer.ts'

const exportedChain = z.object({
  client: z.string().describe('The id of a client, or `platform`.'),
  entries: z.int(),
  /** Numbers of the first and the last entry, and the hash of the last. */
  first: z.int(),
  last: z.int(),
  hash: z.string(),
})
type ExportedChain = z.output<typeof exportedChain>

const exportFacts = z.object({
  export: z.literal('audit'),
  at: z.iso.datetime(),
  /** True: only entries that match a filter, or that the reader may see; numbers may be missing. */
  filtered: z.boolean(),
  chains: z.array(exportedChain),
  /** SHA-256, in hex, of all lines before this one, each with its line feed. */
  digest: z.string(),
})
type ExportFacts = z.output<typeof exportFacts>

/** A signature is missing if the service has no seal key. */
const closingLine = exportFacts.extend({
  keyId: z.string().optional(),
  signature: z.string().optional(),
})
export type ClosingLine = Readonly<z.output<typeof closingLine>>

/** Undefined if the value is not a closing line. */
export const readClosingLine = (value: unknown): ClosingLine | undefined =>
  closingLine.safeParse(value).data

/** The place of an entry in its chain, and its hash. */
export type ExportedPlace = Pick<AuditEntry, 'client' | 'n' | 'hash'>

/** Sums up the lines of an export, as they are written or read. */
export class ExportSum {
  readonly #lines = createHash('sha256')
  readonly #chains = new Map<string, ExportedChain>()

  /** `place`: for a line that is an entry. */
  add(line: string, place?: ExportedPlace): void {
    this.#lines.update(`${line}\n`)
    if (!place) return
    const { client, n, hash } = place
    const { entries, first } = this.#chains.get(client) ?? { entries: 0, first: n }
    this.#chains.set(client, { client, entries: entries + 1, first, last: n, hash })
  }

  get clients(): readonly string[] {
    return [...this.#chains.keys()]
  }

  last(client: string): Pick<ExportedChain, 'last' | 'hash'> | undefined {
    return this.#chains.get(client)
  }

  /** Ends the sum. */
  facts({ at, filtered }: Pick<ExportFacts, 'at' | 'filtered'>): ExportFacts {
    const chains = [...this.#chains.values()]
    return { export: 'audit', at, filtered, chains, digest: this.#lines.digest('hex') }
  }
}

export const signedClosingLine = (facts: ExportFacts, signer: TextSigner): ClosingLine => ({
  ...facts,
  ...signer.sign(canonicalize(facts)),
})

/** Why a closing line does not prove that the lines with these facts are all of it. */
export function closingFault(
  { keyId, signature, ...stated }: ClosingLine,
  found: ExportFacts,
  signer: TextSigner,
): string | undefined {
  if (keyId === undefined || signature === undefined) return 'its closing line is not signed'
  const isSigned = signer.isSigned(canonicalize(stated), { keyId, signature })
  if (isSigned === undefined)
    return 'its closing line is signed with a key that this host does not have'
  if (!isSigned) return 'the signature of its closing line does not match'
  return canonicalize(stated) === canonicalize(found)
    ? undefined
    : 'lines were removed, added, moved or changed'
}
