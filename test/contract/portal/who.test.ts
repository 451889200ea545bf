/**
 * Goal: who has which access can be told apart and is seen in one place: lines of a list differ by
 * whom the access is for, to what and until when; a page tells staff and a client's owner each
 * person's and program's roles and access, and who decides. Method: a real service, plain HTTP.
 */
import t from 'tap'
import { newAccessId } from '../../../proto/access/ids.ts'
import { grantActor } from '../../../proto/access/grants/grant.ts'
import { grantTo, type GrantWish } from '../../helpers/access/clients.ts'
import { textOf, type PageHeard } from '../../helpers/access/portal/plain-browser.ts'
import { signedInPlain } from '../../helpers/access/portal/portal.ts'
import { webhookGrant, loopbackWebhooks, makeEndpoint } from '../../helpers/access/webhooks.ts'
import { patient } from '../../helpers/access/asking.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openWorld(t, loopbackWebhooks)
const { service, a, b, ada, grace, deciders, insider, staff } = world
const { directory } = insider
const ask = patient(world.ask)
const signedIn = signedInPlain(service.baseUrl, '10.27.0')
const owner = await signedIn(a.owner.email)
const member = await signedIn(a.member.email)
const admin = await signedIn(ada.email)
const twoRoles = await staff('reviewer', 'change_manager')

const give = (wish: GrantWish) => grantTo(directory, a, deciders, wish)
const ofMember = await give({
  ...{ path: 'portal', subject: { kind: 'person', id: a.member.id } },
  permissions: [{ area: 'tasks', actions: ['read'] }],
})
const ofStaff = await give({
  subject: { kind: 'person', id: twoRoles.id },
  permissions: [
    { area: 'contacts', actions: ['read', 'write'] },
    { area: 'tasks', actions: ['read', 'write'] },
    { area: 'reports', actions: ['read'] },
  ],
})
const suspended = await give({ permissions: [{ area: 'onboarding', actions: ['read'] }] })
const by = { by: deciders.second, reason: 'It is not needed at the moment.' }
await directory.ask(grantActor, suspended.id, { type: 'suspend', ...by })

const whoAt = (base: string, client: string) => `/${base}/clients/${client}/who`
const need = 'Keep the contacts tidy'

/** The rows of a page's table with this text in its caption. */
const rowsOf = ({ html }: PageHeard): readonly string[] =>
  html.split('<tbody').at(-1)?.split('<tr').slice(1) ?? []
const wordsOf = (html: string) => textOf({ html: `<${html}` }).trim()
const titlesOf = (page: PageHeard, at: string) =>
  rowsOf(page).flatMap(
    (row) => new RegExp(`<a href="${at}[^>]*>(.*?)</a>`, 's').exec(row)?.[1] ?? [],
  )
const rolesIn = (row = '') => [...row.matchAll(/class="role">([^<]+)</g)].map(([, role]) => role)

await until('the gateway knows the last grant', async () => {
  const page = await owner.get(`/portal/access/${suspended.id}`)
  return page.status === 200 && /Suspended/.test(textOf(page))
})

t.test('lines of grants and requests differ, and have the need below', async (t) => {
  for (const [list, at] of [
    ['/portal/grants?status=active', '/portal/access/'],
    ['/portal/requests', '/portal/requests/'],
  ] as const) {
    const page = await owner.get(list)
    const titles = titlesOf(page, at).map(wordsOf)
    t.ok(titles.length >= 5, list)
    t.ok(
      titles.some((title) =>
        /^\W*newsletter \(program\): Contacts \(read\), until \d+ \w+ 20\d\d$/.test(title),
      ),
    )
    t.ok(titles.some((title) => /^\W*Sam Same: Tasks \(read\), until/.test(title)))
    t.ok(
      titles.some((title) =>
        /Staff: Contacts, Tasks \(read, write\), Reports \(read\), until/.test(title),
      ),
    )
    t.ok(
      titles.some((title) => /Contacts, .* and 12 more areas, until/.test(title)),
      'many areas',
    )
    t.notOk(
      titles.some((title) => title.includes(need)),
      'the need is not the title',
    )
    for (const row of rowsOf(page)) t.match(wordsOf(row), new RegExp(`(API|Portal) · ${need}`))
  }
  const grants = await owner.get('/portal/grants?status=active')
  const titles = titlesOf(grants, '/portal/access/').map(wordsOf)
  t.equal(new Set(titles).size, titles.length, 'no two are the same')
})

