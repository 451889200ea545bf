/**
 * An attacker wants the room of the store, so that every other tenant is refused. Method: a real
 * service with a small store; the largest entries that a session allows, and a store that is filled
 * from inside to what thousands of such sessions would leave.
 */
import t, { type Test } from 'tap'
import { encode } from '../../../proto/codec.ts'
import { buckets, streams, subjects, viewKey } from '../../../proto/subjects.ts'
import { KiB, MiB } from '../../../proto/units.ts'
import { doctorChecks } from '../../../runtime/cli/machine/doctor-checks.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { StoreFull } from '../../../runtime/store/store.ts'
import { until } from '../../helpers/lib/until.ts'
import { startBystander } from '../../helpers/service/bystander.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

const storeMib = 256
const service = await startService({
  env: { POOL_HEADLESS: '1', MAX_SESSIONS: '4', STORE_MAX_MIB: `${storeMib}` },
})
t.teardown(() => service.stop())
const beside = await startBystander(service)
const { store, close } = await openInsider(service.dataDir)
t.teardown(close)
const [attacker, bystander] = await Promise.all([
  newKey(service, 'attacker', '--tenant', 'acme'),
  newKey(service, 'bystander', '--tenant', 'umbrella'),
])

const largestTags = (n: number) =>
  Array.from({ length: 50 }, (_, i) => `${n} ${i} `.padEnd(128, '☃'))
const setTags = (id: string, n: number) =>
  attacker.rest('PUT', `/v1/sessions/${id}/tags`, { tags: largestTags(n) })

async function logBytes(id: string): Promise<number> {
  let bytes = 0
  for await (const { data } of store.log.read(subjects.log('session', id))) bytes += data.byteLength
  return bytes
}

async function end(id: string): Promise<void> {
  await attacker.rest('DELETE', `/v1/sessions/${id}`)
  await until('it has ended', async () => {
    return (await attacker.rest('GET', `/v1/sessions/${id}`)).body.data.status === 'completed'
  })
}

t.test('the log of a session that is changed again and again stays small', async (t) => {
  const { id } = await createSession(attacker.rest, headless)
  for (let n = 1; n <= 64; n++) t.equal((await setTags(id, n)).status, 200)
  await end(id)
  t.ok((await logBytes(id)) < 400 * KiB, `${await logBytes(id)} bytes`)
})

const share = (storeMib * MiB) / 3
const stored = {
  histories: { entryBytes: share },
  steps: { elsewhereBytes: { [streams.steps]: share } },
  pictures: { elsewhereBytes: { [streams.pictures]: share } },
}

for (const [what, bytes] of Object.entries(stored)) {
  t.test(`a tenant whose ${what} fill its share is refused, and no other one`, async (t) => {
    await refusesOnly(t, bytes)
  })
}

async function refusesOnly(t: Test, bytes: object): Promise<void> {
  const views = store.bucket(buckets.views)
  const { id: open } = await until('the tenant is admitted', async () => {
    const { status, body } = await attacker.rest('POST', '/v1/sessions', headless)
    return status < 300 && body.data
  })
  const id = 'ses_filler'
  const key = viewKey('session', 'acme', id)
  const view = { id, tenant: 'acme', status: 'completed', createdAtMs: 1, endedAtMs: Date.now() }
  await views.put(key, encode({ n: 1, view, ...bytes }))
  const refused = await until('the tenant is refused', async () => {
    const answer = await attacker.rest('POST', '/v1/sessions', headless)
    if (answer.status !== 507) await end(answer.body.data.id)
    return answer.status === 507 && answer
  })
  t.match(refused.body.error, { type: 'storage_full', message: /your share of the store/ })
  const task = `/v1/tools/perform-web-task?sessionId=${open}`
  const order = { prompt: 'Read the page.', provider: 'openai' }
  t.equal((await attacker.rest('POST', task, order)).status, 507, 'a task in a session, too')
  await end(open)
  const { id: other } = await createSession(bystander.rest, headless)
  await bystander.rest('DELETE', `/v1/sessions/${other}`)
  await views.delete(key)
}

t.test('with a full store, a change is answered at once, and the operator is told', async (t) => {
  const { id } = await until('the tenant is admitted again', async () => {
    const { status, body } = await attacker.rest('POST', '/v1/sessions', headless)
    return status < 300 && body.data
  })
  const { id: other } = await createSession(attacker.rest, headless)
  const filler = (n: number) => subjects.log('thing', `${n}`)
  for (const [size, bytes] of [4 * MiB, 64 * KiB, 2 * KiB].entries()) {
    const fill = async () => {
      for (let n = 1; ; n++) {
        await store.log.append(filler(size * 1_000 + n), new Uint8Array(bytes), 0)
      }
    }
    await t.rejects(fill(), StoreFull)
  }
  const { status, body } = await setTags(id, 1)
  t.equal(status, 507)
  t.match(body.error, { type: 'storage_full', message: /raise STORE_MAX_MIB/ })
  const notReady = await until('the service is not ready', async () => {
    const answer = await service.rest('GET', '/health/ready')
    return answer.status === 503 && answer
  })
  t.match(notReady.body.error.message, /no room for new sessions \(LOG\): raise STORE_MAX_MIB/)
  process.env['DATA_DIR'] = service.dataDir
  const finding = await doctorChecks['store']!(loadConfig())
  t.match(finding, { state: 'warn', found: 'LOG is full and refuses writes' })
  await end(id)
  t.same((await setTags(other, 1)).status, 507, 'the room that was made is for ends only')
  await end(other)
  await store.log.purge(filler(1))
})

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
