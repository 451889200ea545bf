/**
 * Goal: an operator switches the checker of a record on and off through a whole service without
 * seeing the record's content, and the audit records it.
 */
import t from 'tap'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import { buckets } from '../../../proto/subjects.ts'
import { createdRecord } from '../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { dataOf } from '../../helpers/access/asking.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { serve } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'

let status = 200
const url = await serve(t, (_, response) => void response.writeHead(status).end())
const world = await openWorld(t, { JOB_PRIVATE_HOSTS: new URL(url).host })
const operator = await world.staff('operator')
const records = new RecordStore(world.insider.store.bucket(buckets.records))
const client = world.a.id

async function monitor(kind: string): Promise<string> {
  const id = newRecordId('monitoring')
  const fields = { name: 'Secret shop', kind, target: url }
  const order = { client, area: 'monitoring', id, fields, action: 'import' } as const
  await records.create(createdRecord(order, { by: systemAuthor('test') }, Date.now()))
  return id
}

const put = (id: string, body: object, token = operator.token) =>
  world.ask('PUT', `/v1/monitoring/${id}/check`, { token, body: { client_id: client, ...body } })

const statusOf = async (id: string) =>
  (await records.get(client, 'monitoring', id))?.record.fields['status']

t.test('on, off and on again: results go into the record, not into the answer', async (t) => {
  const id = await monitor('http')
  const on = await put(id, { enabled: true, interval_seconds: 600 })
  t.equal(on.status, 200, on.text)
  t.match(dataOf(on), { record_id: id, enabled: true, interval_seconds: 600 })
  t.ok(Date.parse(dataOf<{ next_check_at: string }>(on).next_check_at) > Date.now())
  t.notMatch(on.text, 'Secret shop')
  t.same(Object.keys(dataOf<object>(on)).sort(), [
    ...['enabled', 'interval_seconds', 'next_check_at', 'record_id'],
  ])
  await until('it is up', async () => (await statusOf(id)) === 'up')
  const twice = await put(id, { enabled: true, interval_seconds: 600 })
  t.match(dataOf(twice), { enabled: true, interval_seconds: 600 })
  status = 500
  const off = await put(id, { enabled: false })
  t.match(dataOf(off), { record_id: id, enabled: false, next_check_at: null })
  await put(id, { enabled: true })
  await until('it is down', async () => (await statusOf(id)) === 'down')
  const actions = await until('the audit tells of it', async () => {
    const path = `/v1/audit-entries?client_id=${client}&limit=100`
    const { text } = await world.ask('GET', path, { token: world.ada.token })
    return text.includes('check.switched_off') && text
  })
  t.match(actions, 'check.switched_on')
  t.match(actions, id, 'the record is named')
})

t.test('invalid requests are refused', async (t) => {
  const id = await monitor('heartbeat')
  const on = { enabled: true }
  t.equal((await put(id, on)).status, 409, 'nothing is asked for such a monitor')
  t.equal((await put(newRecordId('monitoring'), on)).status, 404)
  t.equal((await put(id, { ...on, client_id: world.b.id })).status, 404, 'another client’s')
  t.equal((await put(id, { ...on, interval_seconds: 59 })).status, 422)
  t.equal((await put(id, { ...on, interval_seconds: 86_401 })).status, 422)
  t.equal((await put(id, on, world.a.owner.token)).status, 403)
  t.match(dataOf(await put(id, { enabled: false })), { enabled: false, next_check_at: null })
})
