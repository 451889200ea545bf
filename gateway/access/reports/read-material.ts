/** Reads the material of a report. */
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import type { ReportPeriod } from '../../../proto/access/reports/report-content.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { listRecords, type ListDeps } from '../../../runtime/access/records/index/list.ts'
import type { AccessChain } from '../gate/chain.ts'
import { periodSpanOf, type ReportMaterial } from './generate/material.ts'

export interface MaterialDeps extends ListDeps {
  readonly chain: AccessChain
}

interface Wanted {
  readonly client: ClientId
  readonly areas: readonly AreaKey[]
  readonly period: ReportPeriod
}

const pageRows = 500

export async function readMaterial(
  deps: MaterialDeps,
  { client, areas, period }: Wanted,
  nowMs: number,
): Promise<ReportMaterial> {
  const { fromMs } = periodSpanOf(period)
  const read = areas.map(async (area) => {
    // Monitors are read in any case, as they show the current state; other records of the period
    // were written after its start.
    const since = area === 'monitoring' ? {} : { updatedSinceMs: fromMs }
    return [area, await readArea(deps, client, area, since)] as const
  })
  return {
    period,
    records: Object.fromEntries(await Promise.all(read)),
    needs: deps.chain.list('need', client),
    grants: deps.chain.list('grant', client),
    changes: deps.chain.list('change', client),
    nowMs,
  }
}

async function readArea(
  deps: ListDeps,
  client: ClientId,
  area: AreaKey,
  since: { readonly updatedSinceMs?: number },
): Promise<readonly StoredRecord[]> {
  const sort = { field: 'created_at', descending: false }
  const query = { area, limit: pageRows, sort, filters: [], where: [], ...since }
  const found: StoredRecord[] = []
  for (let cursor: string | undefined; ;) {
    const page = await listRecords(deps, client, { ...query, ...(cursor && { cursor }) })
    found.push(...page.records)
    cursor = page.nextCursor
    if (cursor === undefined) return found
    if (found.length < limits.reportRecordsRead) continue
    const text = `More than ${limits.reportRecordsRead} records of ${area} belong to this period`
    throw new ServiceError('validation_failed', `${text}; request a shorter period.`, {
      fields: ['/period'],
    })
  }
}
