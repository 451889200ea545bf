/**
 * An attacker wants what others did to disappear from the audit, by causing entries until there is no
 * room for theirs. Method: a real service with a small store; refusals over REST, then as many
 * written from inside as weeks of them would leave.
 */
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { streams, subjects } from '../../../proto/subjects.ts'
import type { ServiceAuditEntry } from '../../../proto/service-audit.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { writeEntry } from '../../../runtime/service-audit/writer.ts'
import { until } from '../../helpers/lib/until.ts'
import { startBystander } from '../../helpers/service/bystander.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

interface Page {
  readonly data: { readonly entries: readonly ServiceAuditEntry[] }
}

const service = await startService({ env: { POOL_HEADLESS: '1', STORE_MAX_MIB: '256' } })
t.teardown(() => service.stop())
const beside = await startBystander(service)
const { store, close } = await openInsider(service.dataDir)
t.teardown(close)
const [attacker, bystander, operator] = await Promise.all([
  newKey(service, 'attacker', '--tenant', 'acme'),
  newKey(service, 'bystander', '--tenant', 'umbrella'),
  newKey(service, 'operator', '--scopes', 'admin'),
])

const list = async (query: string): Promise<readonly ServiceAuditEntry[]> =>
  (await operator.rest<Page>('GET', `/v1/audit?${query}`)).body.data.entries

const { id } = await createSession(bystander.rest, headless)
await bystander.rest('DELETE', `/v1/sessions/${id}`)
const ofBystander = `session_id=${id}&action=session.create`
await until('the bystander has its entry', async () => (await list(ofBystander)).length === 1)

t.test('refusals are counted, for each key and kind', async (t) => {
  const refusals = 60
  for (let n = 1; n <= refusals; n++) {
    const { status } = await attacker.rest('POST', '/v1/sessions', { [`unknown${n}`]: n })
    t.equal(status, 400)
    const notFound = await attacker.rest('DELETE', `/v1/sessions/ses_${randomUUID()}`)
    t.equal(notFound.status, 404)
  }
  const refused = await until('both kinds are told', async () => {
    const entries = await list(`key_id=${attacker.id}&outcome=refused&limit=500`)
    return new Set(entries.map(({ action }) => action)).size >= 2 && entries
  })
  t.ok(refused.length < refusals / 4, `${refused.length} entries`)
})

t.test('what a tenant causes has its own room', async (t) => {
  const { serviceAudit } = store
  const refused = { action: 'cdp.refuse', outcome: 'refused', tenant: 'acme' } as const
  const write = (n: number) => {
    const detail = { method: `Page.${n}`.padEnd(2_000, 'x') }
    const entry = { ...refused, key_id: attacker.id, detail }
    return writeEntry(serviceAudit, entry, systemClock, randomUUID())
  }
  for (let n = 0; n < 6_000; n += 500) {
    await Promise.all(Array.from({ length: 500 }, (_, i) => write(n + i)))
  }
  t.equal((await list(ofBystander)).length, 1, 'the other tenant’s entry is there')
  t.equal(
    (await list(`tenant=acme&key_id=${attacker.id}&action=key.create`)).length,
    1,
    'and its own',
  )
  const newest = await serviceAudit.last(subjects.serviceRefusals('acme'))
  t.ok(newest!.data.byteLength < 500, 'a long text is cut')
  const [newestRefusal] = await list('tenant=acme&action=cdp.refuse&limit=1')
  t.match(newestRefusal, { key_id: attacker.id }, 'a list by tenant has both')
  const usage = (await store.usage()).find(({ stream }) => stream === streams.serviceAudit)!
  t.ok(usage.bytes < usage.maxBytes / 2, `${usage.bytes} of ${usage.maxBytes} bytes are used`)
})

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
