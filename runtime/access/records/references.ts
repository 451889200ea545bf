/**
 * References of a record. The error for a missing object and for one of another client is the same.
 */
import { isAreaKey, type AreaKey } from '../../../proto/access/areas/areas.ts'
import type { AreaDefinition, RecordFields } from '../../../proto/access/areas/define-area.ts'
import { invalidFields } from './validate-fields.ts'
import { isRecordObject } from './merge-patch.ts'

export interface RecordReference {
  readonly pointer: string
  readonly to: AreaKey | 'person'
  readonly id: string
}

/** True if the referenced object exists in this client and the author may refer to it. */
export type ReferenceLookup = (reference: RecordReference) => Promise<boolean> | boolean

export function referencesOf(
  { references }: AreaDefinition,
  fields: RecordFields,
): readonly RecordReference[] {
  return references.flatMap(({ field, to }) => {
    const value = fields[field]
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return values.flatMap((one, i): RecordReference[] => {
      const pointer = Array.isArray(value) ? `/${field}/${i}` : `/${field}`
      if (typeof one === 'string') return to === 'any' ? [] : [{ pointer, to, id: one }]
      if (to !== 'any' || !isRecordObject(one)) return []
      const { area, id } = one
      if (typeof area !== 'string' || !isAreaKey(area) || typeof id !== 'string') return []
      return [{ pointer: `${pointer}/id`, to: area, id }]
    })
  })
}

/** Checks the references that `after` has and `before` had not. */
export async function checkReferences(
  definition: AreaDefinition,
  before: RecordFields,
  after: RecordFields,
  lookup: ReferenceLookup,
): Promise<void> {
  const known = new Set(referencesOf(definition, before).map(({ to, id }) => `${to}.${id}`))
  const added = referencesOf(definition, after).filter(({ to, id }) => !known.has(`${to}.${id}`))
  const found = await Promise.all(added.map((reference) => lookup(reference)))
  const missing = added.filter((_, i) => !found[i])
  if (missing.length === 0) return
  const text = 'must be an id of this client that you may refer to'
  throw invalidFields(missing.map(({ pointer }) => ({ pointer, text })))
}
