/** Dependencies of the effects of jobs. */
import type { RecordStore } from '../../../runtime/access/records/record-store.ts'
import type { EffectContext } from '../../../runtime/actor/actor-kind.ts'
import type { BrowserDeps } from '../../task/effects/browser.ts'
import type { JobContext } from './context.ts'

export interface JobEffectDeps extends BrowserDeps {
  readonly records: RecordStore
  /** Private hosts that jobs may access (`JOB_PRIVATE_HOSTS`). */
  readonly privateHosts: readonly string[]
}

export type JobEffectContext = EffectContext<JobContext>
