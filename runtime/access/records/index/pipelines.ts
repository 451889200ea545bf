/**
 * The pipelines of a client's opportunities: their stages, and the number of opportunities in each.
 */
import type { ClientId } from '../../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { Condition } from '../../../../proto/access/permissions.ts'
import { rowsWhere } from './list.ts'
import type { RecordIndexes } from './record-indexes.ts'

export interface PipelineStage {
  readonly id: string
  /** Number of opportunities by status. */
  readonly counts: Readonly<Record<string, number>>
}

export interface Pipeline {
  readonly id: string
  readonly stages: readonly PipelineStage[]
}

const area = 'opportunities'

/** Sorted by id. Opportunities without a pipeline or a stage are not counted. */
export async function pipelinesOf(
  indexes: Pick<RecordIndexes, 'of'>,
  client: ClientId,
  where: readonly Condition[],
): Promise<readonly Pipeline[]> {
  const index = (await indexes.of(client)).area(area)
  const [pipeline, stage, status] = ['pipeline_id', 'stage_id', 'status'].map((name) =>
    index.reader(name),
  )
  const found = new Map<string, Map<string, Map<string, number>>>()
  for (const row of rowsWhere(index, area, where)) {
    const [inPipeline, inStage] = [pipeline!(row), stage!(row)]
    if (typeof inPipeline !== 'string' || typeof inStage !== 'string') continue
    const stages = entryOf(found, inPipeline, () => new Map<string, Map<string, number>>())
    const counts = entryOf(stages, inStage, () => new Map<string, number>())
    const name = String(status!(row))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const ordered = <V>(map: ReadonlyMap<string, V>) =>
    [...map].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, limits.arrayItems)
  return ordered(found).map(([id, stages]) => ({
    id,
    stages: ordered(stages).map(([name, counts]) => ({
      id: name,
      counts: Object.fromEntries(counts),
    })),
  }))
}

function entryOf<V>(map: Map<string, V>, key: string, made: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = made()
  map.set(key, value)
  return value
}
