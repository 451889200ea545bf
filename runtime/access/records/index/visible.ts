/**
 * Which records a caller may see. Conditions use filterable fields, which the index contains; a
 * condition on any other field is never met, so a condition that cannot be evaluated hides the
 * record.
 */
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import { meetsConditions, type Condition } from '../../../../proto/access/permissions.ts'
import type { StoredRecord } from '../../../../proto/access/areas/record.ts'

export const canEvaluate = (area: AreaKey, where: readonly Condition[]): boolean =>
  where.every(({ field }) => areaDefinitions[area].filterable.includes(field))

export function isRecordVisible(
  { where = [] }: { readonly where?: readonly Condition[] | undefined },
  { area, deletedAtMs, fields }: StoredRecord,
): boolean {
  return deletedAtMs === undefined && canEvaluate(area, where) && meetsConditions({ where }, fields)
}
