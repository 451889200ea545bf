/** Writes the records of one area of a client as lines of a file that an import can read. */
import { stringify } from 'csv-stringify/sync'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { commonFields } from '../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import type { RecordStore } from '../records/record-store.ts'
import { toCsvCell } from './csv-cells.ts'
import type { TransferFormat } from './rows.ts'

export async function* exportRecords(
  store: RecordStore,
  client: ClientId,
  area: AreaKey,
  format: TransferFormat,
): AsyncIterable<string> {
  const names = [...commonFields, ...areaDefinitions[area].fieldNames]
  if (format === 'csv') yield stringify([names])
  for await (const { record } of store.scan(client, area)) {
    if (record.deletedAtMs !== undefined) continue
    const row = rowOf(record)
    yield format === 'csv'
      ? stringify([names.map((name) => toCsvCell(row[name]))])
      : `${JSON.stringify(row)}\n`
  }
}

function rowOf(record: StoredRecord): Readonly<Record<string, unknown>> {
  return {
    id: record.id,
    version: record.version,
    created_at: new Date(record.createdAtMs).toISOString(),
    created_by: record.createdBy,
    updated_at: new Date(record.updatedAtMs).toISOString(),
    updated_by: record.updatedBy,
    ...record.fields,
  }
}
