/**
 * Goal: a login is there after a restart of everything, after its agent was killed, and in a service
 * that was made from a backup. Method: the whole service, three times.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { logIn, memberIn, profileNamed, profileSession } from '../../helpers/sites/member-login.ts'
import { serveMemberSite } from '../../helpers/sites/member-site.ts'
import { until } from '../../helpers/lib/until.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { startService } from '../../helpers/service/service.ts'

const site = await serveMemberSite()
t.teardown(() => site.close())
const folder = mkdtempSync(join(tmpdir(), 'troupe-profiles-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const dataDir = join(folder, 'first')
const restoredDir = join(folder, 'second')
const file = join(folder, 'backup.tar')

await t.test('its agent is killed while the session runs', async (t) => {
  const service = await startService({ dataDir, isKept: true })
  t.teardown(() => service.stop())
  const first = await profileSession(t, service.rest, { name: 'shop', persist: true })
  await service.strike('node-agent')
  await until('the next agent has it', async () => {
    const path = `/v1/sessions/${first.id}/commands/snapshot`
    return (await service.rest('POST', path, {})).status === 200
  })
  await logIn(first.page, site, 'ada')
  await service.rest('DELETE', `/v1/sessions/${first.id}`)
  t.match(await profileNamed(service.rest, 'shop'), { version: 1, status: 'ready' })
})

await t.test('everything is restarted, with a session that holds it', async (t) => {
  const service = await startService({ dataDir, isKept: true })
  t.teardown(() => service.stop())
  const next = await profileSession(t, service.rest, { name: 'shop', persist: true })
  t.equal(await memberIn(next.page, site), 'ada')
  await logIn(next.page, site, 'eve')
  const backup = await runTroupe(['backup', file], { DATA_DIR: dataDir })
  t.equal(backup.code, 0, backup.stderr)
})

await t.test('the stop has saved it, and freed it', async (t) => {
  const service = await startService({ dataDir, isKept: true })
  t.teardown(() => service.stop())
  t.match(await profileNamed(service.rest, 'shop'), { version: 2, status: 'ready' })
  const next = await profileSession(t, service.rest, { name: 'shop' })
  t.equal(await memberIn(next.page, site), 'eve')
  const troupe = (...args: string[]) =>
    runTroupe(args, { SVC_BASE: service.baseUrl, SVC_API_KEY: service.key })
  const state = await troupe('profiles', 'state', 'shop')
  t.match(state.stdout, `token of eve`, 'also of origins that this session has not seen')
  t.match(await troupe('profiles', 'list'), { stdout: /shop +ready +2/ })
  writeFileSync(join(folder, 'state.json'), state.stdout)
  const loaded = await troupe('profiles', 'load', 'from a file', join(folder, 'state.json'))
  t.match(loaded, { code: 0, stdout: /version 1 of from a file/ })
  const other = await profileSession(t, service.rest, { name: 'from a file' })
  t.equal(await memberIn(other.page, site), 'nobody', 'without IndexedDB')
  const saved = await troupe('profiles', 'save', 'copy', other.id)
  t.match(saved, { stdout: /version 1 of copy is saved/ })
  t.match(await troupe('profiles', 'copy', 'copy', 'third'), { code: 0 })
  const third = await profileSession(t, service.rest, { name: 'third' })
  t.equal(await memberIn(third.page, site), 'nobody')
  t.match(await troupe('profiles', 'show', 'shop'), { stdout: /2 .*ses_/ })
  t.match(await troupe('profiles', 'restore', 'shop', '1'), { stdout: /version 3 of shop/ })
  t.match(await troupe('profiles', 'remove', 'from a file', '--yes'), { code: 0 })
  t.match(await troupe('profiles', 'show', 'from a file'), { code: 1, stderr: /no profile/ })
})

await t.test('a service made from the backup has what it had then', async (t) => {
  const made = await runTroupe(['restore', file], { DATA_DIR: restoredDir })
  t.equal(made.code, 0, made.stderr)
  const service = await startService({ dataDir: restoredDir, isKept: true })
  t.teardown(() => service.stop())
  const next = await profileSession(t, service.rest, { name: 'shop', persist: true })
  t.equal(await memberIn(next.page, site), 'ada', 'the session that held it is lost')
  await service.rest('DELETE', `/v1/sessions/${next.id}`)
  const twice = await runTroupe(['restore', file], { DATA_DIR: dataDir })
  t.equal(twice.code, 1)
})
