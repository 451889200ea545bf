/**
 * Which actions are allowed on which records: the same form in a scope's terms, a request, a grant
 * and a token's effective access. Permissions can only be narrowed: effective access is the
 * intersection of all of them as they are at that moment.
 */
import { z } from 'zod'
import {
  areaActions,
  areaKeys,
  changeBacklog,
  isCustomArea,
  areaRulesOf,
  type AreaAction,
  type PermittedArea,
} from './areas/areas.ts'
import { accessLimits as limits } from './limits.ts'

const fieldName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be the name of a field')

/** Matches a record whose field equals one of the values. */
export const conditionSchema = z.strictObject({
  field: fieldName,
  equals: z.array(z.string().max(limits.nameChars)).min(1).max(limits.valuesPerCondition),
})
export type Condition = Readonly<z.output<typeof conditionSchema>> & {
  /** Only in the service's own conditions: every value of the field must be one of these. */
  readonly every?: true
}

/** An area, the backlog, or a custom view. */
const permittedArea = z.union([
  z.enum([...areaKeys, changeBacklog]),
  z.string().refine(isCustomArea, {
    message: 'must be an area (GET /v1/areas lists them), changes, or custom/<slug>',
  }),
])

const permissionSchema = z
  .strictObject({
    area: permittedArea,
    actions: z.array(z.enum(areaActions)).min(1).max(areaActions.length),
    fields: z
      .array(fieldName)
      .min(1)
      .max(limits.fieldsPerPermission)
      .optional()
      .describe('The fields that can be read and written. If absent, all fields.'),
    where: z
      .array(conditionSchema)
      .min(1)
      .max(limits.conditionsPerPermission)
      .optional()
      .describe('Conditions that a record must all meet. If absent, every record is included.'),
  })
  .refine(({ area, actions }) => actions.every((a) => areaRulesOf(area).actions.includes(a)), {
    message: 'must be actions of this area (GET /v1/areas lists them)',
    path: ['actions'],
  })

export interface Permission<A extends PermittedArea = PermittedArea> {
  readonly area: A
  readonly actions: readonly AreaAction[]
  readonly fields?: readonly string[] | undefined
  readonly where?: readonly Condition[] | undefined
}

export const permissionsSchema = z
  .array(permissionSchema)
  .min(1)
  .max(limits.areasPerScope)
  .refine((list) => new Set(list.map(({ area }) => area)).size === list.length, {
    message: 'must name each area once',
  })

const intersection = <T>(a: readonly T[], b: readonly T[]): T[] => a.filter((x) => b.includes(x))

/** The intersection of both; undefined if it is empty. */
function intersectPermissions(a: Permission, b: Permission): Permission | undefined {
  if (a.area !== b.area) return undefined
  const actions = intersection(a.actions, b.actions)
  const fields = a.fields && b.fields ? intersection(a.fields, b.fields) : (a.fields ?? b.fields)
  if (actions.length === 0 || fields?.length === 0) return undefined
  const where = [...(a.where ?? []), ...(b.where ?? [])]
  return { area: a.area, actions, ...(fields && { fields }), ...(where.length > 0 && { where }) }
}

export function intersectAllPermissions(
  first: readonly Permission[],
  ...others: readonly (readonly Permission[])[]
): readonly Permission[] {
  return others.reduce<readonly Permission[]>(
    (held, other) =>
      held.flatMap((a) =>
        other.map((b) => intersectPermissions(a, b)).filter((both) => both !== undefined),
      ),
    first,
  )
}

/** Where `requested` exceeds `allowed`: JSON pointers for an error's details. */
export function excessPermissions(
  requested: readonly Permission[],
  allowed: readonly Permission[],
): string[] {
  return requested.flatMap((permission, i) => {
    const bound = allowed.find(({ area }) => area === permission.area)
    if (!bound) return [`/${i}/area`]
    const actions = permission.actions.every((action) => bound.actions.includes(action))
    return [
      ...(actions ? [] : [`/${i}/actions`]),
      ...(isWithinFields(permission, bound) ? [] : [`/${i}/fields`]),
      ...(isWithinConditions(permission, bound) ? [] : [`/${i}/where`]),
    ]
  })
}

function isWithinFields({ fields }: Permission, bound: Permission): boolean {
  if (!bound.fields) return true
  return fields?.every((field) => bound.fields!.includes(field)) ?? false
}

/** True if every condition of the bound is also present, equal or narrower. */
function isWithinConditions({ where = [] }: Permission, bound: Permission): boolean {
  return (bound.where ?? []).every((wide) =>
    where.some(
      ({ field, equals }) =>
        field === wide.field && equals.every((value) => wide.equals.includes(value)),
    ),
  )
}

/** True if a record's values fulfil every condition. */
export function meetsConditions(
  { where = [] }: Pick<Permission, 'where'>,
  record: Readonly<Record<string, unknown>>,
): boolean {
  return where.every(({ field, equals, every }) => {
    const value = record[field]
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    const isNamed = (one: unknown) =>
      one !== undefined && one !== null && equals.includes(String(one))
    if (every) return value === undefined || values.every(isNamed)
    return values.some(isNamed)
  })
}
