/**
 * Goal: an agency of two carries an engagement from the invitation to the final report with their
 * client’s owner, by the portal’s forms alone. Method: a real service, plain HTTP, no script; each
 * step begins with what the pages of the next person show. The operator of the host works twice:
 * they invite the first two people, and confirm who the client’s owner is.
 */
import t from 'tap'
import { password } from '../../helpers/access/people.ts'
import { monitorFields, plans, soon } from '../../helpers/access/portal/changes.ts'
import { takePicture } from '../../helpers/access/portal/pictures.ts'
import { PlainBrowser, textOf, type PageHeard } from '../../helpers/access/portal/plain-browser.ts'
import { until } from '../../helpers/lib/until.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { startService } from '../../helpers/service/service.ts'

t.setTimeout(180_000)

const service = await startService({
  env: { PUBLIC_URL: 'https://access.example', ACCESS_SEPARATION: 'auto' },
})
t.teardown(() => service.stop())

const [ada, grace, mina] = ['ada', 'grace', 'mina'].map(
  (_, at) => new PlainBrowser(service.baseUrl, `10.29.0.${at + 1}`),
) as [PlainBrowser, PlainBrowser, PlainBrowser]
const reason = 'It is what was agreed on.'
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const idIn = ({ path }: PageHeard, prefix: string): string => {
  const [id] = new RegExp(`${prefix}_[0-9a-z]{26}`).exec(path) ?? []
  if (id === undefined) throw new Error(`no ${prefix}_… in ${path}`)
  return id
}

/** As the operator, on the host. */
async function onHost(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runTroupe(['access', ...args], {
    DATA_DIR: service.dataDir,
  })
  if (code !== 0) throw new Error(stderr)
  return stdout
}

/** The page once it says this: the gateway hears of other people’s decisions a moment later. */
const shows = (one: PlainBrowser, path: string, text: RegExp) =>
  until(
    `${path} shows ${text}`,
    async () => {
      const page = await one.get(path)
      return text.test(textOf(page)) && page
    },
    20_000,
  )

async function accept(one: PlainBrowser, text: string): Promise<PageHeard> {
  const [invitation = ''] = /spai_\w+/.exec(text) ?? []
  const form = await one.get('/portal/invitation')
  return until('the invitation is known', async () => {
    const page = await one.submit(form, '/portal/invitation', { invitation, password })
    return page.status === 200 && page
  })
}

let client = ''
let owner = ''
let need = ''
let grant = ''

t.test('the operator invites both, and they set their passwords', async (t) => {
  const printed = await onHost(
    'bootstrap',
    'Ada Lovelace <ada@agency.example>',
    'grace@agency.example',
  )
  for (const [one, email] of [
    [ada, 'ada@'],
    [grace, 'grace@'],
  ] as const) {
    const line = printed.split('\n').find((each) => each.startsWith(email)) ?? ''
    t.equal((await accept(one, line)).path, '/staff')
  }
  const staff = await shows(ada, '/staff/people', /grace .*Active/)
  t.match(textOf(staff), /Ada Lovelace/)
})

t.test('Ada adds the client, and proposes what is contracted', async (t) => {
  const clients = await ada.follow(await ada.get('/staff'), 'Clients')
  const form = await ada.follow(clients, 'Add a client')
  const made = await ada.submit(form, '/staff/clients/new', {
    ...{ name: 'Blue Heron', slug: 'blue-heron', timezone: 'UTC' },
    ...{ contact_name: 'Mina', contact_email: 'mina@heron.example' },
  })
  client = idIn(made, 'cli')
  const terms = await ada.follow(made, 'Add a service scope')
  const draft = await ada.submit(terms, '/staff/scopes/new', {
    ...{ client_id: client, name: 'Retainer', paths: ['portal', 'reports'] },
    ...{ effective_from: inDays(-1), effective_to: inDays(300) },
    area: ['contacts:read', 'monitoring:read', 'tasks:read', 'reports:read', 'reports:export'],
  })
  const scope = idIn(draft, 'scp')
  const proposed = await ada.submit(draft, `/staff/scopes/${scope}/submit`)
  t.match(textOf(proposed), /Another admin must confirm this/)
})

t.test('Grace confirms the scope, and activates the client', async (t) => {
  await shows(grace, '/staff', /Service scopes 1 waiting/)
  const list = await grace.get('/staff/scopes')
  const scope = await grace.follow(list, 'Retainer')
  const confirmed = await grace.submit(scope, `${scope.path}/confirm`)
  t.match(textOf(confirmed), /Confirmed\. The terms are now in force/)
  const page = await grace.get(`/staff/clients/${client}`)
  const active = await grace.submit(page, `/staff/clients/${client}/activate`)
  t.match(textOf(active), /The client is now active/)
})

