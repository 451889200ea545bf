/**
 * An attacker wants other callers' requests with an Idempotency-Key to be carried out twice, by
 * filling the room of the stored answers. Method: a real service with a small store; refusals that
 * would repeat long texts, then a bucket that is filled from inside.
 */
import t from 'tap'
import { encode } from '../../../proto/codec.ts'
import { newId } from '../../../proto/ids.ts'
import { buckets } from '../../../proto/subjects.ts'
import { KiB } from '../../../proto/units.ts'
import { StoreFull } from '../../../runtime/store/store.ts'
import { until } from '../../helpers/lib/until.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { newKey, type TestKey } from '../../helpers/service/keys.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import {
  headless,
  isReady,
  startService,
  type SessionAnswer,
} from '../../helpers/service/service.ts'

const service = await startService({ env: { POOL_HEADLESS: '1', STORE_MAX_MIB: '256' } })
t.teardown(() => service.stop())
const { store, close } = await openInsider(service.dataDir)
t.teardown(close)
const bucket = store.bucket(buckets.idempotency)
const [attacker, bystander, visitor] = await Promise.all([
  newKey(service, 'attacker', '--tenant', 'acme'),
  newKey(service, 'bystander', '--tenant', 'umbrella'),
  newKey(service, 'visitor', '--tenant', 'globex'),
])

async function create(by: TestKey, key: string, body: unknown = headless) {
  const response = await fetch(`${service.baseUrl}/v1/sessions`, {
    method: 'POST',
    headers: {
      'service-api-key': by.text,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const isReplayed = response.headers.get('idempotent-replayed') === 'true'
  const { data } = JSON.parse(text) as Partial<SessionAnswer>
  return { status: response.status, text, isReplayed, id: data?.id }
}

const first = await create(bystander, 'mine')
t.teardown(() => bystander.rest('DELETE', `/v1/sessions/${first.id}`))

t.test('a refusal does not repeat what was sent, and is not stored', async (t) => {
  for (let n = 0; n < 5; n++) {
    const refused = await create(attacker, `long-${n}`, { ['x'.repeat(125_000)]: n })
    t.equal(refused.status, 400)
    t.ok(refused.text.length < 10 * KiB, `${refused.text.length} bytes`)
    t.match(refused.text, /Known fields/)
  }
  const stored = (await entriesOf(bucket)).map(({ value }) => value.byteLength)
  t.ok(Math.max(...stored) < 10 * KiB)
})

t.test('a tenant that has used its share is refused, also by a gateway that starts', async (t) => {
  const answer = { kind: 'large', text: 'x'.repeat(60 * KiB) }
  for (let n = 0; n < 68; n++) {
    const record = { state: 'done', tenant: 'acme', fingerprint: 'x', doneAtMs: Date.now(), answer }
    await bucket.put(`theirs.${n}`, encode(record))
  }
  await until('the gateway counts them', async () => {
    const { status, id } = await create(attacker, newId('idm'))
    if (id !== undefined) await attacker.rest('DELETE', `/v1/sessions/${id}`)
    return status === 507
  })
  await service.strike('gateway')
  await until('the gateway is ready again', () => isReady(service.rest))
  const refused = await create(attacker, newId('idm'))
  t.equal(refused.status, 507)
  t.match(refused.text, /send this one without the key/)
  const other = await create(visitor, newId('idm'))
  t.ok(other.status < 300, `${other.status}`)
  await visitor.rest('DELETE', `/v1/sessions/${other.id}`)
})

t.test('in a full bucket, the answers of others stay', async (t) => {
  const fill = async () => {
    for (let n = 0; n < 120; n++) await bucket.put(`filler.${n}`, new Uint8Array(64 * KiB))
  }
  await t.rejects(fill(), StoreFull)
  const again = await create(bystander, 'mine')
  t.match(again, { status: first.status, id: first.id, isReplayed: true })
  const list = await bystander.rest<{ data: { sessions: unknown[] } }>('GET', '/v1/sessions')
  t.equal(list.body.data.sessions.length, 1)
})
