/** What a field of an area holds: for filters, sort orders, forms and the cells of a table. */
import { z } from 'zod'
import type { AreaDefinition } from './define-area.ts'

export type FieldType =
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly items: FieldType }
  | { readonly kind: 'text' | 'flag' | 'number' | 'day' | 'time' | 'object' }

/** Computed once per area, since deriving a JSON Schema is slow. */
const known = new WeakMap<AreaDefinition, ReadonlyMap<string, FieldType>>()

/** By the names of the area's own fields; those that every record has are not included. */
export function fieldTypesOf(area: AreaDefinition): ReadonlyMap<string, FieldType> {
  const held = known.get(area)
  if (held) return held
  const { properties = {} } = z.toJSONSchema(area.record, { io: 'input', unrepresentable: 'any' })
  const types = new Map(Object.entries(properties).map(([name, one]) => [name, typeOf(one)]))
  known.set(area, types)
  return types
}

type JsonSchema = z.core.JSONSchema._JSONSchema

function typeOf(schema: JsonSchema): FieldType {
  if (typeof schema === 'boolean') return { kind: 'object' }
  if (schema.enum) return { kind: 'choice', values: schema.enum.map(String) }
  switch (schema.type) {
    case 'string':
      if (schema.format === 'date') return { kind: 'day' }
      return { kind: schema.format === 'date-time' ? 'time' : 'text' }
    case 'boolean':
      return { kind: 'flag' }
    case 'number':
    case 'integer':
      return { kind: 'number' }
    case 'array':
      return { kind: 'list', items: typeOf(firstOf(schema.items)) }
    default:
      return { kind: 'object' }
  }
}

const firstOf = (items: JsonSchema | JsonSchema[] | undefined): JsonSchema =>
  (Array.isArray(items) ? items[0] : items) ?? true

const ranged: ReadonlySet<FieldType['kind']> = new Set(['number', 'day', 'time'])

/** The area's own fields that lists can limit to a range: sorted ones that are numbers or dates. */
export const rangeFields = (area: AreaDefinition): readonly string[] =>
  area.sortable.filter((name) => ranged.has(fieldTypesOf(area).get(name)?.kind ?? 'object'))
