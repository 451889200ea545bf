/**
 * Goal: what cannot be loaded is not tried for ever, and its operator learns of it where he looks.
 * Method: a real service; an entry that no machine can read is appended to the log of a session.
 */
import t from 'tap'
import { decode, encode } from '../../../proto/codec.ts'
import { buckets, ownerKey, subjects } from '../../../proto/subjects.ts'
import type { LogEntry } from '../../../runtime/actor/log.ts'
import { doctorChecks } from '../../../runtime/cli/machine/doctor-checks.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { signedInPlainly } from '../../helpers/console/plain-visitor.ts'
import { until } from '../../helpers/lib/until.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

const service = await startService()
t.teardown(() => service.stop())
const { rest } = service
const operator = await newKey(service, 'operator', '--scopes', 'admin,sessions,drive,tasks,view')
const insider = await openInsider(service.dataDir)
t.teardown(() => insider.close())
process.env['DATA_DIR'] = service.dataDir
const doctor = () => doctorChecks['actors']!(loadConfig())

t.test('an owner that cannot be read concerns nobody but its actor', async (t) => {
  const { id } = await createSession(rest, headless)
  const owners = insider.store.bucket(buckets.owners)
  const [before, key] = [service.pidOf('actors'), ownerKey('session', id)]
  const record = (await owners.get(key))!
  await owners.update(key, encode('no owner'), record.revision)
  await until('it is told', () => service.output().includes('a record cannot be read'))
  t.equal((await createSession(rest, headless)).status, 'running')
  await service.strike('actors')
  t.equal((await createSession(rest, headless)).status, 'running', 'and the next host starts')
  t.not(service.pidOf('actors'), before)
  const last = (await owners.get(key))!
  await owners.update(key, record.value, last.revision)
  await until('it is loaded again', async () => {
    return (await rest('GET', `/v1/sessions/${id}`)).body.data?.status === 'running'
  })
})

t.test('an actor that cannot be loaded is given up and reported', async (t) => {
  const { id } = await createSession(rest, headless)
  const { log } = insider.store
  const { data, seq } = (await log.last(subjects.log('session', id)))!
  const unreadable = { ...decode<LogEntry>(data), snapshot: { value: 'gone' } }
  await log.append(subjects.log('session', id), encode(unreadable), seq)
  const tag = () => rest('PUT', `/v1/sessions/${id}/tags`, { tags: ['a'] })
  const refused = { type: 'internal', message: /session cannot be loaded; `troupe doctor`/ }
  t.match(await doctor(), { state: 'ok' })
  await until('its owner is fenced', async () => (await tag()).status === 500)
  t.match(await tag(), { status: 500, body: { error: refused } })

  await until('it is given up', async () => {
    return /troupe_actors_failed\{[^}]*\} 1/.test((await rest<string>('GET', '/metrics')).body)
  })
  const found = await doctor()
  t.match(found, { state: 'warn', found: new RegExp(`1 cannot be loaded: session ${id} \\(.+\\)`) })
  const visitor = await signedInPlainly(service.baseUrl, operator.text)
  const { html } = await visitor.get('/console/hosts')
  t.match(html, new RegExp(`The session <bdi>${id}</bdi> cannot be loaded`))
  t.equal((await createSession(rest, headless)).status, 'running', 'others are not affected')
})
