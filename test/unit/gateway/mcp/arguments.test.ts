/**
 * Goal: arguments as clients and models really send them mean what they say, and no valid call changes.
 * Method: properties over all tools and their schemas.
 */
import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { splitArguments } from '../../../../gateway/mcp/tools/arguments.ts'
import { osCommandTools, pageCommandTools } from '../../../../gateway/mcp/tools/command-tools.ts'
import { fitArguments, fitValue } from '../../../../proto/json/fit-arguments.ts'

type Schema = Readonly<Record<string, unknown>>

/** Valid values of a schema; undefined for a schema without a type of its own. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> | undefined {
  const { type, enum: words, const: only, items, properties } = schema
  if (only !== undefined) return fc.constant(only)
  if (Array.isArray(words)) return fc.constantFrom(...(words as unknown[]))
  if (type === 'string') return fc.string()
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer()
  if (type === 'number')
    return fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0)
  if (type === 'array') return fc.array(valuesOf(items as Schema) ?? fc.string(), { maxLength: 3 })
  if (type !== 'object' || properties === undefined) return undefined
  return objectsOf(properties as Record<string, Schema>)
}

function objectsOf(properties: Readonly<Record<string, Schema>>): fc.Arbitrary<object> {
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const values = valuesOf(schema)
    return values ? [[name, values] as const] : []
  })
  return fc.record(Object.fromEntries(fields), { requiredKeys: [], noNullPrototype: true })
}

/** As some clients send it: all but strings as text. */
const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const tools = [...pageCommandTools, ...osCommandTools]

t.test('a valid call stays as it is, and one whose values are text is that call', async (t) => {
  for (const { definition } of tools) {
    const { name, inputSchema } = definition
    const { properties, required } = inputSchema
    const valid = objectsOf(properties)
    fc.assert(
      fc.property(valid, (given) => {
        deepStrictEqual(fitArguments({ ...given }, properties, required), given)
        const texts = Object.entries(given).map(([field, value]) => [field, asText(value)])
        deepStrictEqual(fitArguments(Object.fromEntries(texts), properties, required), given)
      }),
      { numRuns: 50 },
    )
    t.pass(name)
  }
})

t.test('null is what was left out, where that may be left out', async (t) => {
  const click = tools.find(({ definition }) => definition.name === 'click')!
  const call = splitArguments(click, { target: 'e1', double: 'true', button: null, session: null })
  t.same(call, { session: undefined, input: { target: 'e1', double: true } })
  t.same(splitArguments(click, { target: null }).input, { target: null }, 'the service refuses it')
  t.throws(() => splitArguments(click, { double: null }), { message: /requires target/ })
  const nullable = { anyOf: [{ type: 'string' }, { type: 'null' }] }
  t.same(fitArguments({ note: null }, { note: nullable }), { note: null })
})

t.test('what may mean several things, or nothing, is left as it is', async (t) => {
  const either = { anyOf: [{ type: 'string' }, { type: 'number' }] }
  t.equal(fitValue('1', either), '1')
  t.equal(fitValue('1', { type: ['string', 'number'] }), '1')
  t.equal(fitValue('1', {}), '1')
  t.equal(fitValue('1', { type: 'string' }), '1')
  for (const [value, type] of [
    ['many', 'number'],
    ['', 'number'],
    ['Infinity', 'number'],
    ['yes', 'boolean'],
    ['', 'boolean'],
    ['[1, 2', 'object'],
    ['[1]', 'object'],
    [1, 'boolean'],
  ] as const) {
    t.equal(fitValue(value, { type }), value, `${value} as ${type}`)
  }
})

t.test('lists and objects are fitted within', async (t) => {
  const points = { type: 'array', items: { type: 'array', items: { type: 'number' } } }
  t.same(fitValue('[["1", 2]]', points), [[1, 2]])
  t.same(fitValue('a', { type: 'array', items: { type: 'string' } }), ['a'])
  t.same(fitValue('["a"]', { type: 'array', items: { type: 'string' } }), ['a'])
  const by = { type: 'object', properties: { dx: { type: 'number' }, dy: { type: 'number' } } }
  t.same(fitValue('{"dx": "3", "dy": null}', by), { dx: 3 })
  const deep = '['.repeat(10_000)
  t.same(fitValue(deep, { type: 'array' }), [deep], 'too deep to be read')
})
