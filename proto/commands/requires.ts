/**
 * What a command's own check demands of which fields are given, in the words of JSON Schema, so that
 * `/openapi.json` says it too. Passed to `.meta()` beside the check.
 */

type Fields = readonly string[]

const given = (groups: readonly Fields[]) => groups.map((required) => ({ required }))

/** Exactly one group of fields, each as a whole. */
export const exactlyOne = (...groups: readonly Fields[]) => ({ oneOf: given(groups) })

/** One of these fields at least. */
export const atLeastOne = (...names: Fields) => ({ anyOf: given(names.map((name) => [name])) })

/** Both of these fields, or neither. */
export const together = (one: string, other: string) => ({
  dependentRequired: { [one]: [other], [other]: [one] },
})
