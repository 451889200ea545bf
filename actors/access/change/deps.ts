/** Dependencies of the effects of changes. */
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import type { AccessEffectDeps } from '../common/deps.ts'

export interface ChangeEffectDeps extends AccessEffectDeps {
  readonly records: RecordStore
}
