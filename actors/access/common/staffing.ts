/** The policy of a submission where there are few people. Pure. */
import { fitSlots, staffingRules, type Staffing } from '../../../proto/access/grants/staffing.ts'
import type { FrozenPolicy } from '../../../proto/access/grants/review.ts'

/** Names the rule that made the difference, so that reviewers see and sign it. */
export function fittedPolicy(
  policy: FrozenPolicy,
  staffing: Staffing | undefined,
  parties: readonly string[],
): FrozenPolicy {
  if (!staffing) return policy
  const { rules, slots: required } = policy
  const slots = fitSlots(required, staffing, parties)
  return slots === required ? policy : { rules: [...rules, staffingRules.fewReviewers], slots }
}
