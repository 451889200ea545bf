/** What the effects of changes need of the world. */
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import type { AccessEffectDeps } from '../common/deps.ts'

export interface ChangeEffectDeps extends AccessEffectDeps {
  readonly records: RecordStore
}
