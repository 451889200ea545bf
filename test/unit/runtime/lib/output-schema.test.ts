/**
 * Goal: every usable schema is accepted, and an unusable one is refused before a task begins.
 * Method: schemas as clients send them. Hostile ones are in schema-thread.test.ts.
 */
import t from 'tap'
import { validateResult } from '../../../../actors/task/step/validate-result.ts'
import { parseAnswer } from '../../../../actors/task/prompting/answer/answer.ts'
import { simplifySchema } from '../../../../actors/task/prompting/simple-schema.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { limits } from '../../../../proto/limits.ts'
import { OutputSchemas, type OutputSchema } from '../../../../runtime/lib/schemas/output-schemas.ts'
import { answerOf, briefOf, decided, faultIn } from '../../../helpers/tasks/brief.ts'
import { order } from '../../../helpers/tasks/story.ts'
import { libLimits } from '../../../../runtime/lib/limits.ts'

const schemas = new OutputSchemas()
t.teardown(() => schemas.close())

const tenant = 'acme'
const fit = (schema: OutputSchema, result: OutputSchema) => schemas.fit(schema, [result], tenant)

const of = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

t.test('schemas of all drafts are accepted, also recursive ones', async (t) => {
  const defs = { price: { type: 'number' } }
  const all = [
    of({ price: { $ref: '#/$defs/price' } }, { $defs: defs }),
    of({ price: { $ref: '#/definitions/price' } }, { definitions: defs }),
    of({ price: defs.price }, { $schema: 'https://json-schema.org/draft/2020-12/schema' }),
    of({ price: defs.price }, { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'x' }),
    of({ price: { type: 'number', format: 'money' } }, { additionalProperties: false, unknown: 1 }),
    { properties: { price: defs.price } },
  ]
  for (const schema of all) {
    await schemas.check(schema, tenant)
    t.same(await fit(schema, { price: 1 }), { fits: true, result: { price: 1 } })
    t.match(await fit(schema, { price: 'a' }), { fits: false, faults: ['/price must be number'] })
  }
})

t.test('an unusable schema is refused with the reason', async (t) => {
  const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) })
  const refusals: [object, RegExp][] = [
    [{ type: 'array', items: {} }, /must describe an object/],
    [of({ a: { type: 'nummer' } }), /cannot be used: schema is invalid: .*type/],
    [of({ a: { $ref: 'https://evil.example/x.json' } }), /refers to https:\/\/evil.example/],
    [of({ a: { $ref: 'other.json#/a' } }), /only its own parts/],
    [of({ a: { $ref: '#/$defs/none' } }), /cannot be used: .*none/],
    [of({ a: { type: 'string', pattern: '(' } }), /cannot be used/],
    [deep(100), /levels deep/],
    [of({ a: { description: 'x'.repeat(libLimits.outputSchemaChars) } }), /characters of JSON/],
  ]
  for (const [schema, message] of refusals) {
    await t.rejects(schemas.check(schema as OutputSchema, tenant), {
      type: 'bad_request',
      message,
      details: { field: 'output_schema' },
    })
  }
})

t.test('faults are described in words', async (t) => {
  const schema = of(
    { size: { enum: ['S', 'M'] }, tags: { type: 'array', minItems: 1 } },
    { required: ['size'], additionalProperties: false },
  )
  const faultOf = async (result: OutputSchema) => {
    const held = await fit(schema, result)
    return held.fits ? undefined : held.faults[0]
  }
  t.equal(await faultOf({}), `it must have required property 'size'`)
  const choices = '/size must be equal to one of the allowed values: ["S","M"]'
  t.equal(await faultOf({ size: 'L' }), choices)
  t.match(await faultOf({ size: 'S', x: 1 }), 'it must NOT have additional properties: "x"')
  t.match(await faultOf({ size: 'S', tags: [] }), '/tags must NOT have fewer than 1 items')
  t.match(await faultOf({ a: 'x'.repeat(limits.taskResultBytes) }), /bytes of JSON/)
})

t.test('for providers a schema has types, properties, lists and enums only', async (t) => {
  const flat = (schema: object) => simplifySchema(schema)
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

/** The outcome of a model's `done` with such a result. */
const doneWith = (
  schema: OutputSchema,
  result: unknown,
  held: Pick<OutputSchemas, 'fit'> = schemas,
) =>
  validateResult(
    { schemas: held },
    { order: { ...order, outputSchema: schema }, tenant },
    parseAnswer(answerOf([['done', { success: true, result }]]), briefOf({ outputSchema: schema })),
  )

t.test('a result is read as it was meant', async (t) => {
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
  const taken = async (result: unknown) => decided(await doneWith(schema, result)).then
  const end = (result: object) => ({ kind: 'done', success: true, result })
  const given = {
    price: '12.5',
    sold: 'true',
    items: '[{"name": 7}]',
    extra: '{"a": 1}',
    code: null,
  }
  t.same(
    await taken(given),
    end({ price: 12.5, sold: true, items: [{ name: '7' }], extra: { a: 1 } }),
  )
  t.same(await taken('{"price": 1, "code": null}'), end({ price: 1, code: null }))
  const faultOf = async (result: unknown) => faultIn(await doneWith(schema, result))
  t.match(await faultOf({ price: 'cheap' }), { kind: 'bad_result', notice: /price must be number/ })
  t.match(await faultOf([1]), { kind: 'bad_result', notice: /must be an object/ })
  const deep = `{"price":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
  t.match(await faultOf(deep), { notice: /must be an object/ }, 'too deep to be read')
})

t.test('a result that cannot be checked is not counted against the model', async (t) => {
  const full = { fit: () => Promise.reject(new ServiceError('rate_limited', 'Too many.')) }
  t.match(faultIn(await doneWith(of({}), {}, full)), { kind: 'overloaded', notice: 'Too many.' })
})
