/**
 * Goal: a change asks for what was typed: with templates, records that staff cannot see, lists and
 * objects; lists of changes are filtered and sorted by their address; and people's texts stay text.
 * Method: a real service, plain HTTP, no script.
 */
import t from 'tap'
import { dataOf } from '../../helpers/access/asking.ts'
import { textOf, unescaped, type PageHeard } from '../../helpers/access/portal/plain-browser.ts'
import {
  idIn,
  linkTo,
  monitorFields,
  openPortalChanges,
  plans,
  soon,
} from '../../helpers/access/portal/changes.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openPortalChanges(t, '10.26.0')
const { a, b, ada, ask, operating, recordOf, monitorOf, show, drafted, proposed } = world
const { member, stranger, operator } = world

t.test('a template shows the fields that may be written, and needs no review', async (t) => {
  const target = await monitorOf('Shop')
  const list = await member.get('/portal/changes/templates')
  t.match(textOf(list), /Change how often a monitor checks its target/)
  t.match(textOf(list), /Carry out a run of a workflow action/, 'it comes with its run')
  t.notMatch(list.html, /template=workflow-run/)
  t.notMatch((await member.get('/portal/changes/new')).html, /template=workflow-run/)
  const which = await member.get(linkTo(list, 'template=monitor-interval'))
  t.match(textOf(which), /Lists the records that your portal grants show/)
  const path = `/portal/changes/new?template=monitor-interval&record=${target}`
  const form = await member.get(path)
  t.notMatch(form.html, /name="patch\.target"/)
  const common = { title: 'Ask the shop more often', need_id: a.need, impact: '', test_plan: '' }
  const outside = await member.submit(form, '/portal/changes/new', {
    ...{ ...common, rollback_plan: '', 'patch.interval_s': '40' },
  })
  t.equal(outside.status, 422)
  t.match(textOf(outside), /must be within the template; otherwise propose a normal change/)
  const draft = await member.submit(outside, '/portal/changes/new', {
    ...{ ...common, rollback_plan: '', 'patch.interval_s': '120' },
  })
  const ready = await member.submit(draft, `/portal/changes/${idIn(draft)}/propose`)
  t.match(textOf(ready), /matches its template, so it is already approved/)
  t.match(textOf(ready), /Only an operator or a change manager of the provider/)
})

t.test('staff change records that they cannot see, by typed values alone', async (t) => {
  const target = await monitorOf('Shop')
  const start = await operator.get('/staff/changes/new')
  t.match(textOf(start), /A change is made for one client/)
  const kinds = await operator.get(`/staff/changes/new?client=${a.id}`)
  t.match(textOf(kinds), /Technical records/)
  const which = await operator.get(linkTo(kinds, 'area=monitoring'))
  t.match(textOf(which), /A record that is not listed/)
  const query = `client=${a.id}&kind=monitoring&area=monitoring`
  const form = await operator.get(`/staff/changes/new?${query}&record=other&other=${target}`)
  t.match(textOf(form), /None of your portal grants shows this record/)
  const untouched = Object.fromEntries(Object.keys(monitorFields).map((name) => [name, '']))
  const draft = await operator.submit(form, '/staff/changes/new', {
    ...{ title: 'Ask the shop less often', need_id: a.need, ...plans, ...untouched },
    ...{ version: '1', 'patch.interval_s': '600', implementer_id: operating.id },
  })
  t.match(textOf(draft), /Current values are hidden/)
  const id = idIn(draft)
  const { patch } = dataOf<{ patch: object }>(
    await ask('GET', `/v1/changes/${id}`, { token: ada.token }),
  )
  t.same(patch, { interval_s: 600 })
  const page = await operator.submit(draft, `/staff/changes/${id}/propose`)
  t.match(textOf(page), /You proposed this change/)
})

