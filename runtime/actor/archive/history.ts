/**
 * The archive as a gateway reads it: a copy in a file (LMDB), because a million ended sessions do
 * not fit in memory and a segment has no index. The gateways of one host share the file, which LMDB
 * is made for: each takes in what the others have not. Segments are encrypted in it, since views
 * contain prompts and URLs; its indexes have ids and tenants. (LMDB could encrypt the whole file, but
 * then a process that writes a million views holds gigabytes.) It can be deleted at any time, and is
 * made again from the store.
 */
import { open, type RootDatabase } from 'lmdb'
import { LRUCache } from 'lru-cache'
import type { ActorView } from '../../../proto/actor.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { idBeginOf } from '../../../proto/ids.ts'
import { actorLimits } from '../limits.ts'
import type { ArchivedKind } from './archived-kind.ts'
import type { FileCipher } from './file-cipher.ts'
import { HistorySums } from './history-sums.ts'
import { below, seqText, type Bytes } from './keys.ts'
import { packViews, unpackViews, type PackedViews, type StoredSegment } from './segment.ts'

/** Everything up to this message is in the file. */
export interface HistoryPosition {
  /** Which stream it is, see `StreamSpan`. */
  readonly created: string
  readonly firstSeq: number
  readonly seq: number
  readonly atMs: number
}

/** Where a view is. */
interface Place extends SegmentPlace {
  readonly createdMs: number
}

interface SegmentPlace {
  readonly tenant: string
  readonly seq: number
}

/** Which views, in which order. */
export interface ViewRange {
  /** Absent: all tenants. */
  readonly tenant?: string | undefined
  readonly newestFirst: boolean
  /** Only views that have all of them. */
  readonly facets?: readonly string[]
  /** Bounds of the time of creation, inclusive, in wall-clock ms. */
  readonly created?: CreatedRange
  /** Only what comes after this id, in the order of the range. */
  readonly after?: string | undefined
}

export interface CreatedRange {
  /** The prefix of the ids of this kind: ids begin with their time. */
  readonly prefix: string
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
}

/** A view that is read when it is needed. */
export interface LazyView<V> {
  readonly id: string
  /** Undefined if it has been removed meanwhile. */
  read(): V | undefined
}

export interface HistoryOptions {
  readonly folder: string
  readonly cipher: FileCipher
  readonly kinds: Readonly<Record<string, ArchivedKind>>
}

interface Views extends PackedViews {
  readonly byId: ReadonlyMap<string, ActorView>
}

/** In the index: the facet that each view has, and the tenant that has all views. */
const everything = 'all'
const anyTenant = '*'
const positionKey = 'position'
const segmentKey = (kind: string, { tenant, seq }: SegmentPlace) =>
  `${kind}.${tenant}.${seqText(seq)}`
/** The time in an id may differ a little from that of creation: a repeated request keeps its id. */
const idSlackMs = 10 * 60_000

interface KeyRange {
  readonly start: string
  readonly end: string
}

/** Keys of ids that can have been created then. */
function idsBetween(keyPrefix: string, created: CreatedRange | undefined): KeyRange {
  const { start, end } = below(keyPrefix)
  if (!created) return { start, end }
  const { prefix, fromMs, toMs } = created
  return {
    start: fromMs === undefined ? start : keyPrefix + idBeginOf(prefix, fromMs - idSlackMs),
    end: toMs === undefined ? end : keyPrefix + idBeginOf(prefix, toMs + idSlackMs),
  }
}

function narrowed(
  { start, end }: KeyRange,
  keyPrefix: string,
  { after, newestFirst }: Pick<ViewRange, 'after' | 'newestFirst'>,
): KeyRange {
  if (after === undefined) return { start, end }
  const key = keyPrefix + after
  if (newestFirst) return { start, end: key < end ? key : end }
  return { start: key > start ? key : start, end }
}

const isBetween = (ms: number, { fromMs = -Infinity, toMs = Infinity }: CreatedRange) =>
  ms >= fromMs && ms <= toMs

export class History {
  readonly #root: RootDatabase
  /** `kind.id`: the {@link Place}. */
  readonly #places: Bytes
  /** `kind.tenant.facet.id`: the same; also with `*` for the tenant. */
  readonly #facets: Bytes
  /** `kind.tenant.seq`: the views of a segment. */
  readonly #segments: Bytes
  /** The position, and the sums. */
  readonly #state: Bytes
  /** What the views in it add up to. */
  readonly sums: HistorySums
  readonly #kinds: HistoryOptions['kinds']
  readonly #cipher: FileCipher
  readonly #cache = new LRUCache<string, Views>({ maxSize: actorLimits.historyCachedViews })

