// Goal: a sealed text tells nothing, opens with its key and in its place only, and what is wrong is
// said with its remedy.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { loadConfig } from '../../runtime/config.ts'
import { ensureSealKey, openSealer } from '../../runtime/seal.ts'

const newKey = () => randomBytes(32).toString('base64')
const dirs: string[] = []
const newDir = () => {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-seal-'))
  dirs.push(dir)
  return dir
}
t.teardown(() => dirs.forEach((dir) => rmSync(dir, { recursive: true })))

const sealer = openSealer({ SEAL_KEY: newKey(), DATA_DIR: newDir() })
const place = ['task', 'tsk_1']

t.test('what was sealed is opened, and is never sealed the same way twice', async (t) => {
  for (const text of ['', 'correct horse', 'ключ 🔑', 'x'.repeat(100_000)]) {
    const sealed = sealer.seal(text, place)
    t.equal(sealer.open(sealed, place), text)
    t.not(sealed, sealer.seal(text, place))
    if (text !== '') t.notOk(sealed.includes(text))
    t.match(sealed, /^[\w.-]+$/)
  }
})

t.test('it opens nowhere but in its place', async (t) => {
  const sealed = sealer.seal('secret', ['a', 'b'])
  for (const other of [['a'], ['a', 'c'], ['ab'], ['a', 'b', ''], []]) {
    t.throws(() => sealer.open(sealed, other), { message: /changed, or moved/ })
  }
})

t.test('a change of any character is noticed', async (t) => {
  const sealed = sealer.seal('secret', place)
  for (let i = 0; i < sealed.length; i++) {
    const other = sealed[i] === 'A' ? 'B' : 'A'
    const changed = sealed.slice(0, i) + other + sealed.slice(i + 1)
    // The last character of base64 has bits that mean nothing.
    const isSame = i === sealed.length - 1 && sameBytes(changed, sealed)
    if (!isSame) t.throws(() => sealer.open(changed, place), { name: 'ServiceError' }, `at ${i}`)
  }
  for (let length = 0; length < sealed.length; length++) {
    t.throws(() => sealer.open(sealed.slice(0, length), place), { name: 'ServiceError' })
  }
})

function sameBytes(a: string, b: string): boolean {
  const bytes = (text: string) => Buffer.from(text.split('.')[2]!, 'base64url')
  return bytes(a).equals(bytes(b))
}

t.test('with another key it says which setting to copy', async (t) => {
  const other = openSealer({ SEAL_KEY: newKey(), DATA_DIR: newDir() })
  const open = () => other.open(sealer.seal('secret', place), place)
  t.throws(open, { type: 'internal', message: /SEAL_KEY.*DATA_DIR\/seal\.key/ })
})

t.test('the first start makes a key for its owner alone, and later ones keep it', async (t) => {
  const DATA_DIR = join(newDir(), 'data')
  const settings = { SEAL_KEY: '', DATA_DIR }
  t.throws(() => openSealer(settings).seal('x', place), { message: /openssl rand/ })
  ensureSealKey(settings)
  const file = join(DATA_DIR, 'seal.key')
  t.equal(statSync(file).mode & 0o777, 0o600)
  const text = readFileSync(file, 'utf8')
  const sealed = openSealer(settings).seal('kept', place)
  ensureSealKey(settings)
  t.equal(readFileSync(file, 'utf8'), text)
  t.equal(openSealer(settings).open(sealed, place), 'kept')
  const given = { SEAL_KEY: text.trim(), DATA_DIR: newDir() }
  t.equal(openSealer(given).open(sealed, place), 'kept', 'copied to another host')
})

t.test('a damaged file stops the start', async (t) => {
  const DATA_DIR = newDir()
  writeFileSync(join(DATA_DIR, 'seal.key'), 'not a key')
  t.throws(() => openSealer({ SEAL_KEY: '', DATA_DIR }), { message: /restore it from a backup/ })
})

t.test('a SEAL_KEY of another form is refused, and not printed', async (t) => {
  const short = randomBytes(16).toString('base64')
  const refuse = () => loadConfig({ SEAL_KEY: short })
  t.throws(refuse, { name: 'ConfigError', message: /^SEAL_KEY=.* is not usable: use what/ })
  try {
    refuse()
  } catch (error) {
    t.notOk(String(error).includes(short))
  }
  const key = newKey()
  t.equal(loadConfig({ SEAL_KEY: key }).SEAL_KEY, key)
})
