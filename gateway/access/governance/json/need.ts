import { defined } from '../../../../proto/defined.ts'
import { z } from 'zod'
import {
  needCategories,
  needStatuses,
  type NeedView,
} from '../../../../proto/access/engagement/need.ts'
import {
  isoTime,
  entityStamps,
  stampsShape,
  timeJson,
} from '../../../routing/schemas/access-json.ts'

export const needJson = z.object({
  ...stampsShape,
  status: z.enum(needStatuses),
  title: z.string(),
  purpose: z.string(),
  category: z.enum(needCategories),
  reference: z.object({ kind: z.string(), id: z.string() }),
  owner_id: z.string(),
  expected_end_at: timeJson,
  closed_at: timeJson.optional(),
  closed_reason: z.string().optional(),
})

export function needData(view: NeedView) {
  const { status, title, purpose, category, reference, closedAtMs, closedReason } = view
  return {
    ...entityStamps(view),
    status,
    title,
    purpose,
    category,
    reference: { ...reference },
    owner_id: view.ownerId,
    expected_end_at: isoTime(view.expectedEndAtMs),
    ...(closedAtMs !== undefined && { closed_at: isoTime(closedAtMs) }),
    ...defined({ closed_reason: closedReason }),
  }
}
