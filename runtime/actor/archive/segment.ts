/**
 * What has ended, packed: the last views of many actors of one kind and tenant in one compressed
 * message of the stream ARCHIVE. A store with a million ended sessions then has some thousand
 * messages instead of three million keys.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ActorView } from '../../../proto/actor.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { LogRecord } from '../../store/store.ts'
import type { BytesByStream } from '../actor-kind.ts'

/** What is packed of some actors. */
export interface PackedViews {
  readonly views: readonly ActorView[]
  /** What they have stored in other streams, by id, see `ViewRecord`. */
  readonly elsewhere?: Readonly<Record<string, BytesByStream>>
}

/** The views are in the order in which the actors ended. */
export interface Segment extends PackedViews {
  readonly kind: string
  readonly tenant: string
  /** Segments of this kind and tenant with a lower sequence no longer count. */
  readonly keptFrom: number
  /** Of all segments of this kind and tenant up to this one, including removed ones. */
  readonly upTo: { readonly entries: number; readonly bytes: number }
}

/** What stands in a message; the kind and the tenant are in its subject. */
type SegmentBody = Omit<Segment, 'kind' | 'tenant'>

export interface StoredSegment extends Segment {
  readonly seq: number
  /** When the store received it, in wall-clock ms. */
  readonly atMs: number
}

export const packSegment = (body: SegmentBody): Uint8Array => deflateRawSync(encode(body))

/** Without what is only for the stream, as the copy of a process keeps them. */
export const packViews = ({ views, elsewhere = {} }: PackedViews): Uint8Array =>
  deflateRawSync(encode({ views, elsewhere } satisfies PackedViews))
export const unpackViews = (bytes: Uint8Array): PackedViews => decode(inflateRawSync(bytes))

export function unpackSegment({ subject, seq, data, atMs = 0 }: LogRecord): StoredSegment {
  const [kind, tenant] = subjects.archived(subject)
  return { kind, tenant, seq, atMs, ...decode<SegmentBody>(inflateRawSync(data)) }
}
