/** Reads the records that a job uses as input, limited to what its caller may read. */
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import { invalidFields } from '../../../runtime/access/records/validate-fields.ts'
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { isRecordVisible } from '../../../runtime/access/records/index/visible.ts'
import { permissionFor, type GrantedAccess } from '../gate/access.ts'
import { insufficientScope } from '../gate/authorize.ts'
import { visibleFields, toRecordJson } from '../../../runtime/access/records/record-json.ts'
import type { SeenRecord } from './web-task.ts'

/** Throws `insufficient_scope`, or `validation_failed` if the caller cannot see such a record. */
export const recordsSeenBy =
  (access: GrantedAccess, store: RecordStore): SeenRecord =>
  async (pointer, area, id) => {
    const permission = permissionFor(access, area, 'read')
    if (!permission) throw insufficientScope(area, 'read')
    const held = await store.get(access.clientId, area, id)
    if (held && isRecordVisible(permission, held.record)) {
      return toRecordJson(held.record, visibleFields(areaDefinitions[area], permission))
    }
    const text = 'must be the id of a record of this client that you may read'
    throw invalidFields([{ pointer: `${pointer}/id`, text }])
  }