t.test('Ada invites the owner; Grace confirms it, and the operator says who she is', async (t) => {
  const members = await ada.follow(await ada.get(`/staff/clients/${client}`), 'Members')
  const form = await ada.follow(members, 'Invite a person')
  const invited = await ada.submit(form, '/staff/members/new', {
    ...{ client_id: client, name: 'Mina', email: 'mina@heron.example', roles: ['owner'] },
  })
  t.match(textOf(invited), /take effect when a second person confirms them/)
  t.equal((await accept(mina, textOf(invited))).path, '/portal')
  t.notMatch((await mina.get('/portal')).html, 'href="/portal/reviews"', 'she decides nothing yet')

  const start = await shows(grace, '/staff', /Rights that wait for a second person/)
  const person = await grace.follow(start, 'Mina')
  owner = idIn(person, 'usr')
  const confirmed = await grace.submit(person, `/staff/members/${owner}/confirm`)
  t.match(textOf(confirmed), /Confirmed\. It is in effect/)
  t.match(textOf(confirmed), /Not independent .*Invited by Ada Lovelace, confirmed by grace/)
  await onHost('confirm', 'mina@heron.example', '--on-host')
  const page = await until('the gateway knows', async () => {
    const page = await grace.get(`/staff/members/${owner}`)
    return !/Not independent/.test(textOf(page)) && page
  })
  t.match(textOf(page), /Roles Owner/)
})

t.test('Mina opens the need', async (t) => {
  const needs = await mina.follow(await mina.get('/portal'), 'Needs')
  const form = await mina.follow(needs, 'Open a need')
  const opened = await mina.submit(form, '/portal/needs/new', {
    ...{ title: 'Keep the shop running', purpose: 'Somebody has to watch the shop at night.' },
    ...{ category: 'delivery', reference_kind: 'contract', reference: 'GC-2041' },
    ...{ owner_id: owner, expected_end_at: inDays(90) },
  })
  t.match(textOf(opened), /Need opened/)
  need = idIn(opened, 'nd')
})

/** Through the four steps of asking, to the request as the reviewers will see it. */
async function asked(one: PlainBrowser, area: readonly string[]) {
  const base = one === mina ? '/portal' : '/staff'
  let page = await one.follow(await one.get(base), 'Request access')
  if (one !== mina) page = await one.submitGet(page, '/staff/ask', { client })
  const [, who = ''] = /<option value="(usr_\w+)"[^>]*>[^<]*\(you\)/.exec(page.html) ?? []
  const areas = await one.submitGet(page, `${base}/ask/areas`, { need, who, program: '' })
  const time = await one.submitGet(areas, `${base}/ask/time`, { path: 'portal', area })
  const fields = { ends_at: inDays(20), justification: 'To watch the shop and report on it.', area }
  const draft = await one.submit(time, `${base}/ask/time`, fields)
  const sent = await one.submit(draft, `${draft.path.split('?')[0]}/submit`)
  return { page: sent, id: idIn(sent, 'acr') }
}

/** Whose access it is, to what, and until when. */
const accessTitle = /^[\w ]+?( \(you\))?: .*, until \d+ /

/** The only request that waits for this person. */
async function approves(one: PlainBrowser, id: string): Promise<string> {
  const base = one === mina ? '/portal' : '/staff'
  const start = await shows(one, base, /Reviews 1 waiting/)
  const page = await one.follow(await one.follow(start, 'Reviews 1 waiting'), accessTitle)
  const fields = { decision: 'approve', reason }
  return textOf(await one.submit(page, `${base}/requests/${id}/reviews`, fields))
}

const reporting = ['tasks:read', 'reports:read']

t.test('Ada asks for personal data; Grace and Mina approve it, and Ada sees records', async (t) => {
  await shows(ada, '/staff/needs', /Keep the shop running/)
  const { page, id } = await asked(ada, ['contacts:read', 'monitoring:read', ...reporting])
  t.match(textOf(page), /Can approve it .*Staff reviewer: grace.*Owner of the client: Mina/)
  await takePicture(ada, page.path, 'who-can-approve', 'Approval required')
  t.match(textOf(page), /You requested this access .* so another person must review it/)
  t.match(await approves(grace, id), /Your review is recorded/)
  t.match(await approves(mina, id), /Access granted/)
  const held = await ada.follow(
    await shows(ada, '/staff/access', /Contacts, Tasks, .*, until .* Active/),
    accessTitle,
  )
  grant = idIn(held, 'gr')
  t.match(textOf(held), /Active .*Reviewed by 1 staff reviewer and 1 owner of the client/)
  t.equal((await ada.get('/staff/records/contacts')).status, 200)
  t.equal((await grace.get('/staff/records/contacts')).status, 403, 'a role alone shows none')
})

