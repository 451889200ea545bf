/**
 * Verifies a chain: each number occurs once and in order, each hash matches its entry, each entry
 * follows the one it names, and the chain agrees with its checkpoints.
 */
import type { AuditCheckpoint, AuditEntry } from '../../../../proto/access/audit/audit.ts'
import type { TextSigner } from '../../../accounts/seal/signer.ts'
import { isGenuineCheckpoint } from './checkpoints.ts'
import { digestOf } from '../../../../proto/access/digest.ts'
import { decodeEntry, genesisHashOf, entryHashOf } from './entry.ts'
import { publicEntry } from '../public-entry.ts'

export interface ChainVerdict {
  readonly client: string
  /** Entries that were checked and found valid. */
  readonly entries: number
  /** Number of the last valid entry. */
  readonly n: number
  readonly hash: string
  /** The first entry that was changed or is missing. */
  readonly firstBad?: { readonly n: number; readonly why: string }
  /** Entries of an export that agree with the chain. */
  readonly exported: number
  readonly checkpoints: {
    readonly matched: number
    /** Checkpoints signed with keys that this host does not have: they prove nothing here. */
    readonly unknownKey: number
  }
}

export interface ChainToVerify {
  readonly client: string
  /** The entries as stored in the stream. */
  readonly entries: AsyncIterable<{ readonly data: Uint8Array }>
  readonly checkpoints: readonly AuditCheckpoint[]
  /** Copies of checkpoints stored elsewhere: they count even if their key is unknown here. */
  readonly kept?: readonly AuditCheckpoint[]
  /** Digests of entries in their exported form (`public-entry.ts`), by number. */
  readonly exported?: ReadonlyMap<number, string>
  readonly signer: TextSigner
  /** Entries written before this time, in wall-clock ms, must be covered by a stored checkpoint. */
  readonly checkpointsDueMs?: number
  /** Where to start: an entry that is assumed to be valid. */
  readonly after?: { readonly n: number; readonly hash: string }
  /** Where to stop; then a removed end is not detected. */
  readonly most?: number
}

/** An entry that must exist according to a checkpoint, and the hash that it must have. */
interface Proof {
  readonly n: number
  readonly hash: string
  readonly why?: string
}

export async function verifyChain(verification: ChainToVerify): Promise<ChainVerdict> {
  const { client, entries, after, most = Infinity, exported = new Map() } = verification
  const { proofs, unknownKey } = proofsOf(verification)
  const rest = proofs.filter(({ n }) => n > (after?.n ?? 0)).sort((a, b) => a.n - b.n)
  const cover = new Cover(verification)
  let good = after ?? { n: 0, hash: genesisHashOf(client) }
  let count = 0
  let matched = 0
  let copies = 0
  const verdict = (firstBad?: ChainVerdict['firstBad']): ChainVerdict => ({
    client,
    entries: count,
    ...good,
    ...(firstBad && { firstBad }),
    exported: copies,
    checkpoints: { matched, unknownKey },
  })
  for await (const { data } of entries) {
    const entry = decodeEntry(data)
    const why = entry ? faultOf(entry, client, good) : 'it is not a valid entry'
    if (why !== undefined) return verdict({ n: good.n + 1, why })
    const copy = exported.get(entry!.n)
    if (copy !== undefined && copy !== digestOf(publicEntry(entry!))) {
      return verdict({ n: entry!.n, why: 'the export has different content for it' })
    }
    if (copy !== undefined) copies++
    good = { n: entry!.n, hash: entry!.hash }
    cover.add(entry!)
    for (; rest[0] && rest[0].n <= good.n; rest.shift()) {
      const { hash, why: fault } = rest[0]
      const isOther =
        hash !== good.hash ? 'the checkpoint of this entry has a different hash' : undefined
      if (fault ?? isOther) return verdict({ n: good.n, why: fault ?? isOther! })
      matched++
    }
    if (++count >= most) break
  }
  if (cover.uncovered) return verdict(cover.uncovered)
  if (count >= most) return verdict()
  const [missed] = rest
  const ends = (whoKnows: string, n: number) =>
    verdict({ n: good.n + 1, why: `the chain ends here, but ${whoKnows} entry ${n}` })
  if (missed) return ends('a checkpoint covers', missed.n)
  const last = [...exported.keys()].reduce((most, n) => Math.max(most, n), 0)
  return last > good.n ? ends('the export has', last) : verdict()
}

/** Finds the first entry that had a checkpoint due after it, and has none. */
class Cover {
  /** Hashes that stored checkpoints state, with any key: a wrong one is a fault elsewhere. */
  readonly #stated: ReadonlyMap<number, string>
  readonly #lastStated: number
  readonly #dueMs: number
  #first: number | undefined
  #n = 0

  constructor({ client, checkpoints, checkpointsDueMs = 0 }: ChainToVerify) {
    const own = checkpoints.filter((one) => one.client === client)
    this.#stated = new Map(own.map(({ n, hash }) => [n, hash]))
    this.#lastStated = own.reduce((most, { n }) => Math.max(most, n), 0)
    this.#dueMs = checkpointsDueMs
  }

  add({ n, hash, writtenAt }: AuditEntry): void {
    this.#n = n
    if (this.#stated.get(n) === hash) this.#first = undefined
    else if (writtenAt < this.#dueMs) this.#first ??= n
  }

  /** Known once no checkpoint can follow. */
  get uncovered(): ChainVerdict['firstBad'] {
    if (this.#first === undefined || this.#n < this.#lastStated) return undefined
    const why = 'a checkpoint that covers it was due, and is missing: checkpoints were removed'
    return { n: this.#first, why }
  }
}

function faultOf(
  entry: AuditEntry,
  client: string,
  before: { readonly n: number; readonly hash: string },
): string | undefined {
  if (entry.n !== before.n + 1) return `entry ${entry.n} is in its place`
  if (entry.client !== client) return `it belongs to ${entry.client}`
  if (entry.prev !== before.hash) return 'it does not follow the previous entry'
  return entry.hash === entryHashOf(entry) ? undefined : 'its hash does not match'
}

function proofsOf({ client, checkpoints, kept = [], signer }: ChainToVerify) {
  const proofs: Proof[] = kept.filter((one) => one.client === client)
  let unknownKey = 0
  for (const checkpoint of checkpoints) {
    const genuine = isGenuineCheckpoint(signer, checkpoint)
    if (genuine === undefined) unknownKey++
    else if (genuine && checkpoint.client === client) proofs.push(checkpoint)
    else proofs.push({ ...checkpoint, why: 'the signature of its checkpoint does not match' })
  }
  return { proofs: [...proofs], unknownKey }
}
