// Goal: a sealed text reveals nothing, opens only with its key and in its place, and every failure
// says what to do.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { doctorChecks } from '../../../../runtime/cli/machine/doctor-checks.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import {
  ensureSealKey,
  keyFileProblem,
  renewSealKey,
} from '../../../../runtime/accounts/seal/seal-keys.ts'
import { openKept, openSealer, sealedWith } from '../../../../runtime/accounts/seal/seal.ts'

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

t.test('a sealed text can be opened, and is sealed differently each time', async (t) => {
  for (const text of ['', 'correct horse', 'ключ 🔑', 'x'.repeat(100_000)]) {
    const sealed = sealer.seal(text, place)
    t.equal(sealer.open(sealed, place), text)
    t.not(sealed, sealer.seal(text, place))
    if (text !== '') t.notOk(sealed.includes(text))
    t.match(sealed, /^[\w.-]+$/)
  }
})

t.test('it opens only in its own place', async (t) => {
  const sealed = sealer.seal('secret', ['a', 'b'])
  for (const other of [['a'], ['a', 'c'], ['ab'], ['a', 'b', ''], []]) {
    t.throws(() => sealer.open(sealed, other), { message: /changed, or copied/ })
  }
})

t.test('what a caller sends back is opened, or is none of ours', (t) => {
  const sealed = sealer.seal('for the caller', place)
  t.equal(openKept(sealer, sealed, place), 'for the caller')
  t.equal(openKept(sealer, sealed, ['task', 'tsk_2']), undefined)
  t.equal(openKept(sealer, 'anything', place), undefined)
  const other = openSealer({ SEAL_KEY: newKey(), DATA_DIR: newDir() })
  t.equal(openKept(other, sealed, place), undefined)
  const keyless = openSealer({ SEAL_KEY: '', DATA_DIR: newDir() })
  t.throws(() => openKept(keyless, sealed, place), { type: 'unavailable', message: /no key/ })
  t.end()
})

t.test('a change of any character is detected', async (t) => {
  const sealed = sealer.seal('secret', place)
  for (let i = 0; i < sealed.length; i++) {
    const other = sealed[i] === 'A' ? 'B' : 'A'
    const changed = sealed.slice(0, i) + other + sealed.slice(i + 1)
    // The last character of base64 has unused bits.
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

t.test('with another key the error says which setting to copy', async (t) => {
  const other = openSealer({ SEAL_KEY: newKey(), DATA_DIR: newDir() })
  const open = () => other.open(sealer.seal('secret', place), place)
  t.throws(open, { type: 'internal', message: /SEAL_KEY.*DATA_DIR\/seal\.key/ })
  const message = new RegExp(`key ${sealer.keyIds()[0]}, and this host has key ${other.keyIds()}`)
  t.throws(open, { message })
})

t.test('of several keys the first seals, and all open', async (t) => {
  const [a, b] = [newKey(), newKey()]
  const under = (SEAL_KEY: string) => openSealer({ SEAL_KEY, DATA_DIR: newDir() })
  const before = under(a).seal('secret', place)
  const ring = under(`${b}, ${a}`)
  t.equal(ring.open(before, place), 'secret')
  const after = ring.seal('secret', place)
  t.equal(sealedWith(after), ring.keyIds()[0])
  t.equal(under(b).open(after, place), 'secret')
  t.throws(() => under(a).open(after, place), { message: /Add that key here, behind the first/ })
  t.equal(under(`${a},${b}`).open(after, place), 'secret', 'where it is not the first yet')
})

t.test('a changed file is read again, and a half-written one does no harm', async (t) => {
  const DATA_DIR = newDir()
  const file = join(DATA_DIR, 'seal.key')
  const running = openSealer({ SEAL_KEY: '', DATA_DIR })
  t.same(running.keyIds(), [])
  const old = newKey()
  writeFileSync(file, `${old}\n`, { mode: 0o600 })
  const sealed = running.seal('secret', place)
  const id = renewSealKey(DATA_DIR)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.same(running.keyIds(), [id, sealedWith(sealed)])
  t.equal(running.open(sealed, place), 'secret')
  t.equal(sealedWith(running.seal('secret', place)), id)
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 20))
  t.same(running.keyIds(), [id, sealedWith(sealed)])
  rmSync(file)
  t.equal(running.open(sealed, place), 'secret')
  writeFileSync(file, `${newKey()}\n`)
  t.throws(() => running.open(sealed, place), { message: /If it is lost, so is the secret/ })
})

t.test('a file that others can read is reported', async (t) => {
  const DATA_DIR = newDir()
  t.equal(keyFileProblem({ SEAL_KEY: '', DATA_DIR }), undefined)
  ensureSealKey({ SEAL_KEY: '', DATA_DIR })
  t.equal(keyFileProblem({ SEAL_KEY: '', DATA_DIR }), undefined)
  chmodSync(join(DATA_DIR, 'seal.key'), 0o640)
  t.match(keyFileProblem({ SEAL_KEY: '', DATA_DIR }), { fix: /^chmod 600 .*seal\.key$/ })
  t.equal(keyFileProblem({ SEAL_KEY: newKey(), DATA_DIR }), undefined, 'it is not used')
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

t.test('doctor reports where the key is, and what is wrong with it', async (t) => {
  const DATA_DIR = newDir()
  const look = (NATS_URL = '') => doctorChecks['secrets']!(loadConfig({ DATA_DIR, NATS_URL }))
  t.match(await look(), { state: 'ok', found: /created at the first start/ })
  t.match(await look('nats://10.0.0.1'), {
    state: 'warn',
    fix: /copy SEAL_KEY, or .*another host/,
  })
  ensureSealKey({ SEAL_KEY: '', DATA_DIR })
  t.match(await look(), { state: 'ok', found: /^encrypted with key [\w-]{8} of .*seal\.key$/ })
  chmodSync(join(DATA_DIR, 'seal.key'), 0o604)
  t.match(await look(), { state: 'warn', found: /other users/, fix: /^chmod 600/ })
})

t.test('a damaged file stops the start', async (t) => {
  const DATA_DIR = newDir()
  writeFileSync(join(DATA_DIR, 'seal.key'), 'not a key')
  t.throws(() => openSealer({ SEAL_KEY: '', DATA_DIR }), { message: /restore it from a backup/ })
})

t.test('an invalid SEAL_KEY is refused, and not printed', async (t) => {
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
  const both = `${key},${newKey()}`
  t.equal(loadConfig({ SEAL_KEY: both }).SEAL_KEY, both)
  for (const bad of [`${key},${short}`, `${key},`, `${key} ${key}`]) {
    t.throws(() => loadConfig({ SEAL_KEY: bad }), { name: 'ConfigError' })
  }
})
