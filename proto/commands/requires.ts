/**
 * JSON Schema keywords for required combinations of fields. zod checks them with `.refine()`, which
 * is not part of the generated schema, so they are also passed to `.meta()` for `/openapi.json`.
 */

type Fields = readonly string[]

const given = (groups: readonly Fields[]) => groups.map((required) => ({ required }))

/** Exactly one of these groups of fields, with all fields of the group. */
export const exactlyOne = (...groups: readonly Fields[]) => ({ oneOf: given(groups) })

/** At least one of these fields. */
export const atLeastOne = (...names: Fields) => ({ anyOf: given(names.map((name) => [name])) })

/** Both of these fields, or neither. */
export const together = (one: string, other: string) => ({
  dependentRequired: { [one]: [other], [other]: [one] },
})
