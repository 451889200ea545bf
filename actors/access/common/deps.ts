/** What the effects of governance entities need of the world. */
import type { Clock } from '../../../runtime/clock.ts'
import type { Directory } from '../../../runtime/directory.ts'

export interface AccessEffectDeps {
  readonly directory: Pick<Directory, 'ask' | 'create'>
  readonly clock: Clock
}
