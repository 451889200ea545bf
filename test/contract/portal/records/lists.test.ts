/**
 * Goal: the portal shows the records and fields that a grant for it includes, and nothing else;
 * filters and sorting of a list are in its address, and it is paged by the cursors of REST. Method:
 * a real service, plain HTTP, no script.
 */
import t from 'tap'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { grantActor } from '../../../../proto/access/grants/grant.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { changedRecord, createdRecord } from '../../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import { grantTo } from '../../../helpers/access/clients.ts'
import { password } from '../../../helpers/access/people.ts'
import {
  PlainBrowser,
  textOf,
  unescaped,
  type PageHeard,
} from '../../../helpers/access/portal/plain-browser.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const { service, insider, a, deciders, ada } = await openWorld(t)
const records = new RecordStore(insider.store.bucket(buckets.records))
const stages = ['lead', 'customer', 'subscriber']

async function contact(n: number): Promise<string> {
  const id = newRecordId('contacts')
  const fields = {
    ...{ first_name: 'Rosa', last_name: `Nr ${String(n).padStart(2, '0')}`, tags: [] },
    ...{ email: `rosa-${n}@example.com`, lifecycle_stage: stages[n % 3], source: 'fair' },
  }
  const order = { client: a.id, area: 'contacts', id, fields, action: 'create' } as const
  await records.create(createdRecord(order, { by: systemAuthor('test') }, Date.now() - n * 60_000))
  return id
}
const ids: string[] = []
for (let n = 0; n < 30; n++) ids.push(await contact(n))

async function rename(id: string, company_name: string): Promise<void> {
  const { record, revision } = (await records.get(a.id, 'contacts', id))!
  const fields = { ...record.fields, company_name }
  await records.replace(changedRecord(record, fields, { by: ada.author }, Date.now()), revision)
}
for (const name of ['First & Sons', 'Second & Sons']) await rename(ids[3]!, name)

const path = '/portal/records/contacts'
const browser = new PlainBrowser(service.baseUrl, '10.23.0.1')
await until('they are signed in', async () => {
  return (await browser.signIn(a.member.email, password)).status === 200
})

const give = (permission: object) =>
  grantTo(insider.directory, a, deciders, {
    ...{ path: 'portal', subject: { kind: 'person', id: a.member.id } },
    permissions: [{ area: 'contacts', actions: ['read'], ...permission }],
  })

const end = (id: Awaited<ReturnType<typeof give>>['id']) =>
  insider.directory.ask(grantActor, id, { type: 'revoke', by: ada.author, reason: 'over' })

