// Goal: the demo is one to show: a board with work in each state, a report of each kind, and something
// that waits for each role that decides, by the people who may; a second run adds nothing, and keeps
// what was decided in between. Method: the real command against a fresh service, and its people, with
// the passwords that it prints, over REST.
import t from 'tap'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { startService } from '../../helpers/service/service.ts'

const service = await startService()
t.teardown(() => service.stop())

interface Told {
  readonly id: string
  readonly version: number
  readonly status: string
  readonly title: string
  readonly kind: string
  readonly digest: string
  readonly need_id: string
  readonly proposed_by: { readonly id: string }
  readonly published_by: string
  readonly sections: readonly object[]
  readonly reviews: readonly { readonly reviewer_id: string }[]
  readonly implementer: { readonly id: string } | null
  readonly shown: { readonly need: { readonly title: string } }
  readonly open_slots: readonly {
    readonly role: string
    readonly can: readonly { readonly name: string }[]
  }[]
}

async function send<T>(
  path: string,
  token: string | undefined,
  more: RequestInit = {},
): Promise<T> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(more.headers as Readonly<Record<string, string>>),
  }
  const response = await fetch(service.baseUrl + path, { ...more, headers })
  const body = (await response.json()) as { data: T }
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(body)}`)
  return body.data
}

const demo = () =>
  runTroupe(['access', 'demo'], { DATA_DIR: service.dataDir, SVC_BASE: service.baseUrl })
const first = await demo()
if (first.code !== 0) throw new Error(first.stderr)

async function signIn(email: string, printed: string): Promise<string> {
  const [, password] = new RegExp(`${email} .*password (\\S+)`).exec(printed) ?? []
  const body = JSON.stringify({ email, password })
  return (await send<{ token: string }>('/v1/sign-in', undefined, { method: 'POST', body })).token
}

/** The token of each person, with the passwords that a run has set. */
const signInAll = async (printed: string) => ({
  ada: await signIn('ada@troupe.example', printed),
  grace: await signIn('grace@troupe.example', printed),
  mina: await signIn('mina@goldencrust.example', printed),
  theo: await signIn('theo@goldencrust.example', printed),
})
let people = await signInAll(first.stderr)

const list = (path: string, token = people.grace) =>
  send<readonly Told[]>(`${path}?limit=100`, token)
const decide = (token: string, path: string, version: number, body?: object) =>
  send<Told>(path, token, {
    ...{ method: 'POST', ...(body && { body: JSON.stringify(body) }) },
    headers: { 'if-match': `"${version}"` },
  })

/** Who can still decide, as `role: names`. */
const waits = ({ open_slots: slots }: Told) =>
  slots.map(({ role, can }) => `${role}: ${can.map(({ name }) => name).join(', ')}`)

t.test(
  'the board has work in each state, proposed, approved and done by different people',
  async (t) => {
    const changes = await list('/v1/changes')
    t.same(changes.map(({ status }) => status).sort(), [
      ...['approved', 'done', 'done', 'draft', 'in_progress', 'proposed', 'reviewed', 'scheduled'],
    ])
    t.equal(
      new Set(changes.map(({ title }) => title)).size,
      changes.length,
      'no title is there twice',
    )
    const ofStatus = (status: string) => changes.filter((one) => one.status === status)
    t.match(ofStatus('proposed').map(waits), [[/^change_manager: .*Grace Ito/]])
    t.same(ofStatus('reviewed').map(waits), [['client_owner: Mina Okafor']])
    for (const one of [...ofStatus('in_progress'), ...ofStatus('done')]) {
      const approvers = one.reviews.map(({ reviewer_id: id }) => id)
      const people = [one.proposed_by.id, one.implementer?.id, ...approvers]
      t.equal(new Set(people).size, people.length, one.title)
      t.ok(approvers.length > 0 && one.implementer, one.title)
    }
    for (const { id, title } of changes) t.match(first.stderr, new RegExp(`${id} .*${title}`))
  },
)

t.test(
  'a member of the client reads a report of each kind, published by a second person',
  async (t) => {
    const reports = await list('/v1/reports', people.theo)
    t.same(reports.map(({ kind, status }) => `${kind} ${status}`).sort(), [
      ...['audit published', 'metrics published', 'work_summary published'],
    ])
    const { id: graceId } = await send<Told>('/v1/me', people.grace)
    for (const report of reports) {
      const { id, title, sections } = await send<Told>(`/v1/reports/${report.id}`, people.theo)
      t.ok(sections.length > 1, `${title} has content`)
      t.equal(report.published_by, graceId)
      t.match(first.stderr, `${id}  published: ${title}`)
    }
    const [summary] = reports.filter(({ kind }) => kind === 'work_summary')
    t.match(JSON.stringify(summary), 'Watch the order form', 'with the changes of the board')
  },
)

t.test('a request waits for each role that decides, each with a need of its own', async (t) => {
  const pending = (await list('/v1/access-requests')).filter(({ status }) => status === 'pending')
  t.same(
    pending
      .flatMap(waits)
      .map((text) => text.split(':')[0])
      .sort(),
    [...['client_owner', 'staff_reviewer']],
  )
  t.match(pending.flatMap(waits).sort(), [/Mina Okafor/, /Grace Ito/])
  const needs = (await list('/v1/needs')).map(({ title }) => title)
  t.equal(new Set(needs).size, 3)
  t.equal(new Set(pending.map(({ shown }) => shown.need.title)).size, 2)
  for (const { id, shown } of pending)
    t.match(first.stderr, new RegExp(`${id} .*${shown.need.title}`))
})

const paths = [
  '/v1/changes',
  '/v1/access-requests',
  '/v1/needs',
  '/v1/grants',
  '/v1/members',
] as const
/** Without versions: each run makes a token of a grant, and may set passwords. */
const everything = async () => {
  const told = await Promise.all([
    ...paths.map((path) => list(path)),
    list('/v1/reports', people.theo),
  ])
  return told.flat().map(({ id, status }) => `${id} ${status}`)
}

t.test('a second run adds nothing', async (t) => {
  const before = await everything()
  const { code, stderr } = await demo()
  t.equal(code, 0, stderr)
  t.notMatch(stderr, /password \S{16}/)
  t.same(await everything(), before)
})

t.test('what was decided stays, and a request that was withdrawn waits again', async (t) => {
  const requests = await list('/v1/access-requests')
  const waitsFor = (role: string) =>
    requests.find((one) => one.status === 'pending' && one.open_slots[0]?.role === role)!
  const asked = waitsFor('staff_reviewer')
  const review = { decision: 'approve', reason: 'He answers the customers.' }
  const path = `/v1/access-requests/${asked.id}/reviews`
  await decide(people.grace, path, asked.version, { ...review, digest: asked.digest })
  const [change] = (await list('/v1/changes')).filter(({ status }) => status === 'reviewed')
  const { id, version, digest } = change!
  await decide(people.mina, `/v1/changes/${id}/reviews`, version, { ...review, digest })
  const gone = waitsFor('client_owner')
  await decide(people.ada, `/v1/access-requests/${gone.id}/withdraw`, gone.version)
  const before = await everything()

  const { code, stderr } = await demo()
  t.equal(code, 0, stderr)
  people = await signInAll(stderr)
  const after = await everything()
  t.same(
    before.filter((one) => !after.includes(one)),
    [],
    'nothing was changed',
  )
  const added = after.filter((one) => !before.includes(one))
  t.match(added, [/^acr_\w+ pending$/], 'one request, and no need')
  const again = (await list('/v1/access-requests')).find(({ id }) => added[0]!.startsWith(id))!
  t.same(waits(again), ['client_owner: Mina Okafor'])
  t.equal(again.need_id, gone.need_id)
})
