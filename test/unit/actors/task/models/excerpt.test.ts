// Goal: an excerpt of a provider's words contains no key, however the provider changes the key.
// Method: keys, and parts of keys, in texts of every kind.
import fc from 'fast-check'
import t from 'tap'
import { errorExcerpt } from '../../../../../actors/task/models/faults/excerpt.ts'
import { taskRunLimits } from '../../../../../actors/task/limits.ts'

const partChars = 8
const keys = fc
  .string({
    minLength: 20,
    maxLength: 80,
    unit: fc.constantFrom(...'abcdefghijKLMNOPQRST0123456789-_'),
  })
  .filter((key) => key.trim() === key)

t.test('no part of a key longer than a word could be by chance is left', async (t) => {
  fc.assert(
    fc.property(
      keys,
      fc.string(),
      fc.string(),
      fc.nat(60),
      fc.integer({ min: partChars, max: 80 }),
      (key, before, after, from, length) => {
        const start = Math.min(from, key.length - partChars)
        const said = errorExcerpt(before + key.slice(start, start + length) + after, key)
        for (let i = 0; i + partChars <= key.length; i++) {
          if (said.includes(key.slice(i, i + partChars))) return false
        }
        return said.length <= taskRunLimits.modelExcerptChars && !/[\n\r\p{Cc}]/u.test(said)
      },
    ),
  )
  t.pass()
})

t.test('other keys, and masked keys, are removed too; words stay', async (t) => {
  const said = {
    'Incorrect API key provided: sk-proj-********************wxyz.': /provided: \[hidden\]$/,
    'Bearer abc.def is not known': /^\[hidden\] is not known$/,
    'AIzaSyD-1234567890abcdef is restricted': /^\[hidden\] is restricted$/,
    'skip_verification and keyboard_input are no keys': /^skip_verification and keyboard_input/,
    'two\nlines\u0000 and\u202e more': /^two lines and more$/,
  }
  for (const [text, shown] of Object.entries(said))
    t.match(errorExcerpt(text, 'another-key'), shown)
})
