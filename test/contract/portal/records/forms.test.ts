/**
 * Goal: with a portal grant that includes it, a person adds, changes and deletes records by forms
 * alone, and sees of a record what can be filled in; without it no form is offered or taken. Method:
 * a real service, plain HTTP, no script.
 */
import t from 'tap'
import type { Permission } from '../../../../proto/access/permissions.ts'
import { dataOf } from '../../../helpers/access/asking.ts'
import { grantTo } from '../../../helpers/access/clients.ts'
import {
  hiddenFields,
  textOf,
  type PageHeard,
} from '../../../helpers/access/portal/plain-browser.ts'
import { signedInPlain } from '../../../helpers/access/portal/portal.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const { service, insider, ask, a, b, deciders } = await openWorld(t)
const signedIn = signedInPlain(service.baseUrl, '10.27.0')
const member = await signedIn(a.member.email)
const other = await signedIn(b.member.email)

const give = (person: string, client: typeof a, permissions: readonly Permission[]) =>
  grantTo(insider.directory, client, deciders, {
    ...{ path: 'portal', subject: { kind: 'person', id: person }, permissions },
  })
const all = ['read', 'write', 'delete'] as const
const held = await give(a.member.id, a, [
  { area: 'contacts', actions: all, fields: ['first_name', 'last_name', 'tags', 'phone'] },
  { area: 'tasks', actions: ['read', 'write'] },
  { area: 'opportunities', actions: ['read', 'write'] },
])
await give(b.member.id, b, [{ area: 'contacts', actions: ['read'] }])
const at = (area: string) => `/portal/records/${area}`
await until('the gateway knows the grants', async () => {
  const pages = await Promise.all([member.get(at('contacts')), other.get(at('contacts'))])
  return pages.every(({ status }) => status === 200)
})

const idIn = ({ path }: PageHeard) => path.split('/').at(-1)!.split('?')[0]!
const recordOf = async (area: string, id: string) =>
  dataOf<Record<string, unknown>>(await ask('GET', `/v1/${area}/${id}`, { token: a.all.token }))

t.test('a contact is added, once, with the fields that the grant includes', async (t) => {
  t.match((await member.get(at('contacts'))).html, `${at('contacts')}/new`)
  const action = `${at('contacts')}/new`
  const form = await member.get(action)
  t.match(textOf(form), /First name.*Last name.*Phone.*Tags/)
  t.notMatch(textOf(form), /Job title/)
  const wrong = await member.submit(form, action, { first_name: 'Rosa', phone: '12' })
  t.equal(wrong.status, 422)
  t.match(textOf(wrong), /Phone must be a phone number/)
  t.match(wrong.html, 'value="Rosa"', 'what was written is still there')
  const fields = { first_name: 'Rosa', last_name: '', tags: 'vip, fair' }
  const made = await member.submit(form, action, fields)
  t.match(textOf(made), /Record added.*Rosa/)
  const record = await recordOf('contacts', idIn(made))
  t.match(record, { first_name: 'Rosa', tags: ['vip', 'fair'], created_by: a.member.id })
  t.notOk('last_name' in record)
  const again = await member.submit(form, action, fields)
  t.equal(again.status, 409, 'the same form again makes nothing')
  t.equal((await member.get(at('contacts'))).html.split('Rosa').length, 2)
  await until('the audit says by which grant', async () => {
    const { text } = await ask('GET', `/v1/audit-entries?object=${idIn(made)}`, {
      token: a.owner.token,
    })
    return text.includes(held.id)
  })
})

