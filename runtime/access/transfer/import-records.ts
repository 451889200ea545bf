/**
 * Imports a file of records. The whole file is checked before the first record is written, and if
 * anything is refused, nothing is written. Each row has its own id or one derived from its content,
 * so the same file can be imported again: existing records are left unchanged.
 */
import { createHash } from 'node:crypto'
import { canonicalize } from 'json-canonicalize'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { commonFields } from '../../../proto/access/areas/define-area.ts'
import { areaPrefixes, isRecordId } from '../../../proto/access/areas/prefixes.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import { timeText } from '../../../proto/access/common.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { idOfDigest } from '../../../proto/ids.ts'
import { StoreConflict } from '../../store/store.ts'
import { plainJson } from '../plain-json.ts'
import { createdRecord } from '../records/change.ts'
import { isRecordObject, mergePatch } from '../records/merge-patch.ts'
import { encodeRecord, type RecordStore } from '../records/record-store.ts'
import { referencesOf, type RecordReference } from '../records/references.ts'
import {
  openImport,
  type ImportFile,
  type ImportSource,
  type SourceReport,
} from './import-source.ts'

export interface ImportOrder extends ImportFile {
  readonly client: ClientId
  readonly area: AreaKey
  /** Check only, write nothing. */
  readonly checkOnly: boolean
  readonly nowMs: number
  readonly onPhase?: (phase: 'checking' | 'writing') => void
}

export interface ImportDeps {
  readonly store: RecordStore
  readonly isPersonOf: (client: ClientId, id: string) => Promise<boolean>
}

export interface LineProblem {
  readonly line: number
  readonly text: string
}

export interface ImportResult {
  /** How the file was understood; absent if it is no text. */
  readonly source?: SourceReport
  readonly rows: number
  readonly made: number
  /** Number of records that existed already. */
  readonly known: number
  /** The first problems, by line. If there is one, nothing was written. */
  readonly problems: readonly LineProblem[]
  /** Number of problems. */
  readonly refused: number
}

const origin = { by: systemAuthor('import') } as const

export async function importRecords(deps: ImportDeps, order: ImportOrder): Promise<ImportResult> {
  order.onPhase?.('checking')
  const source = await openImport(order, areaDefinitions[order.area])
  const tally = new Tally(source.report)
  for (const { line, text } of source.problems) tally.refuse(line, text)
  if (source.problems.length === 0) await check(deps, order, source, tally)
  if (tally.refused > 0 || order.checkOnly) return tally.result()
  order.onPhase?.('writing')
  await eachOf(recordsOf(order, source, tally), ({ line, record, problem }) => {
    // The file has been checked, so it was changed meanwhile.
    if (!record) throw new Error(`line ${line} changed during the import: ${problem}`)
    return write(deps.store, record, tally)
  })
  return tally.result()
}

async function write(store: RecordStore, record: StoredRecord, tally: Tally): Promise<void> {
  try {
    await store.create(record)
    tally.made++
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    tally.known++
  }
}

interface Reference {
  readonly reference: RecordReference
  readonly lines: { readonly line: number; readonly pointer: string }[]
}

/** Checks all rows, then what they refer to, since a row may refer to a later one. */
async function check(
  { store, isPersonOf }: ImportDeps,
  order: ImportOrder,
  source: ImportSource,
  tally: Tally,
): Promise<void> {
  const { client, area } = order
  const ids = new Set<string>()
  const references = new Map<string, Reference>()
  await eachOf(recordsOf(order, source, tally), async ({ line, record, problem }) => {
    if (!record) return tally.refuse(line, problem)
    if (ids.has(record.id)) return tally.refuse(line, `${record.id} is in the file twice`)
    if (ids.size === limits.recordsPerClient) {
      return tally.refuse(line, `a client has at most ${limits.recordsPerClient} records`)
    }
    ids.add(record.id)
    for (const reference of referencesOf(areaDefinitions[area], record.fields)) {
      const key = `${reference.to}.${reference.id}`
      const known = references.get(key) ?? { reference, lines: [] }
      known.lines.push({ line, pointer: reference.pointer })
      references.set(key, known)
    }
    const held = await store.get(client, area, record.id)
    if (held?.record.deletedAtMs === undefined) return
    tally.refuse(line, `${record.id} was deleted; an import does not restore it`)
  })
  await eachOf(references.values(), async ({ reference: { to, id }, lines }) => {
    if (to === area && ids.has(id)) return
    const isHeld = async () => {
      if (to === 'person') return isPersonOf(client, id)
      const held = await store.get(client, to, id)
      return held !== undefined && held.record.deletedAtMs === undefined
    }
    if (await isHeld()) return
    const what = to === 'person' ? 'person' : `record of ${to}`
    for (const { line, pointer } of lines) {
      tally.refuse(line, `${pointer} is the id of no ${what} of this client, nor of this file`)
    }
  })
}

