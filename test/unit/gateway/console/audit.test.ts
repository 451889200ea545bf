/**
 * Goal: operators read the service's audit in words, filter it by what is in the URL, go back page by
 * page, and see new entries as they are written. Method: a real gateway over an in-memory stream.
 */
import t from 'tap'
import { keyScopeNames } from '../../../../proto/accounts/key-scopes.ts'
import type { ServiceAuditEntry } from '../../../../proto/service-audit.ts'
import { subjects } from '../../../../proto/subjects.ts'
import { textOf, type PageHeard } from '../../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../../helpers/console/plain-visitor.ts'
import { EventReader } from '../../../helpers/console/event-reader.ts'
import { playService } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'
import { MemoryLog } from '../../../helpers/runtime/memory-store.ts'

const admin = keyOf('house', { scopes: keyScopeNames })
const acme = keyOf('acme', { name: 'ci' })
const serviceAudit = new MemoryLog()
const hints = new Set<() => void>()
const service = await playService({
  keys: [admin.record, acme.record],
  env: { PUBLIC_URL: 'https://browsers.example' },
  serviceAudit,
  subscriber: {
    subscribe(_, onMessage) {
      hints.add(onMessage)
      return { stop: () => void hints.delete(onMessage) }
    },
  },
})
t.teardown(() => service.close())

const signedIn = ({ text }: { readonly text: string }) => signedInPlainly(service.gateway.url, text)

let written = 0
async function write(entry: Partial<ServiceAuditEntry>): Promise<void> {
  const at = new Date().toISOString()
  const tenant = entry.tenant ?? 'acme'
  const whole = { at, action: 'session.create', outcome: 'done', ...entry, tenant }
  const data = Buffer.from(JSON.stringify(whole))
  await serviceAudit.add(subjects.serviceAudit(tenant), data, String(++written))
  for (const hint of hints) hint()
}

const rowsOf = ({ html }: PageHeard) => [...html.matchAll(/<tr role="row" id="entry-/g)].length

t.test('an empty audit, and one that is not theirs to see', async (t) => {
  const page = await (await signedIn(admin)).get('/console/audit')
  t.match(textOf(page), /There are no entries yet/)
  const refused = await (await signedIn(acme)).get('/console/audit')
  t.equal(refused.status, 403)
  t.match(textOf(refused), /It requires a key with the scope admin/)
})

t.test('entries are in words, and filtered by the URL', async (t) => {
  const { id } = acme.record
  await write({ key_id: id, session_id: 'ses_000000', address: '203.0.113.7' })
  await write({ action: 'key.revoke', tenant: 'other', address: 'cli', detail: { name: '<i>x' } })
  const refusal = { action: 'scope.refuse', outcome: 'refused', key_id: id, count: 4 } as const
  await write({ ...refusal, detail: { route: 'GET /v1/audit' } })
  const one = await signedIn(admin)
  const page = await one.get('/console/audit')
  t.equal(rowsOf(page), 3)
  const text = textOf(page)
  t.match(text, /Session requested .* UTC Done acme ci .* 203\.0\.113\.7 Session 000000/)
  t.match(text, /Key revoked .* Done other – Command line – name: <i>x/)
  t.match(text, /Refused: missing scope .* route: GET \/v1\/audit, 4 more of the same/)
  t.match(page.html, '&lt;i&gt;x')
  for (const [query, count] of [
    ['tenant=acme', 2],
    [`key_id=${id}&outcome=refused`, 1],
    ['action=key.revoke', 1],
    ['address=203.0.113.7', 1],
    ['session_id=ses_000000', 1],
    ['since=hour', 3],
    ['action=nonsense&before=x&since=y', 3],
    ['tenant=a.>', 0],
  ] as const) {
    t.equal(rowsOf(await one.get(`/console/audit?${query}`)), count, query)
  }
  t.match(textOf(await one.get('/console/audit?tenant=none')), /No entries match these filters/)
})

t.test('new entries come to the open page, those of its filter only', async (t) => {
  const one = await signedIn(admin)
  const feed = '/console/audit/feed?tenant=acme'
  const reader = new EventReader(await one.exchange('GET', feed))
  t.teardown(() => reader.close())
  t.match((await reader.next<{ audit: string }>('parts')).audit, /Session requested/)
  await write({ tenant: 'other' })
  await write({ action: 'task.create' })
  const { rows, order } = await reader.next<Rows>('rows')
  t.equal(order.length, 3)
  t.same(Object.keys(rows), [order[0]], 'the new one, on top')
  t.match(Object.values(rows)[0], /Task created/)
})

t.test('older entries are on the next page, each once', async (t) => {
  for (let n = 0; n < 120; n++) await write({ tenant: 'many', detail: { n } })
  const one = await signedIn(admin)
  const seen: string[] = []
  let path: string | undefined = '/console/audit?tenant=many'
  let pages = 0
  while (path !== undefined && pages++ < 10) {
    const page: PageHeard = await one.get(path)
    seen.push(...[...page.html.matchAll(/id="(entry-\d+)"/g)].map(([, id]) => id!))
    const [, next] = /<a href="([^"]*)">Next page<\/a>/.exec(page.html) ?? []
    path = next?.replaceAll('&amp;', '&')
  }
  t.equal(seen.length, 120)
  t.equal(new Set(seen).size, 120)
})

interface Rows {
  readonly order: readonly string[]
  readonly rows: Readonly<Record<string, string>>
}
