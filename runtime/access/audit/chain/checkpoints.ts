/**
 * Signed checkpoints of chains. A chain alone does not show that its end was removed or that all of
 * it was rewritten; a checkpoint does, especially a copy that is stored elsewhere.
 */
import { canonicalize } from 'json-canonicalize'
import { auditCheckpoint, type AuditCheckpoint } from '../../../../proto/access/audit/audit.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { subjects } from '../../../../proto/subjects.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { SignedText, TextSigner } from '../../../accounts/seal/signer.ts'
import { StoreConflict, type LogRecord, type SharedLog } from '../../../store/store.ts'
import { decodeEntry } from './entry.ts'

type Unsigned = Omit<AuditCheckpoint, keyof SignedText>

export const checkpointPurpose = 'audit-checkpoint'

const textOf = ({ client, n, hash, at }: Unsigned): string => canonicalize({ client, n, hash, at })

/** Undefined if it was signed with a key that this host does not have. */
export const isGenuineCheckpoint = (
  signer: TextSigner,
  checkpoint: AuditCheckpoint,
): boolean | undefined => signer.isSigned(textOf(checkpoint), checkpoint)

export interface CheckpointStores {
  readonly audit: Pick<SharedLog, 'last' | 'subjects'>
  readonly checkpoints: Pick<SharedLog, 'last' | 'append'>
}

/** Stores one checkpoint elsewhere, as JSON in one line. The audit does not wait for it. */
export type CheckpointCopy = (line: string) => void

export class Checkpoints {
  readonly #stores: CheckpointStores
  readonly #signer: TextSigner
  readonly #clock: Pick<Clock, 'now'>
  readonly #copy: CheckpointCopy

  /** `copy` gets each checkpoint that was stored. */
  constructor(
    stores: CheckpointStores,
    signer: TextSigner,
    clock: Pick<Clock, 'now'>,
    copy: CheckpointCopy = () => undefined,
  ) {
    this.#stores = stores
    this.#signer = signer
    this.#clock = clock
    this.#copy = copy
  }

  /**
   * Signs one checkpoint for each chain that has grown since its last one. Returns their number.
   */
  async signAll(): Promise<number> {
    let count = 0
    for (const subject of await this.#stores.audit.subjects(subjects.auditAll)) {
      const record = await this.#stores.audit.last(subject)
      const entry = record && decodeEntry(record.data)
      if (entry && (await this.sign(entry.client, entry))) count++
    }
    return count
  }

  static isDue = (n: number): boolean => n % limits.checkpointEntries === 0

  /** False if this entry has a checkpoint already, or there is no signing key. */
  async sign(
    client: string,
    { n, hash }: { readonly n: number; readonly hash: string },
  ): Promise<boolean> {
    const { checkpoints } = this.#stores
    const subject = subjects.checkpoint(client)
    const last = await checkpoints.last(subject)
    if (last && (decodeCheckpoint(last)?.n ?? 0) >= n) return false
    const unsigned = { client, n, hash, at: this.#clock.now() }
    const signed = this.#signer.sign(textOf(unsigned))
    if (!signed) return false
    const data = Buffer.from(JSON.stringify({ ...unsigned, ...signed }))
    try {
      await checkpoints.append(subject, data, last?.seq ?? 0)
    } catch (error) {
      // Another sequencer has signed this one at the same time.
      if (error instanceof StoreConflict) return false
      throw error
    }
    this.#copy(data.toString())
    return true
  }
}

/** Undefined if the data is not a checkpoint. */
export function decodeCheckpoint({ data }: Pick<LogRecord, 'data'>): AuditCheckpoint | undefined {
  return readCheckpoint(Buffer.from(data).toString())
}

export function readCheckpoint(text: string): AuditCheckpoint | undefined {
  try {
    return auditCheckpoint.safeParse(JSON.parse(text)).data
  } catch {
    // Not JSON: the caller reports that it is not a checkpoint.
    return undefined
  }
}

export async function* readCheckpoints(
  log: Pick<SharedLog, 'read'>,
  client: string,
): AsyncIterable<AuditCheckpoint> {
  for await (const record of log.read(subjects.checkpoint(client))) {
    const checkpoint = decodeCheckpoint(record)
    if (checkpoint) yield checkpoint
  }
}
