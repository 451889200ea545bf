/**
 * Which records a caller sees. Conditions are over filterable fields, which the index has; one over
 * any other field never holds, so a condition that cannot be judged shows nothing.
 */
import type { AreaKey } from '../../../proto/access/areas.ts'
import { areaDefinitions } from '../../../proto/access/areas/registry.ts'
import { meets, type Condition } from '../../../proto/access/permissions.ts'
import type { StoredRecord } from '../../../proto/access/record.ts'

export const canJudge = (area: AreaKey, where: readonly Condition[]): boolean =>
  where.every(({ field }) => areaDefinitions[area].filterable.includes(field))

export function isVisible(
  { where = [] }: { readonly where?: readonly Condition[] | undefined },
  { area, deletedAtMs, fields }: StoredRecord,
): boolean {
  return deletedAtMs === undefined && canJudge(area, where) && meets({ where }, fields)
}
