/** The databases of an origin, with their records as JSON. */
import { decodeStored, encodeStored, isPlain, NotEncodable } from './codec.ts'

interface KeyPath {
  readonly keyPath?: string
  readonly keyPathArray?: readonly string[]
}

interface StoredRecord {
  readonly key?: unknown
  readonly keyEncoded?: unknown
  readonly value?: unknown
  readonly valueEncoded?: unknown
}

interface StoreState extends KeyPath {
  readonly name: string
  readonly autoIncrement: boolean
  readonly indexes: readonly (KeyPath & {
    readonly name: string
    readonly multiEntry: boolean
    readonly unique: boolean
  })[]
  readonly records: readonly StoredRecord[]
}

export interface DatabaseState {
  readonly name: string
  readonly version: number
  readonly stores: readonly StoreState[]
}

/** Records that are read at once. */
const batch = 200

/** Told what cannot be read, and how much has been. */
export interface Reading {
  omit(what: string): void
  /** Throws if that is more than fits. */
  count(chars: number): void
}

export async function readDatabases(reading: Reading): Promise<DatabaseState[]> {
  const states: DatabaseState[] = []
  for (const { name } of await indexedDB.databases()) {
    const database = await answerOf(indexedDB.open(name!))
    try {
      const stores: StoreState[] = []
      for (const store of database.objectStoreNames) {
        stores.push(await readStore(database, store, reading))
      }
      states.push({ name: database.name, version: database.version, stores })
    } finally {
      database.close()
    }
  }
  return states
}

async function readStore(database: IDBDatabase, name: string, reading: Reading) {
  const store = database.transaction(name, 'readonly').objectStore(name)
  const { autoIncrement } = store
  const indexes = Array.from(store.indexNames, (each) => {
    const { multiEntry, unique, keyPath } = store.index(each)
    return { name: each, ...toKeyPath(keyPath), multiEntry, unique }
  })
  const records: StoredRecord[] = []
  let omitted = 0
  let why = ''
  for (let after: IDBKeyRange | null = null; ;) {
    const [keys, values]: [IDBValidKey[], unknown[]] = await Promise.all([
      answerOf(store.getAllKeys(after, batch)),
      answerOf(store.getAll(after, batch) as IDBRequest<unknown[]>),
    ])
    values.forEach((value, i) => {
      try {
        const record = recordOf(store.keyPath === null ? keys[i] : undefined, value)
        reading.count(JSON.stringify(record).length)
        records.push(record)
      } catch (error) {
        if (!(error instanceof NotEncodable || error instanceof RangeError)) throw error
        omitted++
        why = error.message
      }
    })
    if (keys.length < batch) break
    after = IDBKeyRange.lowerBound(keys.at(-1), true)
  }
  const where = `database ${database.name}, store ${name}`
  if (omitted > 0) reading.omit(`${where}: ${omitted} records with ${why}`)
  return { name, ...toKeyPath(store.keyPath), autoIncrement, indexes, records }
}

function recordOf(key: IDBValidKey | undefined, value: unknown): StoredRecord {
  return {
    ...(key !== undefined && (isPlain(key) ? { key } : { keyEncoded: encodeStored(key) })),
    ...(isPlain(value) ? { value } : { valueEncoded: encodeStored(value) }),
  }
}

/** Into an origin without databases. */
export async function writeDatabases(states: readonly DatabaseState[]): Promise<void> {
  for (const { name, version, stores } of states) {
    const opening = indexedDB.open(name, version)
    opening.addEventListener('upgradeneeded', () => {
      for (const store of stores) makeStore(opening.result, store)
    })
    const database = await answerOf(opening)
    try {
      if (stores.length > 0) await writeRecords(database, stores)
    } finally {
      database.close()
    }
  }
}

function makeStore(database: IDBDatabase, state: StoreState): void {
  const { name, autoIncrement, indexes } = state
  const keyPath = ofKeyPath(state)
  const store = database.createObjectStore(name, { autoIncrement, keyPath })
  for (const index of indexes) {
    const { multiEntry, unique } = index
    store.createIndex(index.name, ofKeyPath(index) ?? '', { multiEntry, unique })
  }
}

async function writeRecords(database: IDBDatabase, stores: readonly StoreState[]): Promise<void> {
  const writing = database.transaction(
    stores.map(({ name }) => name),
    'readwrite',
  )
  const done = new Promise<void>((resolve, reject) => {
    writing.addEventListener('complete', () => resolve())
    writing.addEventListener('abort', () => reject(writing.error ?? new Error('it was aborted')))
  })
  // Awaited below, unless a record is refused before.
  done.catch(() => undefined)
  for (const { name, records } of stores) {
    const store = writing.objectStore(name)
    for (const record of records) {
      const value = 'valueEncoded' in record ? decodeStored(record.valueEncoded) : record.value
      const key = 'keyEncoded' in record ? decodeStored(record.keyEncoded) : record.key
      store.put(value, key as IDBValidKey | undefined)
    }
  }
  await done
}

function toKeyPath(keyPath: string | string[] | null): KeyPath {
  if (keyPath === null) return {}
  return Array.isArray(keyPath) ? { keyPathArray: [...keyPath] } : { keyPath }
}

const ofKeyPath = ({ keyPath, keyPathArray }: KeyPath): string | string[] | null =>
  keyPathArray ? [...keyPathArray] : (keyPath ?? null)

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('it failed')))
  })
}
