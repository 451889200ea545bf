// Goal: who sends a body with several faults is told all of them in one answer.
import t from 'tap'
import { z } from 'zod'
import { validateInput } from '../../../../gateway/routing/schemas/validate.ts'
import type { ServiceError } from '../../../../proto/errors.ts'

t.test('all faults of a body are told at once, each with its field', async (t) => {
  const schema = z.strictObject({
    name: z.string().min(3),
    size: z.number(),
    parts: z.array(z.strictObject({ id: z.string() })),
    kind: z.enum(['a', 'b']),
  })
  const refusal = (value: unknown) => {
    try {
      return validateInput(schema, value, 'body', true)
    } catch (error) {
      return error
    }
  }
  const body = { name: 'x', size: '1', parts: [{ id: 1 }], kind: 'c', more: 1, most: 2 }
  t.match(refusal(body), {
    ...{
      type: 'unknown_field',
      message: /^more is not a known field.*name must.*kind must be "a" or/,
    },
    details: {
      field: 'more',
      faults: [
        /^more /,
        /^name must have at least 3/,
        /^size must/,
        /^parts\.0\.id /,
        /^kind /,
        /^most /,
      ],
    },
  })
  const one = refusal({ name: 'abc', size: 1, parts: [], kind: 'c' }) as ServiceError
  t.match(one, { type: 'validation_failed', details: { field: 'kind' } })
  t.notOk('faults' in one.details, 'of one there is no list')
  const many = Array.from({ length: 50 }, () => ({}))
  const { message } = refusal({ name: 'abc', size: 1, parts: many, kind: 'a' }) as ServiceError
  t.match(message, /parts\.19\.id is required\. And 30 more\.$/)
})