t.test(
  'lists and objects are rows and groups of the form, and a value that is removed is null',
  async (t) => {
    await show('domains')
    const id = await recordOf('domains', {
      ...{ hostname: 'shop.example', registrar: 'Gandi', nameservers: [], auto_renew: false },
      dns_records: [{ type: 'A', name: 'www', value: '192.0.2.1' }],
      ...{ status: 'active', expires_on: '2027-01-01' },
    })
    const form = await until('the record is seen', async () => {
      const page = await member.get(`/portal/changes/new?kind=domain&record=${id}`)
      return page.html.includes('value="192.0.2.1"') && page
    })
    const draft = await member.submit(form, '/portal/changes/new', {
      ...{ title: 'Point the shop elsewhere', need_id: a.need, ...plans },
      ...{ 'patch.hostname': 'shop.example', 'patch.registrar': '', 'patch.auto_renew': 'true' },
      ...{ 'patch.nameservers': 'ns1.example\nns2.example', 'patch.expires_on': '2027-01-01' },
      ...{ 'patch.verification.method': 'dns', 'patch.verification.token': 'abc' },
      ...{ 'patch.status': 'active', 'patch.verification.verified_at': '' },
      ...{ 'patch.dns_records.0.type': 'A', 'patch.dns_records.0.name': 'www' },
      ...{ 'patch.dns_records.0.value': '192.0.2.7', 'patch.dns_records.0.ttl_s': '300' },
      ...{ 'patch.dns_records.1.type': '', 'patch.dns_records.1.name': '' },
      ...{ 'patch.dns_records.1.value': '', 'patch.dns_records.1.ttl_s': '' },
    })
    t.match(textOf(draft), /Saved as a draft/)
    const { patch } = dataOf<{ patch: object }>(
      await ask('GET', `/v1/changes/${idIn(draft)}`, { token: a.owner.token }),
    )
    t.same(patch, {
      ...{ registrar: null, auto_renew: true, nameservers: ['ns1.example', 'ns2.example'] },
      verification: { method: 'dns', token: 'abc' },
      dns_records: [{ type: 'A', name: 'www', value: '192.0.2.7', ttl_s: 300 }],
    })
  },
)

t.test('a table is sorted and filtered by its address, and is paged', async (t) => {
  const target = await monitorOf('Shop')
  const titles = ['Ask the shop at noon', 'Ask the shop by night', 'Ask the shop on Sunday']
  for (const [n, title] of titles.entries()) {
    await drafted(target, { title, risk: ['low', 'high', 'medium'][n]! })
  }
  const path = `/portal/changes/table?target=${target}`
  const rows = (page: PageHeard) =>
    [...textOf(page).matchAll(/Ask the shop (at|by|on) /g)].map(([, word]) => word)
  t.same(rows(await member.get(`${path}&sort=title`)), ['at', 'by', 'on'])
  t.same(rows(await member.get(`${path}&sort=-risk`)), ['by', 'on', 'at'])
  t.same(rows(await member.get(`${path}&risk=high`)), ['by'])
  t.same(rows(await member.get(`${path}&state=draft&kind=monitoring&area=monitoring`)).length, 3)
  t.match(textOf(await member.get(`${path}&state=done`)), /No changes match this filter/)
  t.same(rows(await member.get(`${path}&sort=__proto__`)).length, 3)
  const staffTable = await operator.get(`/staff/changes/table?client=${b.id}`)
  t.match(textOf(staffTable), /No changes match this filter/)
  for (let n = 0; n < 25; n++) {
    const body = {
      ...{ kind: 'other', need_id: b.need, title: `Look after number ${n}`, ...plans },
    }
    dataOf(await ask('POST', '/v1/changes', { token: b.owner.token, body }))
  }
  const body = { kind: 'other', need_id: b.need, title: 'Look after the last one', ...plans }
  dataOf(await ask('POST', '/v1/changes', { token: b.owner.token, body }))
  const first = await stranger.get('/portal/changes/table?sort=-updated')
  const second = await stranger.get(linkTo(first, 'cursor='))
  t.match(textOf(second), /Look after number 0/)
  t.notMatch(textOf(first), /Look after number 0 /)
  const board = await stranger.get('/portal/changes')
  t.match(textOf(board), /18 more/, 'a column shows some, and the rest is in the table')
})

t.test('people’s texts are shown as text everywhere', async (t) => {
  const hostile = '<img src=x onerror=alert(1)><script>alert(1)</script>'
  const target = await monitorOf('Shop')
  const id = await proposed(target, {
    ...{ title: hostile, description: hostile, impact: hostile, 'patch.name': hostile, ...soon() },
  })
  const pages = ['', '/table', `/calendar?target=${target}`, `/${id}`]
  for (const path of pages) {
    const { html } = await member.get(`/portal/changes${path}`)
    t.notMatch(html, '<img src=x', path)
    t.notMatch(html, '<script>alert', path)
    t.match(unescaped(html), hostile, path)
  }
})
