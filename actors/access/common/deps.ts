/** Dependencies of the effects of governance entities. */
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Directory } from '../../../runtime/actor/directory.ts'

export interface AccessEffectDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly clock: Clock
}
