/**
 * Goal: any schema that can be used is, one that cannot is refused before a task begins, and none
 * holds the service up. Method: schemas as clients send them, and as an enemy would.
 */
import t from 'tap'
import { readResult } from '../../actors/task/mind/result.ts'
import { simplified } from '../../actors/task/mind/simple-schema.ts'
import { limits } from '../../proto/limits.ts'
import { checkOutputSchema, resultFaults } from '../../runtime/output-schema.ts'

const of = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

t.test('schemas of all drafts are taken, with references into themselves', async (t) => {
  const defs = { price: { type: 'number' } }
  const schemas = [
    of({ price: { $ref: '#/$defs/price' } }, { $defs: defs }),
    of({ price: { $ref: '#/definitions/price' } }, { definitions: defs }),
    of({ price: defs.price }, { $schema: 'https://json-schema.org/draft/2020-12/schema' }),
    of({ price: defs.price }, { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'x' }),
    of({ price: { type: 'number', format: 'money' } }, { additionalProperties: false, unknown: 1 }),
    { properties: { price: defs.price } },
  ]
  for (const schema of schemas) {
    t.doesNotThrow(() => checkOutputSchema(schema))
    t.same(resultFaults(schema, { price: 1 }), [])
    t.match(resultFaults(schema, { price: 'a' }), ['/price must be number'])
  }
})

t.test('a schema that cannot be used is refused with the reason', async (t) => {
  const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) })
  const refusals: [object, RegExp][] = [
    [{ type: 'array', items: {} }, /must describe an object/],
    [of({ a: { type: 'nummer' } }), /cannot be used: schema is invalid: .*type/],
    [of({ a: { $ref: 'https://evil.example/x.json' } }), /refers to https:\/\/evil.example/],
    [of({ a: { $ref: 'other.json#/a' } }), /only its own parts/],
    [of({ a: { $ref: '#/$defs/none' } }), /cannot be used: .*none/],
    [of({ a: { type: 'string', pattern: '(' } }), /cannot be used/],
    [deep(100), /levels deep/],
    [of({ a: { description: 'x'.repeat(limits.outputSchemaChars) } }), /characters of JSON/],
  ]
  for (const [schema, message] of refusals) {
    t.throws(() => checkOutputSchema(schema as Record<string, unknown>), {
      type: 'bad_request',
      message,
      details: { field: 'output_schema' },
    })
  }
})

t.test('faults are told in words', async (t) => {
  const schema = of(
    { size: { enum: ['S', 'M'] }, tags: { type: 'array', minItems: 1 } },
    { required: ['size'], additionalProperties: false },
  )
  const faultOf = (result: object) => resultFaults(schema, result)[0]
  t.equal(faultOf({}), `it must have required property 'size'`)
  t.match(faultOf({ size: 'L' }), '/size must be equal to one of the allowed values: ["S","M"]')
  t.match(faultOf({ size: 'S', x: 1 }), 'it must NOT have additional properties: "x"')
  t.match(faultOf({ size: 'S', tags: [] }), '/tags must NOT have fewer than 1 items')
  const large = resultFaults({}, { a: 'x'.repeat(limits.taskResultBytes) })
  t.match(large, [/bytes of JSON/])
})

t.test('neither a pattern nor a nest of choices holds the service up', async (t) => {
  const slow = of({ a: { type: 'string', pattern: '^(a+)+$' } })
  t.doesNotThrow(() => checkOutputSchema(slow))
  t.match(resultFaults(slow, { a: `${'a'.repeat(60)}!` }), [/in time/])
  t.same(resultFaults(slow, { a: 'aaa' }), [], 'and the next is answered')
  const choices = (levels: number): object => {
    if (levels === 0) return { const: 1 }
    const next = { properties: { a: choices(levels - 1) }, required: ['a'] }
    return { anyOf: [next, { ...next, required: ['a', 'b'] }] }
  }
  const wide = choices(9) as Record<string, unknown>
  try {
    checkOutputSchema(wide)
    resultFaults(wide, { a: {} })
  } catch (error) {
    t.match(error, { type: 'bad_request' })
  }
})

t.test('for providers a schema is types, properties, lists and words to choose from', async (t) => {
  const flat = (schema: object) => simplified(schema)
  t.same(flat(of({ a: { type: 'integer', title: 'A' } })), {
    schema: of({ a: { type: 'integer', description: 'A' } }),
    lossy: false,
  })
  const some = flat(
    of({
      when: { type: 'string', format: 'date' },
      kind: { enum: ['x', 'y'] },
      level: { enum: [1, 2] },
      more: { type: 'object' },
      either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
      pair: { type: 'array', prefixItems: [{ type: 'number' }] },
      any: true,
      both: { allOf: [of({ a: { type: 'string' } }), of({ b: { type: 'string' } })] },
    }),
  )
  t.equal(some.lossy, true)
  t.same(some.schema['properties'], {
    when: { type: 'string' },
    kind: { type: 'string', enum: ['x', 'y'] },
    level: { type: 'number' },
    more: { type: 'string', description: 'A JSON object.' },
    either: { type: 'string' },
    pair: { type: 'array', items: { type: 'number' } },
    any: { type: 'string', description: 'JSON' },
    both: of({ a: { type: 'string' }, b: { type: 'string' } }),
  })
  const endless = of({ next: { $ref: '#' } })
  t.ok(JSON.stringify(flat(endless).schema).length < 2_000, 'a schema of itself has an end')
})

t.test('a result is taken as it was meant', async (t) => {
  const schema = of(
    {
      price: { type: 'number' },
      sold: { type: 'boolean' },
      items: { type: 'array', items: of({ name: { type: 'string' } }) },
      extra: { type: 'object' },
      code: { type: ['string', 'null'] },
    },
    { required: ['price'], additionalProperties: false },
  )
  const given = {
    price: '12.5',
    sold: 'true',
    items: '[{"name": 7}]',
    extra: '{"a": 1}',
    code: null,
  }
  t.same(readResult(given, schema), {
    fits: true,
    result: { price: 12.5, sold: true, items: [{ name: '7' }], extra: { a: 1 } },
  })
  t.same(readResult('{"price": 1, "code": null}', schema), {
    fits: true,
    result: { price: 1, code: null },
  })
  t.match(readResult({ price: 'cheap' }, schema), {
    fits: false,
    faults: ['/price must be number'],
  })
  t.match(readResult([1], schema), { fits: false, faults: ['it must be an object'] })
})
