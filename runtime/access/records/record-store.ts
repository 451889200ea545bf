/**
 * KV `records`. Keys are built only here, from parts that were each validated: nats.js would accept
 * `a..b` and fail on it later. A value whose owner does not match its key is an error and never
 * returned as data.
 */
import { isAreaKey, type AreaKey } from '../../../proto/access/areas/areas.ts'
import { isRecordId } from '../../../proto/access/areas/prefixes.ts'
import { isAccessId, type ClientId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { decode, encode } from '../../../proto/codec.ts'
import { buckets } from '../../../proto/subjects.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { Bucket, BucketEntry, BucketWatch, LogStore } from '../../store/store.ts'

/** A record or a tombstone with its revision. */
export interface RevisionedRecord {
  readonly record: StoredRecord
  readonly revision: number
  /** The encoded value as it is stored. */
  readonly bytes: Uint8Array
}

export type RecordUpdate =
  | { readonly type: 'put'; readonly held: RevisionedRecord }
  | {
      readonly type: 'drop'
      readonly area: AreaKey
      readonly id: string
      readonly revision: number
    }
  | { readonly type: 'misplaced'; readonly error: MisplacedRecord }

/** The value under a key claims to belong to another key. */
export class MisplacedRecord extends Error {
  constructor(key: string) {
    super(`the value of ${key} in the bucket of records belongs elsewhere`)
    this.name = 'MisplacedRecord'
  }
}

export class RecordStore {
  readonly #bucket: Bucket

  constructor(bucket: Bucket) {
    this.#bucket = bucket
  }

  /**
   * Also returns tombstones. An id that is not well-formed cannot exist, so the store is not asked.
   */
  async get(client: ClientId, area: AreaKey, id: string): Promise<RevisionedRecord | undefined> {
    if (!isRecordId(area, id)) return undefined
    const entry = await this.#bucket.get(keyOf(client, area, id))
    return entry && read(entry)
  }

  /** Throws `StoreConflict` if the id is taken, `too_large` above 256 KiB. */
  async create(record: StoredRecord): Promise<RevisionedRecord> {
    const bytes = encodeRecord(record)
    return { record, bytes, revision: await this.#bucket.create(keyOfRecord(record), bytes) }
  }

  /** Throws `StoreConflict` if the record has changed since `revision`. */
  async replace(record: StoredRecord, revision: number): Promise<RevisionedRecord> {
    const bytes = encodeRecord(record)
    const next = await this.#bucket.update(keyOfRecord(record), bytes, revision)
    return { record, bytes, revision: next }
  }

  /**
   * Removes an expired tombstone. The removal has no author, so nothing else may be removed this
   * way.
   */
  async forget({ record }: RevisionedRecord): Promise<void> {
    if (record.deletedAtMs === undefined) throw new Error(`${record.id} was not deleted`)
    await this.#bucket.delete(keyOfRecord(record))
  }

  /** Removes the values of a deleted record before its tombstone. */
  async forgetPast(
    { record, revision }: RevisionedRecord,
    changes: Pick<LogStore, 'trim'>,
  ): Promise<void> {
    if (record.deletedAtMs === undefined) throw new Error(`${record.id} was not deleted`)
    await changes.trim(`$KV.${buckets.records}.${keyOfRecord(record)}`, revision)
  }

  /**
   * Reads the records of a client, of one of its areas, or of all clients, including tombstones. A
   * record may occur twice. A misplaced record ends the scan with an error, unless there is a
   * callback for it.
   */
  async *scan(
    client?: ClientId,
    area?: AreaKey,
    onMisplaced?: (error: MisplacedRecord) => void,
  ): AsyncIterable<RevisionedRecord> {
    const prefix = client === undefined ? undefined : prefixOf(client, area)
    for await (const entry of this.#bucket.scan(prefix)) {
      const held = tryRead(entry)
      if (!(held instanceof MisplacedRecord)) yield held
      else if (onMisplaced) onMisplaced(held)
      else throw held
    }
  }

  /**
   * Watches a client or one of its areas. Resolves once all existing records have been delivered.
   */
  watch(
    client: ClientId,
    onNews: (news: RecordUpdate) => void,
    area?: AreaKey,
  ): Promise<BucketWatch> {
    return this.#bucket.watch(
      (change) => {
        if (change.type === 'delete') {
          const { area, id } = parseKey(change.key)
          onNews({ type: 'drop', area, id, revision: change.revision })
          return
        }
        const held = tryRead(change)
        if (held instanceof MisplacedRecord) onNews({ type: 'misplaced', error: held })
        else onNews({ type: 'put', held })
      },
      prefixOf(client, area),
    )
  }
}

export const decodeRecord = (bytes: Uint8Array): StoredRecord => decode<StoredRecord>(bytes)

function keyOf(client: ClientId, area: AreaKey, id: string): string {
  if (!isRecordId(area, id)) throw new Error('no id of a record of this area')
  return `${prefixOf(client, area)}${id}`
}

const keyOfRecord = ({ client, area, id }: StoredRecord) => keyOf(client, area, id)

function prefixOf(client: ClientId, area?: AreaKey): string {
  if (!isAccessId('client', client)) throw new Error('no id of a client')
  if (area === undefined) return `${client}.`
  if (!isAreaKey(area)) throw new Error('no area')
  return `${client}.${area}.`
}

function parseKey(key: string): { readonly area: AreaKey; readonly id: string } {
  const [client = '', area = '', id = '', ...rest] = key.split('.')
  const isOurs = isAccessId('client', client) && isAreaKey(area) && isRecordId(area, id)
  if (!isOurs || rest.length > 0) throw new MisplacedRecord(key)
  return { area, id }
}

function read({ key, value, revision }: BucketEntry): RevisionedRecord {
  const record = decodeRecord(value)
  if (`${record.client}.${record.area}.${record.id}` !== key) throw new MisplacedRecord(key)
  return { record, revision, bytes: value }
}

function tryRead(entry: BucketEntry): RevisionedRecord | MisplacedRecord {
  try {
    return read(entry)
  } catch (error) {
    if (error instanceof MisplacedRecord) return error
    throw error
  }
}

/** Throws `too_large`. */
export function encodeRecord(record: StoredRecord): Uint8Array {
  const bytes = encode(record)
  if (bytes.byteLength <= limits.recordBytes) return bytes
  const most = `${limits.recordBytes / 1024} KiB`
  const message = `A record can have at most ${most}: make it smaller, or keep part of it elsewhere.`
  throw new ServiceError('too_large', message, { limit: limits.recordBytes })
}
