// Goal: what `troupe backup` writes is a service again after `troupe restore`: keys, accounts, people,
// grants with their records, ended sessions and tasks with their steps, and the audit; and it goes on
// with new ones. Neither command touches what is in use. Method: the whole service, backed up while
// it runs, restored into a new folder, started there.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { askAt, dataOf } from '../../helpers/access/asking.ts'
import { furnish } from '../../helpers/access/world.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { newKey, troupeOf } from '../../helpers/service/keys.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { createSession, headless, restClient, startService } from '../../helpers/service/service.ts'
import { startTaskService, TaskClient } from '../../helpers/tasks/service.ts'
import { backupOrder } from '../../../runtime/store/nats/snapshot.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'

t.setTimeout(300_000)

const env = { POOL_HEADLESS: '1' }
const site = await serveWebPage('<title>Tea</title><p>Tea costs 3 €</p>')
t.teardown(() => site.close())
const folder = mkdtempSync(join(tmpdir(), 'troupe-backup-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'backup.tar')

const { service, tasks } = await startTaskService(t, undefined, { env })
const insider = await openInsider(service.dataDir)
const world = await furnish(insider, service.baseUrl)
const { all } = world.a
const key = await newKey(service, 'ci')
const session = await createSession(key.rest)
await key.rest('DELETE', `/v1/sessions/${session.id}`)
const contact = dataOf<{ id: string }>(
  await world.ask('POST', '/v1/contacts', { token: all.token, body: { first_name: 'Grace' } }),
)
const task = await tasks.perform({
  prompt: 'What does tea cost?',
  url: site.url,
  session_options: headless,
  allow_private_network: true,
})
const steps = (await tasks.steps(task.id)).length
// It becomes the tenant's default, so after the task.
await service.rest('PUT', '/v1/credentials/groq', { api_key: 'gsk_of-a-tenant-2233' })
await insider.close()

const run = (args: readonly string[], dataDir: string) => runTroupe(args, { DATA_DIR: dataDir })
const secretsIn = (archive: string) =>
  execFileSync('tar', ['-tf', archive], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => /^secrets\/./.test(name))
    .sort()

t.test('a running service is backed up, for its owner alone', async (t) => {
  const { code, stdout, stderr } = await run(['backup', file], service.dataDir)
  t.equal(code, 0, stderr)
  t.match(stdout, new RegExp(`${backupOrder.length} streams, .* taken while the service ran`))
  t.match(stderr, 'contains seal.key')
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.same(secretsIn(file), ['secrets/dev.key', 'secrets/seal.key'])
  const again = await run(['backup', file], service.dataDir)
  t.match(again, { code: 1, stderr: /already exists/ })

  const bare = join(folder, 'bare.tar')
  const without = await run(['backup', bare, '--without-secrets'], service.dataDir)
  t.match(without, { code: 0, stderr: /does not contain seal\.key/ })
  t.same(secretsIn(bare), [])
  t.same(readdirSync(folder).sort(), ['backup.tar', 'bare.tar'], 'nothing else is left')
})

t.test('a folder in use is refused, and so is a damaged file', async (t) => {
  const inUse = await run(['restore', file], service.dataDir)
  t.match(inUse, { code: 1, stderr: /already running on/ })
  const damaged = join(folder, 'damaged.tar')
  const bytes = readFileSync(file)
  writeFileSync(damaged, bytes.subarray(0, bytes.length / 2))
  const target = mkdtempSync(join(folder, 'target-'))
  const refused = await run(['restore', damaged], target)
  t.match(refused, { code: 1, stderr: /not a usable backup/ })
  bytes.write('x', bytes.indexOf('streams/KV_keys') + 700)
  writeFileSync(damaged, bytes)
  const changed = await run(['restore', damaged], target)
  t.match(changed, { code: 1, stderr: /stream KV_keys is not complete/ })
  t.same(readdirSync(target), [], 'the folder is as it was')
  const nothing = await run(['backup', join(folder, 'nothing.tar')], target)
  t.match(nothing, { code: 1, stderr: /no service has run on/ })
})

t.test('the restored service goes on where the other one was', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'troupe-restored-'))
  const { code, stdout, stderr } = await run(['restore', file], dataDir)
  t.equal(code, 0, stderr)
  t.match(stdout, `into ${dataDir}`)
  t.same(
    readFileSync(join(dataDir, 'seal.key')),
    readFileSync(join(service.dataDir, 'seal.key')),
    'the key of its secrets',
  )
  const conf = readFileSync(join(dataDir, 'nats', 'server.conf'), 'utf8')
  t.notMatch(conf, 'STREAM.RESTORE', 'that start had an operator')

  const restored = await startService({ env, dataDir })
  t.teardown(() => restored.stop())
  t.match(readFileSync(join(dataDir, 'nats', 'server.conf'), 'utf8'), 'STREAM.RESTORE')
  const ask = askAt(restored.baseUrl)
  const rest = restClient(restored.baseUrl, key.text)
  const past = await rest('GET', `/v1/sessions/${session.id}`)
  t.match(past, { status: 200, body: { data: { id: session.id, status: 'completed' } } })
  const next = await createSession(rest)
  t.not(next.id, session.id)
  t.equal((await rest('DELETE', `/v1/sessions/${next.id}`)).status, 200)

  const restoredTasks = new TaskClient(restored.rest)
  t.match(await restoredTasks.get(task.id), { status: 'COMPLETED', steps })
  t.equal((await restoredTasks.steps(task.id)).length, steps)
  const accounts = await restored.rest<object>('GET', '/v1/credentials')
  t.match(accounts.body, { data: { credentials: [{ provider: 'groq', hint: '2233' }] } })
  t.match(await troupeOf(restored, 'credentials', 'reseal'), { stderr: '' }, 'all secrets open')

  const contacts = await ask('GET', '/v1/contacts', { token: all.token })
  t.match(contacts.body, { data: [{ id: contact.id, first_name: 'Grace' }] })
  const body = { first_name: 'Ada' }
  t.equal((await ask('POST', '/v1/contacts', { token: all.token, body })).status, 201)
  await until('the audit goes on', async () => {
    const { text } = await ask('GET', '/v1/audit-entries?limit=20', { token: world.ada.token })
    return text.includes('contact')
  })
  const verified = await run(['audit', 'verify'], dataDir)
  t.equal(verified.code, 0, verified.stderr)
})

t.test('a stopped service is backed up as of one moment', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'troupe-stopped-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  t.equal((await run(['restore', file], dataDir)).code, 0)
  t.match(await run(['restore', file], dataDir), { code: 1, stderr: /already holds a service/ })
  const second = join(folder, 'second.tar')
  t.match(await run(['backup', second], dataDir), { code: 0, stdout: /of one moment/ })
  const manifest = JSON.parse(
    execFileSync('tar', ['-xOf', second, 'manifest.json'], { encoding: 'utf8' }),
  ) as object
  t.match(manifest, { format: 1, stopped: true })
})
