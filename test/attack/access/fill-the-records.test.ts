/**
 * A member of one client wants the room of all records, so that every other client is refused.
 * Method: a real service with a small store, and the largest records that a client can write.
 */
import t from 'tap'
import { dataOf, errorOf } from '../../helpers/access/asking.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { startBystander } from '../../helpers/service/bystander.ts'

const { service, ask, a, b } = await openWorld(t, {
  ...{ STORE_MAX_MIB: '256', TENANT_SHARE_PERCENT: '5', POOL_HEADLESS: '1' },
})
const beside = await startBystander(service)
const mostRecords = 60

const largest = { title: 'large', body: '☃'.repeat(10_000) }
const write = (token: string, body: object) => ask('POST', '/v1/tasks', { token, body })

t.test('a client that fills its share is refused, and no other one', async (t) => {
  const { token } = a.all
  const ids: string[] = []
  let heard = await write(token, largest)
  while (heard.status === 201 && ids.length < mostRecords) {
    ids.push(dataOf(heard).id)
    heard = await write(token, largest)
  }
  t.ok(ids.length > 5, `${ids.length} records`)
  const full = { code: 507, type: 'storage_full', message: /delete some.*STORE_MAX_MIB/ }
  t.match(errorOf(heard), full)
  const body = { title: 'changed' }
  const changed = await ask('PATCH', `/v1/tasks/${ids[0]}`, { token, body, seen: 1 })
  t.match(errorOf(changed), full, 'a change leaves the past value')
  t.equal((await write(b.all.token, largest)).status, 201)
  t.equal((await ask('GET', `/v1/tasks/${ids[0]}`, { token })).status, 200, 'it reads')
  const deleted = await ask('DELETE', `/v1/tasks/${ids[0]}`, { token, seen: 1 })
  t.equal(deleted.status, 204, deleted.text)
})

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
