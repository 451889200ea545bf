/**
 * Goal: a login with password, one-time code and service worker is kept by a profile over a restart of
 * everything, and in a service made from a backup, where the stored login works too; what was filled in
 * stays hidden when the agent is killed. Method: the whole service, three times.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../../helpers/lib/until.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { startService, type Service } from '../../helpers/service/service.ts'
import { member, serveLoginSite } from '../../helpers/sites/login-site.ts'
import { profileSession } from '../../helpers/sites/member-login.ts'

const site = await serveLoginSite()
t.teardown(() => site.close())
const folder = mkdtempSync(join(tmpdir(), 'troupe-logins-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const dataDir = join(folder, 'first')
const restoredDir = join(folder, 'second')
const file = join(folder, 'backup.tar')

type Answer = { data: Readonly<Record<string, unknown>>; error?: { message: string } }

async function run({ rest }: Service, id: string, command: string, input: object = {}) {
  const path = `/v1/sessions/${id}/commands/${command}`
  const { status, body } = await rest<Answer>('POST', path, input)
  if (status !== 200) throw new Error(`${command}: ${status} ${body.error?.message}`)
  return body.data
}

const begin = (t: Test, { rest }: Service, persist = false) =>
  profileSession(t, rest, { name: 'shop', persist })

await t.test('it is stored from a pipe, and fills in password and code', async (t) => {
  const service = await startService({ dataDir, isKept: true })
  t.teardown(() => service.stop())
  const env = { SVC_BASE: service.baseUrl, SVC_API_KEY: service.key }
  const add = ['logins', 'add', site.origin, '--name', 'shop', '--username', member.username]
  const secrets = `${member.password}\n${member.totp}\n`
  t.match(await runTroupe([...add, '--with-totp'], env, secrets), {
    code: 0,
    stdout: /stored shop/,
  })
  t.match(await runTroupe(['logins', 'list'], env), {
    stdout: /shop +http:\S+ +username, password, code/,
  })
  t.match(await runTroupe(['logins', 'change', 'shop'], env, '\n'), { code: 2 })

  const { id, page } = await begin(t, service, true)
  await page.goto(`${site.origin}/echo`)
  await run(service, id, 'fill_login')
  await service.strike('node-agent')
  const seen = await until('the next agent answers', () =>
    run(service, id, 'snapshot').catch(() => undefined),
  )
  t.match(JSON.stringify(seen), /<secret>shop\.password<\/secret>/)
  t.notMatch(
    JSON.stringify(seen),
    /Kettle|anna\.lind/,
    'it hides what the one before has filled in',
  )
  const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
  const records = names.filter((name) => name.endsWith('browser.json'))
  t.not(records.length, 0)
  for (const name of records) {
    t.notMatch(readFileSync(join(dataDir, name), 'utf8'), /Kettle|anna\.lind/)
  }

  await page.goto(`${site.origin}/account`)
  t.match(await run(service, id, 'fill_login', { submit: true }), { title: 'Code' })
  t.match(await run(service, id, 'fill_login', { submit: true }), { title: 'In' })
  await page.evaluate('navigator.serviceWorker.ready')
  await service.rest('DELETE', `/v1/sessions/${id}`)
  const backup = await runTroupe(['backup', file], { DATA_DIR: dataDir })
  t.equal(backup.code, 0, backup.stderr)
})

async function isLoggedIn(t: Test, service: Service): Promise<void> {
  const { id, page } = await begin(t, service)
  await page.goto(`${site.origin}/account`)
  t.equal(await page.title(), 'In')
  await page.goto(`${site.origin}/offline`)
  t.equal(await page.textContent('body'), 'from the worker')
  await service.rest('DELETE', `/v1/sessions/${id}`)
}

await t.test('everything is restarted, and the secrets get another key', async (t) => {
  const service = await startService({ dataDir, isKept: true })
  t.teardown(() => service.stop())
  await isLoggedIn(t, service)
  const resealed = await runTroupe(['credentials', 'reseal', '--new-key'], { DATA_DIR: dataDir })
  t.match(resealed.stdout, /re-sealed the values of 1 login\n/)
  const { id, page } = await begin(t, service)
  await page.goto(`${site.origin}/`)
  t.match(await run(service, id, 'fill_login'), { filled: ['username', 'password'] })
  t.match((await service.rest('GET', `/v1/sessions/${id}`)).body.data, {
    profile: { version: 1, logins_ended: ['shop'] },
  })
  t.match((await service.rest('GET', '/v1/profiles/shop')).body.data, {
    versions: [{ version: 1, logins: ['shop'] }],
  })
  await service.rest('DELETE', `/v1/sessions/${id}`)
})

await t.test('a service made from the backup is logged in, and can log in', async (t) => {
  const made = await runTroupe(['restore', file], { DATA_DIR: restoredDir })
  t.equal(made.code, 0, made.stderr)
  const service = await startService({ dataDir: restoredDir, isKept: true })
  t.teardown(() => service.stop())
  await isLoggedIn(t, service)
  const { id, page } = await begin(t, service)
  await page.goto(`${site.origin}/`)
  t.match(await run(service, id, 'fill_login', { submit: true }), { title: 'Code' })
})