t.test('endpoints with the same URL differ by their grant', async (t) => {
  for (const [area, event] of [
    ['contacts', 'contact.*'],
    ['tasks', 'task.*'],
  ] as const) {
    const grant = await webhookGrant(world, a, [{ area, actions: ['read'] }])
    const body = { grant_id: grant.id, url: 'http://127.0.0.1:9/hook', events: [event] }
    await makeEndpoint(ask, a.owner, body)
  }
  for (const [one, list] of [
    [owner, '/portal/webhooks'],
    [admin, '/staff/webhooks'],
  ] as const) {
    const page = await until('both are there', async () => {
      const heard = await one.get(list)
      return rowsOf(heard).length === 2 && heard
    })
    const lines = rowsOf(page).map(wordsOf)
    for (const label of ['Contacts', 'Tasks']) {
      t.ok(lines.some((line) => line.includes(`newsletter (program): ${label} (read), until`)))
    }
  }
})

t.test(
  'an owner sees each member and program, their roles and access, and staff as one',
  async (t) => {
    const members = await owner.get('/portal/members')
    t.match(members.html, `href="${whoAt('portal', a.id)}"`, 'members lead there')
    const page = await owner.get(whoAt('portal', a.id))
    t.equal(page.status, 200)
    const rows = rowsOf(page)
    const rowWith = (text: string) => rows.find((row) => row.includes(text))
    t.same(rolesIn(rowWith(a.owner.id)), ['Owner'])
    t.same(rolesIn(rowWith(a.member.id)), ['Member'])
    t.match(
      wordsOf(rowWith(a.member.id) ?? ''),
      /Tasks \(read\) Portal, until .* Keep the contacts/,
    )
    t.match(rowWith(a.member.id), ofMember.id)
    const staffRow = rowWith(ofStaff.id)
    t.match(wordsOf(staffRow ?? ''), /Contacts, Tasks \(read, write\), Reports \(read\) API, until/)
    t.match(rolesIn(staffRow), ['Admin', 'Reviewer', 'Operator', 'Change manager', 'Auditor'])
    const text = textOf(page)
    for (const name of ['Ada', 'Grace', ada.email, grace.id])
      t.notOk(page.html.includes(name), name)
    t.match(text, /Staff reviewers Staff Review every request/)
    t.match(text, /Owners of the client Sam Same \(you\) Consent to/)
    const program = wordsOf(rowWith('newsletter (program)') ?? '')
    t.match(program, /Has no role/)
    t.match(program, /Contacts \(read\) API, until/)
    t.notMatch(program, /Onboarding \(read\)/, 'what is suspended is no access now')
    t.notOk(page.html.includes(a.ended.id), 'nor is what has ended')
  },
)

t.test('staff see the names, and each role of a person as a mark with its words', async (t) => {
  const client = await admin.get(`/staff/clients/${a.id}`)
  t.match(client.html, `href="${whoAt('staff', a.id)}"`, 'the client leads there')
  const members = await admin.get(`/staff/members?client=${a.id}`)
  t.match(members.html, `href="${whoAt('staff', a.id)}"`)
  const page = await admin.get(whoAt('staff', a.id))
  const row = rowsOf(page).find((one) => one.includes(twoRoles.id))
  t.same(rolesIn(row), ['Reviewer', 'Change manager'])
  t.match(
    wordsOf(row ?? ''),
    /Reviewer Reviews access requests.* Change manager Reviews and schedules/,
  )
  const deciders = textOf(page)
  t.match(deciders, /Staff reviewers Ada \(you\), Grace, Sam Same Review every request/)
  t.match(deciders, /Change managers Ada \(you\), Grace, Sam Same Review every change/)
  t.match(row, ofStaff.id, 'with their access')
  t.notOk(page.html.includes(b.owner.id), 'nobody of another client')
})

t.test(
  'another client is answered like one that does not exist, and members are refused',
  async (t) => {
    const unknown = newAccessId('client')
    const [foreign, none] = [
      await owner.get(whoAt('portal', b.id)),
      await owner.get(whoAt('portal', unknown)),
    ]
    t.same([foreign.status, none.status], [404, 404])
    const bare = ({ html }: PageHeard) =>
      html
        .replaceAll(b.id, '')
        .replaceAll(unknown, '')
        .replaceAll(/req_\w+/g, '')

    t.equal(bare(foreign), bare(none))
    t.equal((await admin.get(whoAt('staff', unknown))).status, 404)
    t.equal((await member.get(whoAt('portal', a.id))).status, 403)
    t.notMatch((await member.get('/portal/members')).html, /\/who"/)
  },
)
