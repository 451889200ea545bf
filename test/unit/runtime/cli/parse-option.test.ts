// Goal: an option's text is read by the same schemas as settings, and a wrong one says what it takes.
import t from 'tap'
import { UsageError } from '../../../../runtime/cli/command.ts'
import { parseOption } from '../../../../runtime/cli/terminal/parse-option.ts'
import { countText, oneOf, portText, tokenText } from '../../../../runtime/config/value-texts.ts'

t.test('a valid text becomes a value', async (t) => {
  t.equal(parseOption('limit', '7', countText(1)), 7)
  t.equal(parseOption('port', '0', portText), 0)
  t.equal(parseOption('tenant', 'acme', tokenText), 'acme')
})

t.test('another one is refused, and the message names the option and what it takes', async (t) => {
  for (const text of ['0', '-1', '1.5', 'many', '', ' ', 'Infinity']) {
    const message = '--limit takes a whole number from 1 up'
    t.throws(() => parseOption('limit', text, countText(1)), new UsageError(message), text)
  }
  const refused = (option: string, text: string, schema: Parameters<typeof parseOption>[2]) =>
    t.throws(() => parseOption(option, text, schema), UsageError)
  t.match(refused('port', '65536', portText), { message: '--port takes a port from 0 to 65535' })
  t.match(refused('tenant', 'a.b', tokenText), { message: '--tenant takes letters, digits' })
  t.match(refused('outcome', 'x', oneOf(['a', 'b'])), { message: '--outcome takes one of a, b' })
})
