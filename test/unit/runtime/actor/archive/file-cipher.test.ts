// Goal: what a process keeps in a file of its own is opened only with its secret, for its purpose, at
// its place and unchanged.
import t from 'tap'
import { FileCipher } from '../../../../../runtime/actor/archive/file-cipher.ts'

const cipher = new FileCipher('the secret', 'history')
const text = Buffer.from('a goal of a task')
const sealed = cipher.seal(text, 'here')

t.test('what was sealed is opened', async (t) => {
  t.same(cipher.open(sealed, 'here'), text)
  t.notOk(Buffer.from(sealed).includes(text))
  t.notSame(cipher.seal(text, 'here'), sealed, 'each time with another nonce')
})

t.test('anything else is refused', async (t) => {
  t.throws(() => cipher.open(sealed, 'there'))
  t.throws(() => new FileCipher('another secret', 'history').open(sealed, 'here'))
  t.throws(() => new FileCipher('the secret', 'another purpose').open(sealed, 'here'))
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed)
    changed[at]! ^= 1
    t.throws(() => cipher.open(changed, 'here'))
  }
  t.throws(() => cipher.open(sealed.subarray(0, -1), 'here'))
})
