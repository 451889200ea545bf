/** Runs in the hidden page that has the origin whose storage is read or written. */
import { isPortable } from './codec.ts'
import { readDatabases, writeDatabases, type DatabaseState } from './databases.ts'

export interface OriginStorage {
  readonly origin: string
  readonly localStorage: { readonly name: string; readonly value: string }[]
  readonly indexedDB?: DatabaseState[] | undefined
}

export interface StorageRead extends OriginStorage {
  readonly omitted: readonly string[]
  /** Why it could not be read. */
  readonly failure?: string
}

/** At most about that many characters of values. */
export async function readStorage(withDatabases: boolean, charsMax: number): Promise<StorageRead> {
  const omitted: string[] = []
  const items: { name: string; value: string }[] = []
  const state = { origin: location.origin, localStorage: items, omitted }
  let chars = 0
  const reading = {
    omit: (what: string) => void omitted.push(what),
    count(more: number) {
      chars += more
      if (chars > charsMax) throw new Error(`it is larger than ${charsMax} characters`)
    },
  }
  try {
    for (let i = 0; i < localStorage.length; i++) {
      const name = localStorage.key(i)!
      const value = localStorage.getItem(name) ?? ''
      reading.count(name.length + value.length)
      if (isPortable(name) && isPortable(value)) items.push({ name, value })
      else reading.omit(`local storage, ${shown(name)}: text that JSON does not carry`)
    }
    return withDatabases ? { ...state, indexedDB: await readDatabases(reading) } : state
  } catch (error) {
    return { ...state, failure: String(error) }
  }
}

const shown = (text: string) => text.toWellFormed().replaceAll('\0', '�')

/** Writes the databases under other names and removes them. Returns why it could not, if so. */
export async function rehearseStorage({
  origin,
  indexedDB: databases = [],
}: OriginStorage): Promise<string | undefined> {
  const rehearsed = databases.map((each) => ({
    ...each,
    name: `${each.name} ${crypto.randomUUID()}`,
  }))
  try {
    if (location.origin !== origin) return elsewhere()
    await writeDatabases(rehearsed)
    return undefined
  } catch (error) {
    return String(error)
  } finally {
    for (const { name } of rehearsed) indexedDB.deleteDatabase(name)
  }
}

const elsewhere = () => `the browser leads to ${location.origin}`

/** Into an origin that has none. Returns why it could not be written, if so. */
export async function writeStorage(state: OriginStorage): Promise<string | undefined> {
  try {
    if (location.origin !== state.origin) return elsewhere()
    for (const { name, value } of state.localStorage) localStorage.setItem(name, value)
    await writeDatabases(state.indexedDB ?? [])
    return undefined
  } catch (error) {
    return String(error)
  }
}
