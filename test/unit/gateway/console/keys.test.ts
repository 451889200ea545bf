/**
 * Goal: operators list, make and revoke keys in the console; a key is shown once, to the one who
 * made it; other keys see only themselves. Method: a real gateway over an in-memory store.
 */
import t from 'tap'
import { keyScopeNames } from '../../../../proto/accounts/key-scopes.ts'
import { newId } from '../../../../proto/ids.ts'
import { textOf } from '../../../helpers/access/portal/plain-browser.ts'
import { signedInPlainly } from '../../../helpers/console/plain-visitor.ts'
import { EventReader } from '../../../helpers/console/event-reader.ts'
import { playService, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'

const day = 86_400_000
const admin = keyOf('house', { scopes: keyScopeNames, createdAtMs: 1, name: 'root' })
const narrow = keyOf('house', {
  ...{ name: 'narrow', scopes: ['view', 'admin'], limits: { sessions: 2 } },
  expiresAtMs: Date.now() + 60 * day,
})
const acme = keyOf('acme', { name: '<b>ci</b>', expiresAtMs: Date.now() + 3.5 * day })
const old = keyOf('acme', { name: 'old', revokedAtMs: 1_700_000_000_000 })
const service = await playService({
  keys: [admin, narrow, acme, old].map(({ record }) => record),
  env: { PUBLIC_URL: 'https://browsers.example' },
})
t.teardown(() => service.close())

const signedIn = (text: string) => signedInPlainly(service.gateway.url, text)

t.test('the list is in words, and is searched', async (t) => {
  const one = await signedIn(admin.text)
  const page = await one.get('/console/keys')
  const text = textOf(page)
  t.match(text, /Active 3 Revoked or expired 1 All 4/)
  t.match(page.html, '&lt;b&gt;ci&lt;/b&gt;')
  t.match(
    text,
    /acme Active Expires .*, in 3 days sessions, drive, view, tasks, files, credentials/,
  )
  t.match(text, /root \(your key\)/)
  t.match(text, /view, admin None 2 sessions at once/)
  for (const { text: secret, record } of [admin, acme]) {
    t.notMatch(page.html, secret)
    t.notMatch(page.html, record.secretHash)
  }
  t.match(textOf(await one.get('/console/keys?show=over')), /old .* Revoked Since 14 Nov 2023/)
  const found = textOf(await one.get('/console/keys?search=ACME+ci'))
  t.match(found, /Active 1 Revoked or expired 0 All 1/)
  t.match(textOf(await one.get('/console/keys?search=none')), /No keys match this search/)
})

t.test('other keys see themselves and nothing else', async (t) => {
  const one = await signedIn(acme.text)
  const page = await one.get('/console/keys')
  t.match(textOf(page), /Tenant acme Scopes Create and end sessions/)
  t.match(textOf(page), /sign in with a key that has the scope admin/)
  t.notMatch(page.html, 'root')
  t.equal((await one.get('/console/keys/new')).status, 403)
  t.equal((await one.get('/console/keys/feed')).status, 403)
})

t.test('a key is made, shown once, and works', async (t) => {
  const one = await signedIn(admin.text)
  const form = await one.get('/console/keys/new')
  const fields = {
    name: 'checkout',
    tenant: 'shop',
    scopes: ['view', 'sessions'],
    expires_in: '30',
  }
  const made = await one.submit(form, '/console/keys/new', fields)
  t.equal(made.status, 200)
  t.match(made.headers.get('cache-control'), /no-store/)
  const [key = ''] = /trp_\w{12}_[\w-]{27}/.exec(made.html) ?? []
  t.match(textOf(made), /It is shown only once.*“ ?checkout ?” of tenant shop/)
  const again = await one.submit(form, '/console/keys/new', fields)
  t.equal(again.status, 409)
  t.notMatch(again.html, key, 'sent twice, it is made once and not shown again')
  const record = [...service.keys.entries()]
    .map(([, each]) => each)
    .find(({ name }) => name === 'checkout')
  t.match(record, { tenant: 'shop', scopes: ['sessions', 'view'], limits: {} })
  t.ok(Math.abs(record!.expiresAtMs! - Date.now() - 30 * day) < day)
  t.match(textOf(await (await signedIn(key)).get('/console/keys')), /Name checkout/)
  t.match(textOf(await one.get('/console/keys')), /checkout .* shop Active/)
})

t.test('the form offers no more than the key has, and says what is wrong', async (t) => {
  const one = await signedIn(narrow.text)
  const form = await one.get('/console/keys/new')
  t.notMatch(form.html, 'value="drive"')
  t.notMatch(form.html, 'name="allow_private"')
  t.notMatch(form.html, 'In a year')
  t.match(textOf(form), /At most 2\. .*With your key, .* In 7 days In 30 days/)
  const more = { name: 'more', tenant: 'x', scopes: ['view'], max_sessions: '3' }
  const wrong = await one.submit(form, '/console/keys/new', more)
  t.equal(wrong.status, 403)
  t.match(textOf(wrong), /There is a problem Your key can have at most 2 sessions/)
  t.match(wrong.html, /value="more"/)
  const forged = { ...more, max_sessions: '', scopes: ['drive'] }
  t.equal((await one.submit(wrong, '/console/keys/new', forged)).status, 403)
  const none = { ...more, max_sessions: '', scopes: [] }
  t.equal((await one.submit(wrong, '/console/keys/new', none)).status, 400)
  t.equal([...service.keys.entries()].filter(([, { name }]) => name === 'more').length, 0)
})

t.test(
  'a key is revoked after a question, with its sessions, and the open list follows',
  async (t) => {
    const { id } = acme.record
    const view = { ...playedView(newId('ses')), tenant: 'acme', keyId: id }
    service.views.set(view)
    const one = await signedIn(admin.text)
    const reader = new EventReader(await one.exchange('GET', '/console/keys/feed'))
    t.teardown(() => reader.close())
    t.match((await reader.next<{ keys: string }>('parts')).keys, `key-${id}`)
    const page = await one.get('/console/keys')
    t.match(textOf(page), /Also end its 1 running session/)
    const action = `/console/keys/${id}/revoke`
    const done = await one.submit(page, action, { end_sessions: 'yes' })
    t.match(textOf(done), /Key revoked\. It is no longer accepted\./)
    t.notMatch(done.html, `id="key-${id}"`)
    t.match(service.told.at(-1), { id: view.id, command: { type: 'end' } })
    const { order } = await reader.next<{ order: readonly string[] }>('rows')
    t.notOk(order.includes(`key-${id}`))
    t.match(service.audited.at(-1), {
      action: 'key.revoke',
      detail: { key_id: id, tenant: 'acme' },
    })
    t.equal((await one.post(action, {})).status, 403, 'not without the token of the form')
  },
)
