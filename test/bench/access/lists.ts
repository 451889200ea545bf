/**
 * Lists of 100 out of 50,000 records of one client, by every sort and one filter of each kind,
 * beside sorting and filtering the same records in an array; the memory they take; and what twenty
 * more clients add.
 */
import { setImmediate } from 'node:timers/promises'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { commonSorts } from '../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import { newAccessId, type ClientId } from '../../../proto/access/ids.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { buckets } from '../../../proto/subjects.ts'
import { createdRecord } from '../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { accessTo, query, recordsOn } from '../../helpers/access/actors/records.ts'
import type { TestNats } from '../../helpers/nats/nats.ts'
import { onNats } from '../runtime/on-nats.ts'
import { MiB, median, ms, percentile, timings, type Bench, type Figure } from '../lib/report.ts'

const recordsOfOne = 50_000
const recordsOfOthers = 5_000
const others = 20
const writers = 64
const targetMs = 20
const origin = { by: { kind: 'system', id: 'bench' } } as const
const statuses = ['open', 'won', 'lost', 'abandoned']

export const accessLists: Bench = {
  name: 'access-lists',
  on: 'nothing',
  run: () => onNats(measure),
}

async function measure(nats: TestNats): Promise<Figure[]> {
  const store = new RecordStore((await nats.store(10_000)).bucket(buckets.records))
  const client = newAccessId('client')
  const filledMs = await fill(store, client, recordsOfOne)
  const bucket = (await nats.store(10_000)).bucket(buckets.records)
  const { records, indexes } = recordsOn(bucket, { indexWaitMs: 120_000 })
  const access = accessTo(client)
  const before = memory()
  const started = performance.now()
  await records.list(access, 'opportunities', query())
  const loadMs = performance.now() - started
  const taken = memory() - before

  const { filterable, sortable } = areaDefinitions.opportunities
  const sorts = [...commonSorts, ...sortable].flatMap((name) => [name, `-${name}`])
  const samples: number[] = []
  for (const sort of sorts) {
    for (const filter of [undefined, ...filterable]) {
      const asked = query({
        sort,
        limit: '100',
        ...(filter && { [`filter[${filter}]`]: rare(filter) }),
      })
      const work = () => records.list(access, 'opportunities', asked)
      // Yields between requests so that the gateway can answer the store's pings.
      samples.push(...(await timings(5, work, setImmediate)))
    }
  }
  const naive = await naiveMs(store, client)
  const { bytes, valueBytes } = indexes.figures
  const withOthers = await fillOthers(store, (one) =>
    records.list(accessTo(one), 'opportunities', query()),
  )
  const grown = memory() - before
  const held = indexes.figures
  indexes.stop()
  return [
    {
      name: `list of 100 from ${recordsOfOne} records, any sort and filter, p50`,
      ours: ms(median(samples)),
      baseline: `${ms(naive)} (sorting and filtering an array)`,
      ratio: median(samples) / naive,
      target: `≤ ${targetMs} ms`,
      met: median(samples) <= targetMs,
    },
    plain('the same, p99', ms(percentile(samples, 99))),
    plain(`writing ${recordsOfOne} records`, `${(filledMs / 1000).toFixed(1)} s`),
    plain(`loading their index`, `${(loadMs / 1000).toFixed(1)} s`),
    plain(
      'memory of that gateway for them',
      `${MiB(taken)} (estimates: rows ${MiB(bytes)}, values ${MiB(valueBytes)})`,
    ),
    plain(
      `the same after ${others} more clients of ${recordsOfOthers}`,
      `${MiB(grown)} (${held.clients} of ${withOthers + 1} clients, rows ${MiB(held.bytes)}, values ${MiB(held.valueBytes)})`,
    ),
  ]
}

const plain = (name: string, ours: string): Figure => ({ name, ours, target: '–', met: true })

/**
 * Values that few records have, so that the scan is long; for tags, a value that many records have.
 */
function rare(field: string): string {
  const values: Readonly<Record<string, string>> = {
    status: 'abandoned',
    tags: 'tag7',
    stage_id: 'stage 3',
    source: 'source 17',
  }
  return values[field] ?? 'nothing has it'
}

async function fill(store: RecordStore, client: ClientId, count: number): Promise<number> {
  const started = performance.now()
  let next = 0
  const writer = async () => {
    while (next < count) await store.create(record(client, next++))
  }
  await Promise.all(Array.from({ length: writers }, writer))
  return performance.now() - started
}

function record(client: ClientId, i: number) {
  const at = Date.parse('2026-01-01T00:00:00Z') + ((i * 7_919) % 10_000_000) * 1000
  const fields = {
    name: `Opportunity ${(i * 31) % 9_973}`,
    pipeline_id: `pipeline ${i % 3}`,
    stage_id: `stage ${i % 11}`,
    status: statuses[i % 97 === 0 ? 3 : i % 3],
    amount: { value: (i * 997) % 1_000_000, currency: 'EUR' },
    probability: i % 101,
    expected_close_on: new Date(at + (i % 300) * 86_400_000).toISOString().slice(0, 10),
    source: `source ${i % 40}`,
    tags: [`tag${i % 9}`, `tag${i % 5}x`],
    custom_fields: { note: 'x'.repeat(i % 400) },
  }
  const id = newRecordId('opportunities')
  return createdRecord({ client, area: 'opportunities', id, fields, action: 'create' }, origin, at)
}

async function fillOthers(
  store: RecordStore,
  use: (client: ClientId) => Promise<unknown>,
): Promise<number> {
  for (let i = 0; i < others; i++) {
    const client = newAccessId('client')
    await fill(store, client, recordsOfOthers)
    await use(client)
  }
  return others
}

async function naiveMs(store: RecordStore, client: ClientId): Promise<number> {
  const all: StoredRecord[] = []
  for await (const { record } of store.scan(client)) all.push(record)
  const samples = await timings(5, async () =>
    all
      .filter(({ fields }) => fields['status'] === 'abandoned')
      .sort((a, b) => (String(a.fields['name']) < String(b.fields['name']) ? -1 : 1))
      .slice(0, 100),
  )
  return median(samples)
}

/** Collects garbage first where the runtime allows it: `NODE_OPTIONS=--expose-gc`. */
function memory(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
