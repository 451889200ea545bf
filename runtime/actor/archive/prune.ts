/** Removes segments that are too old or too many, and tells readers with an empty segment. */
import { subjects } from '../../../proto/subjects.ts'
import type { Clock } from '../../lib/clock.ts'
import { StoreConflict, type LogRecord, type SharedLog } from '../../store/store.ts'
import type { AnyActorKind } from '../actor-kind.ts'
import { packSegment, unpackSegment, type StoredSegment } from './segment.ts'

/** What stays readable of each kind and tenant. */
export interface Kept {
  readonly keptMs: number
  /** At least so many: segments are removed as a whole. */
  readonly keptPerTenant: number
  /** Compressed. */
  readonly keptBytes: number
}

export interface PruneOptions extends Kept {
  readonly store: { readonly archive: SharedLog }
  readonly clock: Pick<Clock, 'now'>
  readonly kinds: readonly Pick<AnyActorKind, 'protocol' | 'forget'>[]
}

/**
 * What actors stored elsewhere is forgotten before their segment goes, so that an interrupted removal
 * is repeated.
 */
export async function prune(options: PruneOptions, subject: string): Promise<void> {
  const { store } = options
  const last = await store.archive.last(subject)
  if (!last) return
  const { upTo } = unpackSegment(last)
  const surplus: StoredSegment[] = []
  for await (const record of store.archive.read(subject)) {
    const segment = unpackSegment(record)
    if (!isSurplus(segment, upTo, options)) break
    surplus.push(segment)
  }
  // The announcement of an earlier removal is not worth another one.
  if (surplus.every(({ views }) => views.length === 0)) return
  const beforeSeq = surplus.at(-1)!.seq + 1
  if (!(await announce(store.archive, last, { keptFrom: beforeSeq, upTo }))) return
  const [kind] = subjects.archived(subject)
  const forget = options.kinds.find(({ protocol }) => protocol.kind === kind)?.forget
  for (const { id } of surplus.flatMap(({ views }) => views)) await forget?.(id)
  await store.archive.trim(subject, beforeSeq)
}

function isSurplus(
  { views, upTo }: StoredSegment,
  all: StoredSegment['upTo'],
  { clock, keptMs, keptPerTenant, keptBytes }: PruneOptions,
): boolean {
  const newestMs = Math.max(...views.map(({ endedAtMs = 0 }) => endedAtMs))
  return (
    newestMs < clock.now() - keptMs ||
    all.entries - upTo.entries >= keptPerTenant ||
    all.bytes - upTo.bytes >= keptBytes
  )
}

/** False if a segment was added meanwhile: then the next sweep does this. */
async function announce(
  archive: SharedLog,
  { subject, seq }: LogRecord,
  told: Pick<StoredSegment, 'keptFrom' | 'upTo'>,
): Promise<boolean> {
  try {
    await archive.append(subject, packSegment({ ...told, views: [] }), seq)
    return true
  } catch (error) {
    if (error instanceof StoreConflict) return false
    throw error
  }
}
