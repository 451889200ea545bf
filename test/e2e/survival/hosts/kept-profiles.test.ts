/**
 * Goal: a login outlives its host and whatever dies while it is saved, and an agent that was cut off
 * saves nothing over what was saved meanwhile. Method: a core host and two browser hosts, each with
 * files of its own; SIGSTOP, and SIGKILL at several moments of a save.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { devKey } from '../../../../proto/accounts/dev-key.ts'
import { isRunning } from '../../../helpers/lib/processes.ts'
import { until } from '../../../helpers/lib/until.ts'
import { startNats } from '../../../helpers/nats/nats.ts'
import {
  logIn,
  memberIn,
  profileNamed,
  profileSession,
} from '../../../helpers/sites/member-login.ts'
import { serveMemberSite } from '../../../helpers/sites/member-site.ts'
import { startMember } from '../../../helpers/service/member.ts'
import { nothingLeft, restClient, type SessionJson } from '../../../helpers/service/service.ts'

const site = await serveMemberSite()
t.teardown(() => site.close())
const nats = await startNats(t)
const folder = mkdtempSync(join(tmpdir(), 'troupe-hosts-'))
t.teardown(async () => {
  await nothingLeft(folder)
  rmSync(folder, { recursive: true, force: true })
})
const SEAL_KEY = randomBytes(32).toString('base64')
const env = (node: string) => ({ ...nats.env, NODE_ID: node, POOL_HEADLESS: '0', SEAL_KEY })
const startActors = () =>
  startMember(t, 'actors', { env: env('core'), dataDir: join(folder, 'core') })
const startAgent = (node: string) =>
  startMember(t, 'node-agent', { env: env(node), dataDir: join(folder, node) })
let actors = await startActors()
const gateway = await startMember(t, 'gateway', { env: env('core'), dataDir: join(folder, 'core') })
const rest = restClient(String(gateway.info['url']), devKey)
const isReady = async () => (await rest('GET', '/health/ready')).status === 200
const agents = { a: await startAgent('a'), b: undefined as never as typeof actors }
await until('a host is ready', isReady)

interface Ended extends SessionJson {
  readonly profile: { readonly saved_version?: number; readonly problem?: string }
}
const read = async (id: string) =>
  (await rest<{ data: Ended }>('GET', `/v1/sessions/${id}`)).body.data
const end = (id: string) => rest('DELETE', `/v1/sessions/${id}`)
const ended = (id: string) =>
  until(
    'it has ended',
    async () => {
      const session = await read(id)
      return ['completed', 'failed', 'lost'].includes(session?.status) && session
    },
    60_000,
  )
/** Who is logged in in a session that begins now. */
async function nextMember(t: Parameters<typeof profileSession>[0], name: string) {
  const session = await profileSession(t, rest, { name })
  const member = await memberIn(session.page, site)
  await end(session.id)
  return member
}

const drain = (node: string, verb: 'drain' | 'undrain') =>
  rest('POST', `/v1/admin/hosts/${node}/${verb}`, {})

await t.test('a login goes to another host', async (t) => {
  const first = await profileSession(t, rest, { name: 'shop', persist: true })
  await logIn(first.page, site, 'ada')
  await end(first.id)
  agents.b = await startAgent('b')
  await drain('a', 'drain')
  t.equal(await nextMember(t, 'shop'), 'ada')
})

await t.test('an agent that was cut off saves nothing when it is back', async (t) => {
  const first = await profileSession(t, rest, { name: 'cut', persist: true })
  await logIn(first.page, site, 'ada')
  await drain('a', 'undrain')
  const { pid } = agents.b
  const thaw = () => void (isRunning(pid) && process.kill(pid, 'SIGCONT'))
  process.kill(pid, 'SIGSTOP')
  t.teardown(thaw)
  await until('it is unreachable', async () => (await read(first.id)).status === 'unreachable')
  t.equal((await profileNamed(rest, 'cut')).in_use_by, first.id, 'which keeps the profile')
  await end(first.id)
  t.match((await ended(first.id)).profile, { problem: /deleted/ })
  const second = await profileSession(t, rest, { name: 'cut', persist: true })
  t.equal(await memberIn(second.page, site), 'nobody')
  await logIn(second.page, site, 'eve')
  await end(second.id)
  t.equal((await profileNamed(rest, 'cut')).version, 1)
  thaw()
  await until('the first browser is gone', async () => {
    const { body } = await rest<string>('GET', '/metrics')
    return !/^troupe_browsers\{[^}]*state="claimed"[^}]*\} [1-9]/m.test(body)
  })
  t.equal((await profileNamed(rest, 'cut')).version, 1)
  t.equal(await nextMember(t, 'cut'), 'eve')
})

await t.test('whatever is killed during a save, a whole version is the newest one', async (t) => {
  let [member, newest] = ['nobody', 0]
  const kills = [
    ['actors', 0],
    ['agents', 60],
    ['actors', 150],
    ['agents', 250],
  ] as const
  for (const [i, [victim, afterMs]] of kills.entries()) {
    const session = await profileSession(t, rest, { name: 'killed', persist: true })
    t.equal(await memberIn(session.page, site), member, `before ${victim} ${afterMs}`)
    const next = `m${i}${victim}`
    await logIn(session.page, site, next)
    const ending = end(session.id).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, afterMs))
    if (victim === 'actors') {
      await actors.kill()
      actors = await startActors()
    } else {
      await Promise.all(Object.values(agents).map((agent) => agent.kill()))
      for (const node of ['a', 'b'] as const) agents[node] = await startAgent(node)
    }
    await ending
    const { profile } = await ended(session.id)
    t.ok(profile.saved_version ?? profile.problem, 'it says what became of it')
    await until('it is free', async () => !(await profileNamed(rest, 'killed')).in_use_by)
    const { version } = await profileNamed(rest, 'killed')
    const isSaved = version > newest
    if (isSaved) [member, newest] = [next, version]
    // A save may have succeeded after the session's end, with the next agent.
    await until('the session says whether it is saved', async () => {
      const told = (await read(session.id)).profile.saved_version
      return told === (isSaved ? version : undefined)
    })
  }
  t.equal(await nextMember(t, 'killed'), member)
})
