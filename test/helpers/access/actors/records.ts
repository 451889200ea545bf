/** Records over any bucket, and accesses to them, for tests. */
import { Records } from '../../../../gateway/access/records/records.ts'
import type { GrantedAccess } from '../../../../gateway/access/gate/access.ts'
import { areaKeys, areaRules } from '../../../../proto/access/areas/areas.ts'
import { newAccessId, type ClientId } from '../../../../proto/access/ids.ts'
import type { Permission } from '../../../../proto/access/permissions.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { Cursors } from '../../../../runtime/access/records/index/cursor.ts'
import {
  RecordIndexes,
  type IndexLimits,
} from '../../../../runtime/access/records/index/record-indexes.ts'
import { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import type { Bucket } from '../../../../runtime/store/store.ts'
import { systemClock, type Clock } from '../../../../runtime/lib/clock.ts'
import { RecordRoom } from '../../../../gateway/access/records/record-room.ts'
import { silent } from '../../nats/nats.ts'

export const cursorSecret = () => '7'.repeat(32)

export interface RecordsWorld {
  readonly records: Records
  readonly store: RecordStore
  readonly indexes: RecordIndexes
  readonly people: Set<string>
  /** What each client may use. */
  shareBytes: number
  /** The time of the next writes, in ms. */
  nowMs: number
}

export function recordsOn(bucket: Bucket, limits: Partial<IndexLimits> = {}): RecordsWorld {
  const store = new RecordStore(bucket)
  const people = new Set<string>()
  const world = { store, people, shareBytes: Infinity, nowMs: Date.parse('2026-05-01T00:00:00Z') }
  const clock: Clock = { ...systemClock, now: () => world.nowMs }
  const indexes = new RecordIndexes({ records: store, log: silent, clock, limits })
  const records = new Records({
    store,
    indexes,
    room: new RecordRoom({ indexes, shares: { bytesOf: () => world.shareBytes }, log: silent }),
    cursors: new Cursors(cursorSecret),
    // A bucket in memory keeps no past values.
    recordChanges: { read: async function* () {} },
    isPersonOf: (client, id) => people.has(`${client}.${id}`),
    now: () => world.nowMs,
  })
  return Object.assign(world, { indexes, records })
}

/** Every permission that can be granted. */
const everything: readonly Permission[] = areaKeys.map((area) => ({
  area,
  actions: areaRules[area].actions,
}))

export function accessTo(
  clientId: ClientId,
  permissions: readonly Permission[] = everything,
  more: Partial<GrantedAccess> = {},
): GrantedAccess {
  const author = { kind: 'integration', id: newAccessId('grant') } as const
  return { clientId, permissions, author, ...more }
}

export const query = (fields: Readonly<Record<string, string>> = {}) => new URLSearchParams(fields)

/** The type of the error that a call fails with; `done` when it succeeds. */
export async function refusal(call: () => unknown): Promise<string> {
  try {
    await call()
    return 'done'
  } catch (error) {
    if (error instanceof ServiceError) return error.type
    throw error
  }
}
