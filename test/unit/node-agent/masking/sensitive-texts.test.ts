// Goal: no answer has what a mask hides, and no pattern keeps the agent busy. Method: masks with texts,
// patterns, and what a pattern of that kind takes years for in other engines.
import t from 'tap'
import { SensitiveTexts } from '../../../../node-agent/masking/sensitive-texts.ts'
import { maskLimits } from '../../../../node-agent/masking/limits.ts'

const patterns = [{ regex: '\\d{3}-\\d{4}', mask: '$1\\' }]

t.test('patterns, card numbers and the texts of hidden elements', async (t) => {
  const sensitive = await SensitiveTexts.of({ patterns })
  sensitive.learn(['Anna Lind', 'ab', 'x < y'])
  const answer = {
    text: 'Anna Lind paid 4111 1111 1111 1111, 378282246310005; call 555-0199. about 1700000000000',
    html: ['<b>Anna</b>', 'x\n &lt; y', 'Anna%20Lind', 'about'],
    'Anna Lind': 12,
  }
  t.strictSame(sensitive.maskAll(answer), {
    text: '**** paid ****, ****; call $1\\. about 1700000000000',
    html: ['<b>Anna</b>', '****', '****', 'about'],
    '****': 12,
  })
})

t.test('texts that were seen longest ago are forgotten', async (t) => {
  const sensitive = await SensitiveTexts.of({})
  sensitive.learn(['first text'])
  for (let n = 0; n < maskLimits.textsRemembered; n += 100) {
    sensitive.learn(Array.from({ length: 100 }, (_, index) => `text ${n + index}`))
  }
  t.equal(sensitive.maskAll('first text, text 499'), 'first text, ****')
})

t.test('the time of a pattern grows with the text, not beyond', async (t) => {
  const sensitive = await SensitiveTexts.of({ patterns: [{ regex: '(a+)+b', mask: '-' }] })
  const text = 'a'.repeat(50_000)
  t.equal(sensitive.maskAll(text), text)
  t.equal(sensitive.maskAll(`${text}b`), '-')
})

t.test('what RE2 does not know is refused', async (t) => {
  const refused = SensitiveTexts.of({ patterns: [{ regex: 'a{5000}', mask: '-' }] })
  await t.rejects(refused, { type: 'bad_request', message: /custom_patterns: a\{5000\} is not a/ })
})
