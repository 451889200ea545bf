// Goal: passwords are stored as salted hashes that are parsed strictly, and many sign-ins at once
// do not occupy the threads of the process. Method: the real scrypt.
import { scryptSync } from 'node:crypto'
import t from 'tap'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { PasswordHasher } from '../../../../runtime/access/people/password-hasher.ts'

const passwords = new PasswordHasher()

t.test('a password is verified against its hash, and no other is', async (t) => {
  const stored = await passwords.hash('correct horse battery')
  t.match(stored, /^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  t.equal(await passwords.verify('correct horse battery', stored), true)
  t.equal(await passwords.verify('correct horse batterx', stored), false)
  t.not(await passwords.hash('correct horse battery'), stored, 'each has its own salt')
})

t.test('the hash is standard scrypt', async (t) => {
  const [, , , salt = '', hash = ''] = (await passwords.hash('correct horse battery')).split('$')
  const options = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 27 }
  const expected = scryptSync('correct horse battery', Buffer.from(salt, 'base64'), 32, options)
  t.equal(hash, expected.toString('base64').replace(/=+$/, ''))
})

t.test('different encodings of the same character match', async (t) => {
  const stored = await passwords.hash('caf\u00e9 au lait, twice')
  t.equal(await passwords.verify('cafe\u0301 au lait, twice', stored), true)
})

t.test('an empty password or an invalid hash never verifies', async (t) => {
  const salt = 'A'.repeat(22)
  const hash = 'A'.repeat(43)
  const texts = [
    undefined,
    '',
    'correct horse battery',
    `$scrypt$ln=30,r=8,p=1$${salt}$${hash}`,
    `$scrypt$ln=15,r=99,p=1$${salt}$${hash}`,
    `$scrypt$ln=0,r=8,p=1$${salt}$${hash}`,
    `$scrypt$ln=15,r=8,p=3$${salt}$`,
  ]
  for (const text of texts) t.equal(await passwords.verify('x', text), false, text ?? 'none')
})

t.test('many sign-ins wait in a bounded queue, and the rest are told to retry', async (t) => {
  const served = limits.passwordHashesAtOnce + limits.passwordHashesWaiting
  const cheap = `$scrypt$ln=1,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
  const flood = Array.from({ length: served + 3 }, () => passwords.verify('x', cheap))
  const ends = await Promise.allSettled(flood)
  const refused = ends.filter((end) => end.status === 'rejected')
  t.equal(refused.length, 3)
  for (const { reason } of refused) {
    t.ok(reason instanceof ServiceError)
    t.match(reason, { type: 'busy', status: 503 })
  }
  t.equal(await passwords.verify('x', cheap), false, 'then there is room')
})
