/**
 * Goal: a store full of pictures and steps stops no session; a store full of histories refuses new
 * sessions with a reason until there is room. Method: the service with a small store, filled from
 * inside.
 */
import t from 'tap'
import { MiB } from '../../../proto/units.ts'
import { subjects } from '../../../proto/subjects.ts'
import { StoreFull, type LogStore } from '../../../runtime/store/store.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const storeMib = 256
const env = { POOL_HEADLESS: '1', MAX_SESSIONS: '2', STORE_MAX_MIB: `${storeMib}` }
const service = await startService({ env })
t.teardown(() => service.stop())
const { store, close } = await openInsider(service.dataDir)
t.teardown(close)
const { rest } = service

const chunk = new Uint8Array(4 * MiB)
const crumbs = [2_000, 16].map((bytes) => new Uint8Array(bytes))
async function flood(log: LogStore, subject: (n: number) => string, data = chunk) {
  const messages = Math.ceil((1.2 * storeMib * MiB) / data.byteLength)
  for (let n = 1; n <= messages; n++) await log.append(subject(n), data, 0)
}

async function end(id: string): Promise<void> {
  await rest('DELETE', `/v1/sessions/${id}`)
  await until('it has ended', async () => {
    return (await rest('GET', `/v1/sessions/${id}`)).body.data.status === 'completed'
  })
}

t.test('with pictures and steps beyond all room, sessions start and end', async (t) => {
  const before = await createSession(rest)
  await flood(store.pictures, (n) => subjects.taskPicture('tsk_flood', n))
  await flood(store.steps, (n) => subjects.taskStep(`tsk_flood${n}`))
  const after = await createSession(rest)
  await end(before.id)
  await end(after.id)
  t.notMatch(service.output(), /fenced|store is full/)
})

t.test('with histories beyond their room, a new session is refused with the reason', async (t) => {
  const thing = (n: number) => subjects.log('thing', `${n}`)
  await t.rejects(flood(store.log, thing), StoreFull)
  // Smaller and smaller ones, until not even a first entry fits.
  for (const [size, crumb] of crumbs.entries()) {
    const subject = (n: number) => subjects.log('crumb', `${size}_${n}`)
    await t.rejects(flood(store.log, subject, crumb), StoreFull)
  }
  const { status, body } = await rest('POST', '/v1/sessions', headless)
  t.equal(status, 507)
  t.match(body.error, { type: 'storage_full', message: /raise STORE_MAX_MIB/ })
  const isLogged = () => /the store is full and refuses writes/.test(service.output())
  await until('the log says so', isLogged)
  t.notMatch(service.output(), /fenced/)
  await store.log.purge(thing(1))
  const { id } = await until('there is room again', async () => {
    const answer = await rest('POST', '/v1/sessions', headless)
    return answer.status === 200 && answer.body.data
  })
  await end(id)
})