/** A bounded number at a time; the first error ends it when the running ones are over. */
async function eachOf<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<void> | void,
): Promise<void> {
  const running = new Set<Promise<void>>()
  const errors: unknown[] = []
  for await (const item of items) {
    if (errors.length > 0) break
    const one: Promise<void> = Promise.resolve(work(item))
      .catch((error: unknown) => void errors.push(error))
      .finally(() => running.delete(one))
    running.add(one)
    if (running.size >= limits.importsAtOnce) await Promise.race(running)
  }
  await Promise.all(running)
  if (errors.length > 0) throw errors[0]
}

type ReadRecord =
  | { readonly line: number; readonly record: StoredRecord; readonly problem?: never }
  | { readonly line: number; readonly record?: never; readonly problem: string }

async function* recordsOf(
  order: ImportOrder,
  source: ImportSource,
  tally: Tally,
): AsyncIterable<ReadRecord> {
  const derive = idDeriver(order)
  tally.rows = 0
  for await (const { line, problem, value } of source.rows()) {
    tally.rows++
    if (problem !== undefined) {
      yield { line, problem }
      continue
    }
    let found: ReadRecord
    try {
      const record = recordOf(order, value, derive)
      encodeRecord(record)
      found = { line, record }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      found = { line, problem: error.message }
    }
    yield found
  }
}

function recordOf(
  { client, area, nowMs }: ImportOrder,
  value: unknown,
  derive: (row: unknown) => string,
): StoredRecord {
  const row = plainJson(value)
  if (!isRecordObject(row)) throw wrongInputError('is not an object')
  const { id, created_at: createdAt } = row
  if (id !== undefined && !(typeof id === 'string' && isRecordId(area, id))) {
    throw wrongInputError(`id must look like ${areaPrefixes[area]}_…, or be left out`)
  }
  const own = Object.entries(row).filter(([name]) => !commonFields.some((one) => one === name))
  return createdRecord(
    {
      client,
      area,
      id: id ?? derive(row),
      fields: mergePatch({}, Object.fromEntries(own)),
      action: 'import',
      ...(createdAt !== undefined && { createdAtMs: readTime(createdAt) }),
    },
    origin,
    nowMs,
  )
}

function readTime(value: unknown): number {
  const time = timeText.safeParse(value)
  if (time.success) return time.data
  throw wrongInputError('created_at must be a time such as 2026-12-31T23:59:59Z')
}

const wrongInputError = (text: string) => new ServiceError('validation_failed', text)

/** Derives an id from the content of a row; a row that occurs twice becomes two records. */
function idDeriver({ client, area }: ImportOrder): (row: unknown) => string {
  const seen = new Map<string, number>()
  return (row) => {
    const text = canonicalize(row) ?? ''
    const digest = createHash('sha256').update(`${client}.${area}.${text}`).digest('hex')
    const nth = seen.get(digest) ?? 0
    seen.set(digest, nth + 1)
    const own = createHash('sha256').update(`${digest}.${nth}`).digest()
    return idOfDigest(areaPrefixes[area], own)
  }
}

class Tally {
  rows = 0
  made = 0
  known = 0
  refused = 0
  readonly #source: SourceReport | undefined
  readonly #problems: LineProblem[] = []

  constructor(source: SourceReport | undefined) {
    this.#source = source
  }

  refuse(line: number, text: string): void {
    this.refused++
    if (this.#problems.length < limits.importErrorsShown) this.#problems.push({ line, text })
  }

  result(): ImportResult {
    const { rows, made, known, refused } = this
    const problems = this.#problems.toSorted((a, b) => a.line - b.line)
    return { rows, made, known, refused, problems, ...(this.#source && { source: this.#source }) }
  }
}
