/**
 * The sample records of all areas but reports, which the demo makes from them, in the form in which
 * KV `records` stores them. `records.json` has their fields. In its texts `{at -2 09:30}` is two days
 * ago at 09:30 UTC, `{day 14}` the date in two weeks, `{id tasks 1}` the id of the second record of
 * an area, and `{person mina}` that of a person.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { areaKeys } from '../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import { dayMs } from '../../../proto/units.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { packageRoot } from '../../lib/package.ts'
import { StoreConflict } from '../../store/store.ts'
import { createdRecord } from '../records/change.ts'
import type { RecordStore } from '../records/record-store.ts'
import type { DemoWorld } from './world.ts'

interface SampleRecord {
  /** Age of the record. */
  readonly days_ago: number
  readonly fields: RecordFields
}

type Samples = Readonly<Partial<Record<AreaKey, readonly SampleRecord[]>>>

function samplesIn(world: DemoWorld): Samples {
  const text = readFileSync(join(packageRoot, 'runtime/access/demo/records.json'), 'utf8')
  return JSON.parse(world.fill(text)) as Samples
}

/** Throws if a sample does not fit its area. */
export function demoRecords(world: DemoWorld): readonly StoredRecord[] {
  const origin = { by: systemAuthor('demo') } as const
  const samples = samplesIn(world)
  return areaKeys.flatMap((area) =>
    (samples[area] ?? []).map(({ days_ago: daysAgo, fields }, n) => {
      const createdAtMs = world.nowMs - daysAgo * dayMs
      const order = { client: world.client, area, id: world.id(area, n), fields, createdAtMs }
      return createdRecord({ ...order, action: 'import' }, origin, world.nowMs)
    }),
  )
}

export interface DemoWriteResult {
  readonly made: number
  /** Number of samples that existed already, including deleted ones, which stay deleted. */
  readonly known: number
}

export async function writeDemoRecords(
  store: RecordStore,
  world: DemoWorld,
): Promise<DemoWriteResult> {
  let made = 0
  let known = 0
  for (const record of demoRecords(world)) {
    try {
      await store.create(record)
      made++
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      known++
    }
  }
  return { made, known }
}
