/**
 * An attacker has taken over a browser and wants more of the host's disk than a session may have, and
 * to keep it after the session. Method: a program in the browser's own namespaces, where the kernel
 * makes it a child of the browser, keeps files where a count of names does not find them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isBrowser } from '../../helpers/browser/browsers.ts'
import { isolationOf } from '../../helpers/service/isolation-here.ts'
import { descendantsOf } from '../../helpers/lib/processes.ts'
import { startBystander } from '../../helpers/service/bystander.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({
  env: { POOL_HEADLESS: '0', POOL_HEADFUL: '0', SESSION_DISK_MB: '150' },
})
t.teardown(() => service.stop())
const skip = (await isolationOf(service)) === 'none' && 'this machine lets nobody make namespaces'

const beside = await startBystander(service)
const run = join(service.dataDir, 'run')
const host = join(run, readdirSync(run)[0]!)

/** Runs the shell code in the browser of a new session, in its profile, and returns what ended its session. */
async function takeOver(t: Test, code: string) {
  const { rest } = await newKey(service, t.name.replaceAll(/\W+/g, '-'))
  const before = new Set(readdirSync(host))
  const session = await createSession(rest, headless)
  const name = readdirSync(host).find((each) => !before.has(each))!
  const folder = join(host, name)
  const browser = descendantsOf(service.pidOf('node-agent')).find(
    (each) => isBrowser(each) && each.command.includes(folder),
  )!
  const namespaces = ['--user', '--preserve-credentials', '--mount', '--pid']
  const program = ['sh', '-ec', `cd "$0"; ${code}`, join(folder, 'profile')]
  const entered = [`--target=${browser.pid}`, ...namespaces, ...program]
  const { status, stderr } = spawnSync('nsenter', entered, { encoding: 'utf8', cwd: '/' })
  t.equal(status, 0, stderr)
  const data = await until('the session has ended', async () => {
    const { data } = (await rest('GET', `/v1/sessions/${session.id}`)).body
    return data.status === 'failed' && data
  })
  await until('nothing of it is left on the disk', () => !existsSync(folder))
  return data
}

const beyond = { reason: 'out_of_resources', message: /more than 150 MiB of disk/ }

t.test('in a file without a name, which a program has open', { skip }, async (t) => {
  const held = `fallocate -l 200M file; exec 3<file; rm file; sleep 600 >/dev/null 2>&1 &`
  t.match(await takeOver(t, held), beyond)
})

t.test('in folders whose path no call of the kernel takes', { skip }, async (t) => {
  // `cd -P` goes from folder to folder, and complains that it cannot tell where it is.
  const nested = `name=$(printf '%0200d' 0); level=0
    while [ $level -lt 60 ]; do mkdir $name; cd -P $name 2>/dev/null; level=$((level + 1)); done
    fallocate -l 200M file`
  t.match(await takeOver(t, nested), beyond)
})

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
