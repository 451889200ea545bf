// Goal: keys are made, listed and revoked from the command line, and a key's text is shown once.
// Method: the CLI in its own processes, against a real nats-server.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { keyMatches, parseKey, type KeyRecord } from '../../../proto/accounts/key.ts'
import { buckets } from '../../../proto/subjects.ts'
import { listKeys } from '../../../runtime/accounts/keys/keys.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { troupe } from '../../helpers/service/service.ts'

const nats = await startNats(t)
const store = await nats.store()
const bucket = store.bucket(buckets.keys)

async function keys(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'], ...nats.env }
  return promisify(execFile)(process.execPath, [troupe, 'keys', ...args], { env })
}

async function record(id: string): Promise<KeyRecord> {
  const found = (await listKeys(bucket)).find((key) => key.id === id)
  if (!found) throw new Error(`no record of ${id}`)
  return found
}

t.test('with no key the list prints a hint', async (t) => {
  t.match((await keys('list')).stdout, 'npm run troupe -- keys create')
})

t.test('a new key is the only text on stdout, and opens its record', async (t) => {
  const order = ['--tenant', 'acme', '--name', 'ci', '--max-sessions', '2', '--expires', '30d']
  const { stdout, stderr } = await keys('create', ...order)
  const { id, secret } = parseKey(stdout.trimEnd())!
  t.match(stderr, id)
  const made = await record(id)
  t.ok(keyMatches(made, secret))
  t.match(made, { tenant: 'acme', name: 'ci', limits: { sessions: 2 } })
  const days = (made.expiresAtMs! - made.createdAtMs) / 86_400_000
  t.equal(Math.round(days), 30)
})

t.test('the list names keys and never shows their text', async (t) => {
  const { stdout: text } = await keys('create', '--tenant', 'bolt', '--name', 'two words')
  const { stdout } = await keys('list')
  t.match(stdout, /active +acme +ci +all but admin and metrics +2 +– +\d{4}-\d\d-\d\d/)
  t.match(stdout, /^KEY +STATE +TENANT +NAME +SCOPES +SESSIONS +PRIVATE +EXPIRES +USED\n/)
  t.match(stdout, /active +bolt +two words/)
  t.notMatch(stdout, parseKey(text.trimEnd())!.secret)
})

t.test('for programs, the list is JSON with the fields of REST', async (t) => {
  const { stdout } = await keys('list', '--json')
  const listed = JSON.parse(stdout) as readonly { readonly name: string }[]
  t.match(
    listed.find(({ name }) => name === 'ci'),
    { tenant: 'acme', state: 'active', max_sessions: 2, allow_private: false },
  )
  t.same(
    Object.keys(listed[0]!).filter((name) => /secret|hash/i.test(name)),
    [],
  )
})

t.test('a revoked key is listed as revoked, and revoking it again changes nothing', async (t) => {
  const { stdout } = await keys('create', '--tenant', 'acme', '--name', 'old')
  const { id } = parseKey(stdout.trimEnd())!
  await keys('revoke', id)
  const { revokedAtMs } = await record(id)
  t.ok(revokedAtMs)
  await keys('revoke', id)
  t.equal((await record(id)).revokedAtMs, revokedAtMs)
  t.match((await keys('list')).stdout, new RegExp(`${id} +revoked`))
})

t.test('an unknown id is refused', async (t) => {
  await t.rejects(keys('revoke', 'abcdefabcdef'), { code: 1, stderr: /no key abcdefabcdef/ })
  await t.rejects(keys('revoke', 'service.secret'), { code: 1 })
})