t.test('Ada proposes a change, Grace approves it, and Ada carries it out', async (t) => {
  const list = await ada.follow(await ada.get('/staff'), 'Changes')
  const which = await ada.follow(await ada.follow(list, 'Request a change'), 'Monitoring')
  const form = await ada.submitGet(which, '/staff/changes/new', { record: 'new' })
  const draft = await ada.submit(form, '/staff/changes/new', {
    ...{ title: 'Watch the shop at night', need_id: need, ...plans, ...monitorFields },
  })
  const path = `/staff/changes/${idIn(draft, 'chg')}`
  const proposed = await ada.submit(draft, `${path}/propose`)
  t.match(textOf(proposed), /Change manager: grace/)
  t.match(textOf(proposed), /Can implement it Ada Lovelace/)

  const board = await shows(grace, '/staff/changes', /Your turn: Review the change/)
  await takePicture(grace, board.path, 'your-turn')
  const review = await grace.follow(board, 'Watch the shop at night')
  const yes = await grace.submit(review, `${path}/reviews`, { decision: 'approve', reason })
  t.match(textOf(yes), /Change approved/)

  const mine = await shows(ada, '/staff/changes', /Your turn: Schedule/)
  const next = await ada.follow(mine, 'Watch the shop at night')
  const begun = await ada.submit(
    await ada.submit(next, `${path}/schedule`, soon()),
    `${path}/start`,
  )
  const done = await ada.submit(begun, `${path}/complete`, { evidence: 'It checks.', notes: '' })
  t.match(textOf(done), /Change done/)
  const records = await shows(ada, '/staff/records/monitoring', /Shop/)
  t.match(textOf(await ada.follow(records, 'Shop')), /Watch the shop at night/)
})

t.test('Ada makes a report; Grace, who may read the same, publishes it', async (t) => {
  const { page, id } = await asked(grace, reporting)
  t.match(textOf(page), /Can approve it .*Staff reviewer: Ada Lovelace/)
  t.match(await approves(ada, id), /Access granted/, 'reading takes one approval')
  const reports = await ada.follow(await ada.get('/staff'), 'Reports')
  const chooser = await ada.follow(reports, 'Create a report')
  const chosen = { client, kind: 'work_summary' }
  const form = await ada.submitGet(chooser, '/staff/reports/new', chosen)
  const draft = await ada.submit(form, '/staff/reports/new', {
    ...{ from: inDays(-1), to: inDays(0), areas: ['tasks'], title: 'The shop at night' },
  })
  t.match(textOf(draft), /someone else must publish it/)
  const list = await shows(grace, '/staff/reports', /The shop at night/)
  const read = await grace.follow(list, 'The shop at night')
  const published = await grace.submit(read, `${read.path}/publish`)
  t.match(textOf(published), /Report published/)
})

t.test('Mina asks for reports and their files, both approve it, and she reads it', async (t) => {
  const { id } = await asked(mina, [...reporting, 'reports:export'])
  t.match(await approves(ada, id), /Your review is recorded/)
  t.match(await approves(grace, id), /Access granted/)
  const list = await shows(mina, '/portal/reports', /The shop at night/)
  const page = await mina.follow(list, 'The shop at night')
  t.match(textOf(page), /Published/)
  await takePicture(mina, page.path, 'final-report')
  const content = textOf(await mina.follow(page, 'Read the report'))
  t.match(content, /The shop at night/)
  t.match(content, /Changes done .*Watch the shop at night Monitoring Medium/)
  const file = await mina.follow(page, 'CSV')
  t.equal(file.status, 200)
  t.match(file.html, /Watch the shop at night/)
})

t.test('Mina ends Ada’s access, and Grace offboards the client: nothing is left', async (t) => {
  const grants = await mina.follow(await mina.get('/portal'), 'Grants')
  t.match(grants.html, grant)
  const path = `/portal/access/${grant}`
  const revoked = await mina.submit(await mina.get(path), `${path}/revoke`, { reason })
  t.match(textOf(revoked), /Access revoked/)
  await shows(ada, '/staff/access', /You have no access/)
  t.equal((await ada.get('/staff/records/contacts')).status, 403)

  const clients = await grace.follow(await grace.get('/staff'), 'Clients')
  const page = await grace.follow(clients, 'Blue Heron')
  const left = await grace.submit(page, `${page.path}/offboard`, { reason })
  t.match(textOf(left), /Offboarding started/)
  t.match(textOf(await shows(mina, '/portal', /The engagement is ending/)), /none can be granted/)
  const closed = await grace.submit(left, `${page.path}/close`, { reason })
  t.match(textOf(closed), /All access that depended on it has ended/)

  const start = await shows(mina, '/portal', /The engagement has ended/)
  t.notMatch(start.html, /class="button main" href="\/portal\/ask"/, 'what would be refused')
  const ask = await mina.follow(start, 'Request access')
  t.match(textOf(ask), /The engagement has ended/)
  t.notMatch(ask.html, 'action="/portal/ask/areas"')
  const ended = await shows(grace, '/staff/grants?status=active', /No grants/)
  t.notMatch(ended.html, grant)
  await shows(grace, '/staff/needs?status=closed', /Blue Heron/)
  await shows(grace, '/staff/scopes?status=retired', /Blue Heron/)
  const audit = await mina.follow(start, 'Audit')
  t.match(textOf(audit), /Client: closed .* Client: offboarded .* Grant: revoked/)
})
