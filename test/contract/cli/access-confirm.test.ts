// Goal: from a shell, another admin confirms what waits for a person, and the operator of the host
// does it without a sign-in, also when no independent admin is there, and for a removal. Method: the
// real commands in their own processes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { dataOf } from '../../helpers/access/asking.ts'
import { password } from '../../helpers/access/people.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'

const { ask, ada, grace, service } = await openWorld(t)
const dataDir = mkdtempSync(join(tmpdir(), 'troupe-shell-'))
t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
const theirs = { DATA_DIR: dataDir, SVC_BASE: service.baseUrl }
const hosts = { DATA_DIR: service.dataDir, SVC_BASE: service.baseUrl }
const confirm = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  runTroupe(['access', 'confirm', ...args], env)

async function invite(name: string): Promise<{ readonly id: string; readonly email: string }> {
  const body = { email: `${name}@provider.example`, name, roles: ['reviewer'] }
  return dataOf(await ask('POST', '/v1/staff', { token: ada.token, body }))
}

t.test('another admin confirms, the one who asked does not', async (t) => {
  const { id } = await invite('Carl')
  const signIn = (email: string) => runTroupe(['access', 'sign-in', email], theirs, `${password}\n`)
  await signIn(ada.email)
  t.match(await confirm(theirs, id), { code: 1, stderr: /\(self_review\)/ })
  await signIn(grace.email)
  t.match(await confirm(theirs, id), { code: 0, stdout: 'Carl is invited: reviewer\n' })
  t.match(await confirm(theirs, id), { code: 1, stderr: /Nothing of this person waits/ })
  t.match(await confirm(theirs, 'carl'), { code: 2, stderr: /usr_/ })
})

t.test('the operator of the host confirms, by id or e-mail address', async (t) => {
  const { email, id } = await invite('Dora')
  const done = await confirm(hosts, email, '--on-host')
  t.match(done, { code: 0, stdout: 'Dora is invited: reviewer\n' })
  const { vouched_by: vouchers } = dataOf<{ vouched_by?: readonly unknown[] }>(
    await ask('GET', `/v1/staff/${id}`, { token: ada.token }),
  )
  t.equal(vouchers, undefined, 'independent from now on')
  const nobody = await confirm(hosts, 'nobody@provider.example', '--on-host')
  t.match(nobody, { code: 1, stderr: /there is no person/ })
})

t.test('the operator of the host confirms a proposed removal', async (t) => {
  const args = [grace.id, '--removal', '--on-host']
  t.match(await confirm(hosts, ...args), { code: 1, stderr: /is not proposed/ })
  const body = { reason: 'she has left the agency' }
  const remove = { token: ada.token, seen: '*', body } as const
  const proposed = await ask('POST', `/v1/staff/${grace.id}/remove`, remove)
  t.equal(proposed.status, 200, proposed.text)
  t.match(await confirm(hosts, ...args), { code: 0, stdout: /Grace is removed/ })
})