  constructor({ folder, cipher, kinds }: HistoryOptions) {
    this.#kinds = kinds
    this.#cipher = cipher
    this.#root = open({ path: folder, encoding: 'binary', maxDbs: 4 })
    const named = (name: string): Bytes => this.#root.openDB({ name, encoding: 'binary' })
    this.#places = named('places')
    this.#facets = named('facets')
    this.#segments = named('segments')
    this.#state = named('state')
    this.sums = new HistorySums(this.#state, { kinds, cipher })
  }

  close(): Promise<void> {
    return this.#root.close()
  }

  get position(): HistoryPosition | undefined {
    const stored = this.#state.get(positionKey)
    return stored && decode<HistoryPosition>(stored)
  }

  /** Changes whenever something else is in the file. */
  get version(): string {
    const at = this.position
    return at ? `${at.created} ${at.seq} ${at.firstSeq}` : ''
  }

  get(kind: string, id: string): ActorView | undefined {
    const place = this.#placeOf(kind, id)
    return place && this.#viewsAt(kind, place).byId.get(id)
  }

  has(kind: string, id: string): boolean {
    return this.#places.doesExist(`${kind}.${id}`)
  }

  /** In the order of creation. */
  *walk(kind: string, range: ViewRange): Iterable<LazyView<ActorView>> {
    const { tenant = anyTenant, newestFirst, facets = [], created } = range
    const isAll = tenant === anyTenant && facets.length === 0
    const prefix = isAll ? `${kind}.` : `${kind}.${tenant}.${facets[0] ?? everything}.`
    const { start, end } = narrowed(idsBetween(prefix, created), prefix, range)
    const keys = newestFirst ? { start: end, end: start, reverse: true } : { start, end }
    const has = (id: string) => (one: string) =>
      this.#facets.doesExist(`${kind}.${tenant}.${one}.${id}`)
    for (const { key, value } of (isAll ? this.#places : this.#facets).getRange(keys)) {
      const id = key.slice(prefix.length)
      if (id === range.after) continue
      if (facets.length > 1 && !facets.slice(1).every(has(id))) continue
      if (created && !isBetween(decode<Place>(value).createdMs, created)) continue
      yield { id, read: () => this.#viewsAt(kind, decode<Place>(value)).byId.get(id) }
    }
  }

  /**
   * Takes in segments of this stream, oldest first, without those that another process has taken in
   * already.
   */
  add(segments: readonly StoredSegment[], { created, firstSeq }: Stream): void {
    const last = segments.at(-1)
    if (!last) return
    this.#root.transactionSync(() => {
      const knownSeq = this.position?.seq ?? 0
      for (const segment of segments) if (segment.seq > knownSeq) this.#take(segment)
      const { seq, atMs } = last
      if (seq > knownSeq) this.#setPosition({ created, firstSeq, seq, atMs })
    })
  }

  /** The stream has no messages before this one any more. */
  dropBefore(firstSeq: number): void {
    this.#root.transactionSync(() => {
      for (const kind of Object.keys(this.#kinds)) {
        for (const tenant of this.sums.tenants(kind)) this.#cut(kind, tenant, firstSeq)
      }
      const { position } = this
      if (position) this.#setPosition({ ...position, firstSeq })
    })
  }

  /** Removes everything: the store has another stream now. */
  clear(): void {
    this.#root.transactionSync(() => {
      for (const part of [this.#places, this.#facets, this.#segments, this.#state]) {
        part.clearSync()
      }
    })
    this.#cache.clear()
  }

  #take({ kind, tenant, keptFrom, views, elsewhere = {}, seq }: StoredSegment): void {
    this.#cut(kind, tenant, keptFrom)
    if (!this.#kinds[kind] || views.length === 0) return
    const key = segmentKey(kind, { tenant, seq })
    this.#segments.putSync(key, this.#cipher.seal(packViews({ views, elsewhere }), key))
    for (const view of views) {
      const earlier = this.#placeOf(kind, view.id)
      if (earlier) this.#forget(kind, earlier, ({ id }) => id === view.id)
      const createdMs = this.#kinds[kind].createdMsOf(view)
      const place = encode({ tenant, seq, createdMs } satisfies Place)
      this.#places.putSync(`${kind}.${view.id}`, place)
      for (const one of this.#keysOf(kind, tenant, view)) this.#facets.putSync(one, place)
    }
    this.sums.recount(kind, tenant, { views, elsewhere }, 1)
  }

  #cut(kind: string, tenant: string, beforeSeq: number): void {
    const end = segmentKey(kind, { tenant, seq: beforeSeq })
    for (const key of [...this.#segments.getKeys({ start: `${kind}.${tenant}.`, end })]) {
      const place = { tenant, seq: Number(key.slice(-seqText(0).length)) }
      // Others are in a later segment too.
      this.#forget(kind, place, ({ id }) => this.#placeOf(kind, id)?.seq === place.seq)
      this.#segments.removeSync(key)
    }
  }

  *#keysOf(kind: string, tenant: string, view: ActorView): Iterable<string> {
    yield `${kind}.${tenant}.${everything}.${view.id}`
    for (const one of this.#kinds[kind]!.facetsOf(view)) {
      yield `${kind}.${tenant}.${one}.${view.id}`
      yield `${kind}.${anyTenant}.${one}.${view.id}`
    }
  }

  #forget(kind: string, place: SegmentPlace, isGone: (view: ActorView) => boolean): void {
    const { tenant } = place
    const { views: all, elsewhere = {} } = this.#viewsAt(kind, place)
    const views = all.filter(isGone)
    for (const view of views) {
      this.#places.removeSync(`${kind}.${view.id}`)
      for (const one of this.#keysOf(kind, tenant, view)) this.#facets.removeSync(one)
    }
    this.sums.recount(kind, tenant, { views, elsewhere }, -1)
  }

  #setPosition(position: HistoryPosition): void {
    this.#state.putSync(positionKey, encode(position))
  }

  #placeOf(kind: string, id: string): Place | undefined {
    const stored = this.#places.get(`${kind}.${id}`)
    return stored && decode<Place>(stored)
  }

  /** By id; a segment never changes, so it may be remembered. */
  #viewsAt(kind: string, place: SegmentPlace): Views {
    const key = segmentKey(kind, place)
    const cached = this.#cache.get(key)
    if (cached) return cached
    const stored = this.#segments.get(key)
    const packed = stored ? unpackViews(this.#cipher.open(stored, key)) : { views: [] }
    const byId = new Map(packed.views.map((view) => [view.id, view]))
    const views = { ...packed, byId }
    this.#cache.set(key, views, { size: byId.size + 1 })
    return views
  }
}

type Stream = Pick<HistoryPosition, 'created' | 'firstSeq'>
