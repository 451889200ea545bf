/** The context of a change's machine. */
import type {
  AppliedChange,
  ChangeConflict,
  ChangeDocument,
  ChangeResult,
  ChangeView,
  SeenTarget,
} from '../../../proto/access/changes/change.ts'
import type { ChangeTerms, ChangeWindow } from '../../../proto/access/changes/change-terms.ts'
import type { AccessState } from '../../../proto/access/common.ts'
import type { ChangeId, ClientId } from '../../../proto/access/ids.ts'
import type { FrozenPolicy, Review } from '../../../proto/access/grants/review.ts'
import type { Staffing } from '../../../proto/access/grants/staffing.ts'
import type { WireError } from '../../../proto/errors.ts'
import type { ActorContext } from '../../../runtime/actor/actor-kind.ts'

export interface ChangeContext extends AccessState, ActorContext {
  readonly id: ChangeId
  readonly tenant: ClientId
  readonly terms: ChangeTerms
  readonly shown: ChangeDocument | null
  readonly digest: string | null
  /** Who was there at the last proposal; absent if separation was strict. */
  readonly staffing?: Staffing | undefined
  /** Frozen when the change is proposed. */
  readonly policy: FrozenPolicy | null
  readonly seen: SeenTarget | null
  readonly reviews: readonly Review[]
  /** The booked window, and the requested one. */
  readonly window: ChangeWindow | null
  readonly wanted: ChangeWindow | null
  readonly bookedFrom: 'approved' | 'scheduled' | 'failed'
  readonly implementer: ChangeView['implementer']
  readonly startedAtMs?: number
  readonly isLate: boolean
  readonly result: ChangeResult | null
  readonly applied: AppliedChange | null
  readonly conflict: ChangeConflict | null
  readonly postReview: ChangeView['postReview']
  readonly history: ChangeView['history']
  /** Why the last command failed. */
  readonly refusal: WireError | null
  readonly message: string | null
  /** True if it was proposed before: then a failed check leads to `returned`. */
  readonly wasReturned: boolean
}
