/**
 * Goal: custom access shows exactly the fields and records that a managed change has set, to
 * holders of its permission, and nothing else of its area; the change that retires it ends it.
 * Method: over REST, from the first change to the last read.
 */
import t from 'tap'
import { areaKeys } from '../../../proto/access/areas/areas.ts'
import { changeActor } from '../../../proto/access/changes/change.ts'
import { changeTerms, changeTermsOf } from '../../../proto/access/changes/change-terms.ts'
import type { Author } from '../../../proto/access/author.ts'
import { customIdOf } from '../../../proto/access/changes/custom.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import { dataOf, errorOf, withoutRequestId, type EntityJson } from '../../helpers/access/asking.ts'
import { grantTo, mint } from '../../helpers/access/clients.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const { ask, insider, a, b, ada, grace, deciders, staff } = await openWorld(t)
const { directory } = insider
const [manager, doer] = [await staff('change_manager'), await staff('operator')]
const view = '/v1/custom/newsletter-list'
const area = 'custom/newsletter-list'
const reason = 'as a test of custom access'
const definition = {
  ...{ slug: 'newsletter-list', title: 'Those who get the newsletter', source_area: 'contacts' },
  ...{ fields: ['first_name', 'email'], sort: '-updated_at' },
  where: [{ field: 'lifecycle_stage', equals: ['subscriber'] }],
}

/** Calls the actors' own verbs: another test covers the REST routes. */
async function changed(more: object): Promise<string> {
  const id = newAccessId('change')
  const tenant = a.id
  const mine = { tenant, untilSettled: true }
  const terms = changeTermsOf(
    changeTerms.parse({
      ...{ kind: 'custom_access', need_id: a.need, title: 'The list of the newsletter', ...more },
      ...{ impact: 'Its readers see the list.', test_plan: 'The list is read once.' },
      rollback_plan: 'Retire it again.',
    }),
  )
  const by = ada.author
  await directory.create(changeActor, id, { id, tenant, by, createdAtMs: Date.now(), terms }, mine)
  const { digest } = (await directory.ask(changeActor, id, { type: 'propose', by }, mine)).view
  const approve = (reviewer: Author) => {
    const review = { decision: 'approve', reason, digest: digest ?? '' } as const
    const reviewId = newAccessId('review')
    return directory.ask(
      changeActor,
      id,
      { type: 'review', by: reviewer, reviewId, ...review },
      mine,
    )
  }
  await approve(manager.author)
  await approve(a.owner.author)
  const nowMs = Date.now()
  const window = { startMs: nowMs - 1_000, endMs: nowMs + 3_600_000 }
  await directory.ask(changeActor, id, { type: 'schedule', by: manager.author, window }, mine)
  await directory.ask(changeActor, id, { type: 'start', by: doer.author }, mine)
  const done = { type: 'complete', by: doer.author, evidence: ['seen'], notes: '' } as const
  const { status } = (await directory.ask(changeActor, id, done, mine)).view
  if (status !== 'done') throw new Error(`the change is ${status}`)
  return id
}

/** The contracted permissions, with the view among them. */
async function contract(): Promise<void> {
  const scope = `/v1/service-scopes/${a.scope}`
  const { current, version } = dataOf<{ current: { areas: object[] }; version: number }>(
    await ask('GET', scope, { token: ada.token }),
  )
  const areas = [...current.areas, { area, actions: ['read'] }]
  const put = { token: ada.token, seen: version, body: { ...current, areas } }
  const wider = dataOf(await ask('PUT', `${scope}/terms`, put))
  const confirm = { token: grace.token, seen: wider.version, body: { digest: wider.digest } }
  t.equal((await ask('POST', `${scope}/confirm`, confirm)).status, 200)
}

const request = (area: string) => ({
  ...{ client_id: a.id, scope_id: a.scope, need_id: a.need, path: 'custom' },
  subject: { kind: 'integration', id: 'newsletter' },
  permissions: [{ area, actions: ['read'] }],
  ends_at: new Date(Date.now() + 86_400_000).toISOString(),
  justification: 'The newsletter tool reads its list once an hour.',
})

/** Drafts a request and submits it. */
async function submitted(wanted: string) {
  const { token } = ada
  const asked = await ask('POST', '/v1/access-requests', { token, body: request(wanted) })
  const { id } = dataOf(asked)
  return ask('POST', `/v1/access-requests/${id}/submit`, { token, seen: 1 })
}

let reader = ''
let changeId = ''
let contact = ''
let lead = ''

t.test('a view is made by a change, contracted, requested, and reviewed', async (t) => {
  await contract()
  const early = await submitted(area)
  t.match(errorOf(early), { code: 422, pointers: ['/permissions/0/area'] }, 'there is none yet')
  changeId = await changed({ patch: definition })
  const asked = await submitted(area)
  t.match(dataOf(asked), {
    policy: { rules: ['R1', 'R2', 'R6'] },
    shown: {
      custom: [{ slug: 'newsletter-list', change_id: changeId, fields: definition.fields }],
    },
  })
  const permissions = [{ area, actions: ['read'] }] as const
  reader = (await grantTo(directory, a, deciders, { permissions, path: 'custom' })).token
  await until('the token is known', async () => {
    return (await ask('GET', '/v1/access', { token: reader, from: '10.7.0.1' })).status === 200
  })
})

