/** RFC 7396: null removes, objects are merged, everything else replaces. */
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'

export function mergePatch(target: RecordFields, patch: RecordFields): RecordFields {
  const merged = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else if (isRecordObject(value)) {
      const before = merged.get(name)
      merged.set(name, mergePatch(isRecordObject(before) ? before : {}, value))
    } else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}

export function isRecordObject(value: unknown): value is RecordFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
