/**
 * Imports a file of records. The whole file is checked before the first record is written. Each row
 * has its own id or one derived from its content, so the same file can be imported again: existing
 * records are left unchanged.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
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
import type { RecordStore } from '../records/record-store.ts'
import { checkReferences, type ReferenceLookup } from '../records/references.ts'
import { readRows, type TransferFormat } from './rows.ts'

export interface ImportOrder {
  readonly client: ClientId
  readonly area: AreaKey
  readonly format: TransferFormat
  /** Opens the file at its beginning; it is read twice. */
  readonly open: () => Readable
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
  readonly rows: number
  readonly made: number
  /** Number of records that existed already. */
  readonly known: number
  readonly problems: readonly LineProblem[]
  /** Number of problems; `problems` lists the first ones. */
  readonly refused: number
}

const origin = { by: systemAuthor('import') } as const

export async function importRecords(deps: ImportDeps, order: ImportOrder): Promise<ImportResult> {
  order.onPhase?.('checking')
  const ids = new Set<string>()
  const checked = new Tally()
  for await (const { line, record } of recordsOf(order, checked)) {
    if (ids.has(record.id)) checked.refuse(line, `${record.id} is in the file twice`)
    ids.add(record.id)
    if (ids.size > limits.recordsPerClient) {
      checked.refuse(line, `a client has at most ${limits.recordsPerClient} records`)
      break
    }
  }
  if (checked.refused > 0 || order.checkOnly) return checked.result()
  order.onPhase?.('writing')
  return write(deps, order, ids)
}

/** Writes a bounded number of rows at a time. */
async function write(
  deps: ImportDeps,
  order: ImportOrder,
  ids: ReadonlySet<string>,
): Promise<ImportResult> {
  const tally = new Tally()
  const lookup: ReferenceLookup = async ({ to, id }) => {
    if (to === 'person') return deps.isPersonOf(order.client, id)
    if (to === order.area && ids.has(id)) return true
    const held = await deps.store.get(order.client, to, id)
    return held !== undefined && held.record.deletedAtMs === undefined
  }
  const running = new Set<Promise<void>>()
  for await (const { line, record } of recordsOf(order, tally)) {
    const work = writeOne(deps.store, record, lookup, tally, line).finally(() =>
      running.delete(work),
    )
    running.add(work)
    if (running.size >= limits.importsAtOnce) await Promise.race(running)
  }
  await Promise.all(running)
  return tally.result()
}

async function writeOne(
  store: RecordStore,
  record: StoredRecord,
  lookup: ReferenceLookup,
  tally: Tally,
  line: number,
): Promise<void> {
  try {
    await checkReferences(areaDefinitions[record.area], {}, record.fields, lookup)
    await store.create(record)
    tally.made++
  } catch (error) {
    if (error instanceof ServiceError) return tally.refuse(line, error.message)
    if (!(error instanceof StoreConflict)) throw error
    const known = await store.get(record.client, record.area, record.id)
    if (known?.record.deletedAtMs === undefined) tally.known++
    else tally.refuse(line, `${record.id} was deleted; an import does not restore it`)
  }
}

interface ReadRecord {
  readonly line: number
  readonly record: StoredRecord
}

async function* recordsOf(order: ImportOrder, tally: Tally): AsyncIterable<ReadRecord> {
  const derive = idDeriver(order)
  const area = areaDefinitions[order.area]
  for await (const { line, problem, value } of readRows(order.open(), order.format, area)) {
    tally.rows++
    if (problem !== undefined) {
      tally.refuse(line, problem)
      continue
    }
    let record: StoredRecord
    try {
      record = recordOf(order, value, derive)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      tally.refuse(line, error.message)
      continue
    }
    yield { line, record }
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
  readonly #problems: LineProblem[] = []

  refuse(line: number, text: string): void {
    this.refused++
    if (this.#problems.length < limits.importErrorsShown) this.#problems.push({ line, text })
  }

  result(): ImportResult {
    const { rows, made, known, refused } = this
    return { rows, made, known, refused, problems: this.#problems }
  }
}
