/**
 * What the views in the file add up to: how many are in each status, what they take up in other
 * streams, and what they have used. It changes with each segment that comes or goes, so that whoever
 * asks reads no view.
 */
import { decode, encode } from '../../../proto/codec.ts'
import type { BytesByStream } from '../actor-kind.ts'
import {
  addFigures,
  facet,
  type ActorUse,
  type ArchivedKind,
  type UseRange,
} from './archived-kind.ts'
import type { FileCipher } from './file-cipher.ts'
import { below, seqText, type Bytes } from './keys.ts'
import type { PackedViews } from './segment.ts'

interface Count {
  readonly entries: number
  readonly byStatus: Readonly<Record<string, number>>
}

/** Sealed, because names of keys must not lie in the clear. */
type StoredUse = Pick<ActorUse, 'key' | 'figures'>

interface SumsOptions {
  readonly cipher: FileCipher
  readonly kinds: Readonly<Record<string, ArchivedKind>>
}

const hourMs = 3_600_000

export class HistorySums {
  /**
   * `count.kind.tenant`; `room.tenant.hour`: bytes by stream; `use.kind.tenant.day.key`, the last as
   * a digest.
   */
  readonly #state: Bytes
  readonly #options: SumsOptions

  constructor(state: Bytes, options: SumsOptions) {
    this.#state = state
    this.#options = options
  }

  count(kind: string, tenant: string): number {
    return this.#count(kind, tenant).entries
  }

  /** How many are in each status, over all tenants. */
  tally(kind: string): ReadonlyMap<string, number> {
    const sums: Record<string, number> = {}
    for (const tenant of this.tenants(kind)) {
      addFigures(sums, this.#count(kind, tenant).byStatus, 1)
    }
    return new Map(Object.entries(sums))
  }

  tenants(kind: string): readonly string[] {
    const prefix = `count.${kind}.`
    return [...this.#state.getKeys(below(prefix))].map((key) => key.slice(prefix.length))
  }

  /** What the actors of a tenant that ended since then have stored in other streams. */
  roomOf(tenant: string, sinceMs: number): BytesByStream {
    const sums: Record<string, number> = {}
    const { end } = below(`room.${tenant}.`)
    for (const { value } of this.#state.getRange({ start: roomKey(tenant, sinceMs), end })) {
      addFigures(sums, decode<BytesByStream>(value), 1)
    }
    return sums
  }

  /** Once for each day and key that has used anything. */
  *uses(kind: string, { tenant, fromDay, toDay }: UseRange): Iterable<ActorUse> {
    const prefix = `use.${kind}.${tenant}.`
    const { end } = below(`${prefix}${toDay}.`)
    for (const { key, value } of this.#state.getRange({ start: prefix + fromDay, end })) {
      const day = key.slice(prefix.length, prefix.length + fromDay.length)
      yield { tenant, day, ...this.#openUse(key, value) }
    }
  }

  /** Adds these views, or takes them away. Within a transaction. */
  recount(kind: string, tenant: string, { views, elsewhere = {} }: PackedViews, by: 1 | -1): void {
    const { statusOf, useOf } = this.#options.kinds[kind]!
    const { entries, byStatus } = this.#count(kind, tenant)
    const next = { entries: entries + by * views.length, byStatus: { ...byStatus } }
    const uses = new Map<string, Pick<ActorUse, 'key'> & { figures: Record<string, number> }>()
    for (const view of views) {
      addFigures(next.byStatus, { [statusOf(view)]: 1 }, by)
      const bytes = elsewhere[view.id]
      if (bytes) this.#addRoom(roomKey(tenant, view.endedAtMs ?? 0), bytes, by)
      const { day, key, figures } = useOf(view)
      const name = `use.${kind}.${tenant}.${day}.${facet('key', key)}`
      const sum = uses.get(name) ?? { key, figures: {} }
      addFigures(sum.figures, figures, by)
      uses.set(name, sum)
    }
    for (const [name, use] of uses) this.#addUse(name, use)
    const key = `count.${kind}.${tenant}`
    if (next.entries > 0) this.#state.putSync(key, encode(next satisfies Count))
    else this.#state.removeSync(key)
  }

  #addRoom(key: string, bytes: BytesByStream, by: 1 | -1): void {
    const stored = this.#state.get(key)
    const sums = stored ? { ...decode<BytesByStream>(stored) } : {}
    addFigures(sums, bytes, by)
    if (isSome(sums)) this.#state.putSync(key, encode(sums))
    else this.#state.removeSync(key)
  }

  #addUse(name: string, { key, figures }: StoredUse): void {
    const stored = this.#state.get(name)
    const sums = stored ? { ...this.#openUse(name, stored).figures } : {}
    addFigures(sums, figures, 1)
    const { cipher } = this.#options
    if (isSome(sums)) this.#state.putSync(name, cipher.seal(encode({ key, figures: sums }), name))
    else this.#state.removeSync(name)
  }

  #openUse(name: string, stored: Uint8Array): StoredUse {
    return decode<StoredUse>(this.#options.cipher.open(stored, name))
  }

  #count(kind: string, tenant: string): Count {
    const stored = this.#state.get(`count.${kind}.${tenant}`)
    return stored ? decode<Count>(stored) : { entries: 0, byStatus: {} }
  }
}

const isSome = (sums: Readonly<Record<string, number>>) =>
  Object.values(sums).some((sum) => sum > 0)

const roomKey = (tenant: string, ms: number) => `room.${tenant}.${seqText(Math.floor(ms / hourMs))}`