t.test('it shows its fields of its records, and nothing else of its area', async (t) => {
  const make = async (fields: object) =>
    dataOf(await ask('POST', '/v1/contacts', { token: a.all.token, body: fields })).id
  contact = await make({
    ...{ first_name: 'Ada', email: 'ada@same.example', job_title: 'Countess' },
    lifecycle_stage: 'subscriber',
  })
  lead = await make({ first_name: 'Bob', email: 'bob@same.example', lifecycle_stage: 'lead' })
  const list = await ask('GET', view, { token: reader })
  const rows = dataOf<Record<string, unknown>[]>(list)
  t.equal(rows.length, 1)
  t.match(rows[0], { id: contact, first_name: 'Ada', email: 'ada@same.example' })
  t.notMatch(list.text, /Countess|lifecycle_stage|created_by|Bob/)
  const one = await ask('GET', `${view}/${contact}`, { token: reader })
  t.same(dataOf(one), rows[0])
  t.equal(one.headers.get('etag'), '"1"')
  const known = { token: reader, headers: { 'if-none-match': '"1"' } }
  t.equal((await ask('GET', `${view}/${contact}`, known)).status, 304)
  const never = await ask('GET', `${view}/${newAccessId('client').replace('cli', 'con')}`, {
    token: reader,
  })
  const hidden = await ask('GET', `${view}/${lead}`, { token: reader })
  t.equal(hidden.status, 404)
  t.equal(withoutRequestId(hidden), withoutRequestId(never), 'a record outside is none')
  for (const query of ['filter[job_title]=x', 'fields=job_title', 'sort=job_title']) {
    t.match(errorOf(await ask('GET', `${view}?${query}`, { token: reader })), { code: 400 }, query)
  }
  t.equal(
    dataOf<unknown[]>(await ask('GET', `${view}?filter[email]=x`, { token: reader })).length,
    0,
  )
  for (const path of ['/v1/contacts', `/v1/contacts/${contact}`]) {
    t.equal((await ask('GET', path, { token: reader })).status, 403, 'the area is not opened by it')
  }
})

t.test('other people cannot read it, and no route writes it', async (t) => {
  const others = [a.all.token, a.reader.token, b.all.token, a.owner.token, ada.token]
  for (const token of others) {
    t.match(errorOf(await ask('GET', view, { token })), { code: 403, type: 'insufficient_scope' })
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const { status } = await ask(method, view, { token: reader, body: {} })
    t.ok([404, 405].includes(status), `${method}: ${status}`)
  }
})

t.test('it is listed where access and areas are listed', async (t) => {
  const access = await ask('GET', '/v1/access', { token: reader })
  t.match(dataOf(access), { path: 'custom', permissions: [{ area, actions: ['read'] }] })
  const groups = async (token: string) =>
    dataOf<{ group: string; areas: { area: string; granted: string[] }[] }[]>(
      await ask('GET', '/v1/areas', { token }),
    )
  const customOf = async (token: string) =>
    (await groups(token)).find(({ group }) => group === 'custom_access')?.areas
  t.match(await customOf(reader), [{ area, granted: ['read'], label: definition.title }])
  t.match(await customOf(a.member.token), [{ area, granted: [] }])
  t.same(await customOf(a.reader.token), undefined, 'a program sees only what it may read')
  t.same(await customOf(b.member.token), undefined, 'another client sees none')
  const all = (await groups(reader)).flatMap(({ areas }) => areas)
  t.equal(all.length, areaKeys.length + 1)
})

t.test('a token can be narrowed to it as to any area', async (t) => {
  const permissions = [
    { area, actions: ['read'] },
    { area: 'tasks', actions: ['read'] },
  ] as const
  const { id } = await grantTo(directory, a, deciders, { permissions })
  const { token } = await mint(directory, id, ada.author, { scopes: ['tasks:read'] })
  await until('the token is known', async () => {
    return (await ask('GET', '/v1/tasks', { token, from: '10.7.0.2' })).status === 200
  })
  t.equal((await ask('GET', view, { token })).status, 403)
})

t.test('the change that retires it ends everybody’s access to it', async (t) => {
  const id = customIdOf(a.id, definition.slug)
  await changed({ target: { id, version: 1 }, patch: null })
  const gone = await until('the gateway knows', async () => {
    const answer = await ask('GET', view, { token: reader, from: '10.7.0.3' })
    return answer.status !== 200 && answer
  })
  t.match(errorOf(gone), { code: 404, type: 'not_found' })
  t.match(errorOf(await submitted(area)), { code: 422 })
  const made = dataOf<EntityJson>(
    await ask('GET', `/v1/changes/${changeId}`, { token: a.owner.token }),
  )
  t.equal(made.status, 'done')
})