t.test('an opportunity and a task: money, days, times, people', async (t) => {
  const form = await member.get(`${at('opportunities')}/new`)
  t.match(form.html, /<option value="open" selected/, 'what a new record has is chosen')
  t.match(textOf(form), /The id of a record of contacts: con_…/)
  t.match(textOf(form), /Only programs write these fields: Custom fields/)
  const unclear = { name: 'A shop', amount: '1250' }
  const refused = await member.submit(form, `${at('opportunities')}/new`, unclear)
  t.match(textOf(refused), /Amount must be an amount with its currency: 1250.00 EUR/)
  const made = await member.submit(form, `${at('opportunities')}/new`, {
    ...{ name: 'A shop', amount: '1250.50 eur', probability: '40' },
    ...{ expected_close_on: '2027-03-01', owner_id: a.owner.id, status: 'open' },
  })
  t.match(textOf(made), /Record added/)
  t.match(await recordOf('opportunities', idIn(made)), {
    ...{ amount: { value: 125_050, currency: 'EUR' }, probability: 40 },
    ...{ expected_close_on: '2027-03-01', owner_id: a.owner.id },
  })
  const task = await member.get(`${at('tasks')}/new`)
  const due = { title: 'Call', due_at: '2027-01-05T09:30', priority: 'high' }
  const added = await member.submit(task, `${at('tasks')}/new`, due)
  const edit = await member.get(`${at('tasks')}/${idIn(added)}/edit`)
  t.match(edit.html, 'value="2027-01-05T09:30"', 'a time is shown as it was written')
})

t.test('a record is changed; what another has changed meanwhile is not overwritten', async (t) => {
  const action = `${at('contacts')}/new`
  const made = await member.submit(await member.get(action), action, { first_name: 'Ida' })
  const id = idIn(made)
  const path = `${at('contacts')}/${id}`
  t.match(made.html, `${path}/edit?grant=${held.id}`)
  const edit = await member.get(`${path}/edit?grant=${held.id}`)
  const save = `${path}/edit?grant=${held.id}`
  const saved = await member.submit(edit, save, { first_name: '', last_name: 'Lund' })
  t.match(textOf(saved), /Saved/)
  const record = await recordOf('contacts', id)
  t.match(record, { last_name: 'Lund', version: 2 })
  t.notOk('first_name' in record, 'an emptied field is removed')
  const late = await member.submit(edit, save, { last_name: 'Berg' })
  t.ok(late.status === 409 || late.status === 412, `${late.status}`)
  t.equal((await recordOf('contacts', id))['last_name'], 'Lund')
  const emptied = await member.submit(await member.get(save), save, { last_name: '' })
  t.equal(emptied.status, 422, 'nobody could tell what it is')
  const gone = await member.submit(await member.get(save), `${path}/delete?grant=${held.id}`)
  t.match(textOf(gone), /Record deleted/)
  t.equal((await member.get(path)).status, 404)
})

t.test('each form is that of the grant it was opened by', async (t) => {
  const cleaning = await give(a.member.id, a, [{ area: 'tasks', actions: ['read', 'delete'] }])
  const action = `${at('tasks')}/new`
  const made = await member.submit(await member.get(action), action, { title: 'To be removed' })
  const path = `${at('tasks')}/${idIn(made)}`
  const edit = await until('the gateway knows the grant', async () => {
    const page = await member.get(`${path}/edit?grant=${cleaning.id}`)
    return page.html.includes(`${path}/delete`) && page
  })
  t.notOk(hiddenFields(edit.html, `${path}/edit?grant=${cleaning.id}`), 'it does not write')
  const gone = await member.submit(edit, `${path}/delete?grant=${cleaning.id}`)
  t.match(textOf(gone), /Record deleted/)
})

t.test('who may only read is offered no form, and none is taken', async (t) => {
  t.notMatch((await other.get(at('contacts'))).html, `${at('contacts')}/new`)
  t.equal((await other.get(`${at('contacts')}/new`)).status, 403)
  const hidden = hiddenFields(
    (await member.get(`${at('contacts')}/new`)).html,
    `${at('contacts')}/new`,
  )
  const sent = await other.post(`${at('contacts')}/new`, { ...hidden, first_name: 'Eve' })
  t.ok(sent.status === 403, `${sent.status}`)
  const mine = await member.submit(await member.get(`${at('tasks')}/new`), `${at('tasks')}/new`, {
    title: 'Ours',
  })
  const edit = await member.get(`${at('tasks')}/${idIn(mine)}/edit`)
  t.notMatch(edit.html, 'Delete the record', 'nor one for what the grant leaves out')
  t.equal((await member.get('/portal/records/reports/new')).status, 403)
  t.equal((await other.get(`${at('contacts')}/con_00000000000000000000000000/edit`)).status, 403)
})