const rowsOf = ({ html }: PageHeard) =>
  [...html.matchAll(/href="\/portal\/records\/contacts\/(con_\w+)/g)].map(([, id]) => id)
const linkOf = ({ html }: PageHeard, label: string) =>
  unescaped(new RegExp(`href="([^"]*)">${label}<`).exec(html)?.[1] ?? '')

t.test('without a grant for the portal nothing is shown, only how to get one', async (t) => {
  const page = await browser.get(path)
  t.equal(page.status, 403)
  t.match(textOf(page), /None of your portal grants allows reading Contacts/)
  t.match(textOf(page), /request access/)
  t.equal((await browser.get('/portal/records/none')).status, 404)
})

t.test('a list is paged by cursors, sorted and filtered by its address', async (t) => {
  const { id: grant } = await give({})
  const first = await until('the gateway knows the grant', async () => {
    const page = await browser.get(path)
    return page.status === 200 && page
  })
  t.same(rowsOf(first), ids.slice(0, 25), 'newest first')
  const second = await browser.get(linkOf(first, 'Next page'))
  t.same(rowsOf(second), ids.slice(25))
  t.equal(linkOf(second, 'Next page'), '')
  t.same(rowsOf(await browser.get(linkOf(second, 'First page'))), ids.slice(0, 25))

  const sorted = await browser.get(linkOf(first, 'Name'))
  t.match(sorted.html, /aria-sort="ascending"/)
  t.same(rowsOf(sorted), ids.slice(0, 25), 'by last name')
  const back = await browser.get(linkOf(sorted, 'Name'))
  t.match(back.html, /aria-sort="descending"/)
  t.same(rowsOf(back), [...ids].reverse().slice(0, 25))

  const narrow = await browser.get(
    `${path}?filter%5Blifecycle_stage%5D=customer&filter%5Bsource%5D=`,
  )
  t.equal(rowsOf(narrow).length, 10)
  t.match(narrow.html, /<option value="customer" selected/)
  const none = await browser.get(`${path}?filter%5Bemail%5D=nobody%40example.com`)
  t.match(textOf(none), /No records match this filter/)
  for (const query of ['sort=no_such', 'filter%5Bno_such%5D=1', 'cursor=forged']) {
    t.equal((await browser.get(`${path}?${query}`)).status, 400, query)
  }
  const one = await browser.get(`${path}/${ids[3]}`)
  t.match(textOf(one), /rosa-3@example\.com/)
  t.match(textOf(one), /Why can I see this\? Need Keep the contacts tidy/)
  t.match(textOf(one), /History Newest first Version When Author Change 3 .*Sam Same/)
  t.match(textOf(one), /Company name: First & Sons → became Second & Sons/)
  t.match(textOf(one), /1 .* Created About this record/)
  await end(grant)
  t.equal(
    (
      await until('it is over', async () => {
        const page = await browser.get(`${path}/${ids[3]}`)
        return page.status !== 200 && page
      })
    ).status,
    403,
  )
})

t.test('a list is saved under a name, found again by its owner, and removed', async (t) => {
  const grant = (await give({})).id
  const query = 'filter%5Blifecycle_stage%5D=customer&sort=last_name'
  const list = await until('the grant is seen', async () => {
    const page = await browser.get(`${path}?${query}&cursor=`)
    return page.status === 200 && page
  })
  const plain = await browser.get(path)
  t.notMatch(textOf(plain), /Save this view/, 'there is nothing to keep')
  const action = `${path}/views?${query}`
  const nameless = await browser.submit(list, action, { name: '' })
  t.equal(nameless.status, 422)
  t.match(textOf(nameless), /There is a problem Name must/)
  t.match(nameless.html, /<option value="customer" selected/, 'the list is as it was')
  const kept = await browser.submit(nameless, action, { name: 'Customers <b>' })
  t.match(textOf(kept), /View saved\. You can open it from above this list/)
  t.equal(rowsOf(kept).length, 10)
  t.notMatch(kept.html, /Customers <b>/)

  const again = await browser.get(path)
  t.match(textOf(again), /Saved views Customers <b>/)
  const [, href = ''] = /href="([^"]*)"><bdi>Customers/.exec(again.html) ?? []
  const found = await browser.get(unescaped(href))
  t.same(rowsOf(found), rowsOf(kept))
  t.match(found.html, /aria-current="page"[^>]*><bdi>Customers/)
  t.notMatch(textOf(found), /Save this view/)
  const other = new PlainBrowser(service.baseUrl, '10.23.0.9')
  await other.signIn(a.owner.email, password)
  t.notMatch((await other.get('/portal/records')).html, /Customers/)

  const id = /views\/(svw_\w+)\/remove/.exec(found.html)![1]
  const gone = await browser.submit(found, `${path}/views/${id}/remove`)
  t.match(textOf(gone), /Saved view removed/)
  t.notMatch(textOf(gone), /Customers <b>/)
  const twice = await browser.submit(found, `${path}/views/${id}/remove`)
  t.equal(twice.status, 404)
  t.match(textOf(twice), /Page not found/)
  await end(grant)
})

t.test('fields and records outside the grant are not shown', async (t) => {
  const where = [{ field: 'lifecycle_stage', equals: ['customer'] }]
  await give({ fields: ['first_name', 'last_name', 'lifecycle_stage'], where })
  const list = await until('the gateway knows the grant', async () => {
    const page = await browser.get(path)
    return page.status === 200 && page
  })
  t.equal(rowsOf(list).length, 10)
  t.notMatch(list.html, /rosa-1@example\.com|filter\[email\]/)
  t.match(textOf(list), /Lifecycle stage is customer/)
  t.notMatch((await browser.get(`${path}/${ids[1]}`)).html, /rosa-1@example\.com/)
  t.equal((await browser.get(`${path}/${ids[0]}`)).status, 404, 'a lead is as if it never was')
})

t.test('several grants are shown side by side, and never combined', async (t) => {
  const { id: wide } = await give({ fields: ['email', 'lifecycle_stage'] })
  const both = await until('the gateway knows the grant', async () => {
    const page = await browser.get(path)
    return /name="grant"/.test(page.html) && page
  })
  const through = await browser.get(`${path}?grant=${wide}`)
  t.equal(rowsOf(through).length, 25)
  t.match(through.html, /rosa-0@example\.com/)
  t.notMatch(through.html, /Rosa Nr/, 'no name through this one')
  t.match(both.html, /<option value="gr_/)
  const lead = await browser.get(`${path}/${ids[0]}`)
  t.match(textOf(lead), /rosa-0@example\.com/, 'what the first does not show, the other may')
  t.notMatch(lead.html, /Nr 00/)
})
