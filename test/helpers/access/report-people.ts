/**
 * People who make and publish reports of a client, with their own grants, and records to report on.
 */
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { systemAuthor, type StaffRole } from '../../../proto/access/author.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { buckets } from '../../../proto/subjects.ts'
import { createdRecord } from '../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { until } from '../lib/until.ts'
import { contracted, grantTo, type Client } from './clients.ts'
import type { Person } from './people.ts'
import type { Furnished } from './world.ts'

const readAll = contracted.map(({ area }): Permission => ({
  ...{ area, actions: area === 'reports' ? ['read', 'export'] : ['read'] },
}))

/** One of the staff who may read all areas of a client, or the given ones. */
export async function staffWithGrant(
  { staff, insider, deciders, ask }: Furnished,
  client: Client,
  roles: readonly StaffRole[],
  areas?: readonly AreaKey[],
): Promise<Person> {
  const person = await staff(...roles)
  const permissions = readAll.filter(
    ({ area }) => areas === undefined || areas.some((one) => one === area),
  )
  const subject = { kind: 'person', id: person.id } as const
  await grantTo(insider.directory, client, deciders, { permissions, subject })
  await until('the gateway knows the grant', async () => {
    const { text } = await ask('GET', '/v1/areas', { token: person.token, from: '198.51.100.7' })
    return text.includes('"granted":["read"')
  })
  return person
}

export type AddRecord = (
  area: AreaKey,
  fields: RecordFields,
  more?: { readonly createdAtMs?: number; readonly client?: ClientId },
) => Promise<StoredRecord>

/** Written as an import writes them, because records of technical areas are not made over REST. */
export function recordsOf({ insider }: Pick<Furnished, 'insider'>, own: ClientId): AddRecord {
  const store = new RecordStore(insider.store.bucket(buckets.records))
  return async (area, fields, { createdAtMs = Date.now(), client = own } = {}) => {
    const id = newRecordId(area)
    const order = { client, area, id, fields, createdAtMs, action: 'import' } as const
    const record = createdRecord(order, { by: systemAuthor('test') }, createdAtMs)
    await store.create(record)
    return record
  }
}
