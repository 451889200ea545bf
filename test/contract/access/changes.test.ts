/**
 * Goal: over REST a technical record is changed only by a managed change, which passes through all
 * its steps by the right people and shows in the record and in the audit. Method: as the people
 * concerned, on a real service.
 */
import t, { type Test } from 'tap'
import { newAccessId } from '../../../proto/access/ids.ts'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { changeActor } from '../../../proto/access/changes/change.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import { digestOf } from '../../../proto/access/digest.ts'
import { buckets } from '../../../proto/subjects.ts'
import { changedRecord, createdRecord } from '../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { dataOf, errorOf, withoutRequestId, type Heard } from '../../helpers/access/asking.ts'
import { auditOf } from '../../helpers/access/audit/audit.ts'
import { grantTo, type Client } from '../../helpers/access/clients.ts'
import type { Person } from '../../helpers/access/people.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const { ask, insider, a, b, ada, grace, deciders, staff } = await openWorld(t)
const { directory, store } = insider
const records = new RecordStore(store.bucket(buckets.records))
const changes = '/v1/changes'
const reason = 'as a test of changes'
const hourMs = 3_600_000
const [proposer, manager, doer] = [
  await staff('operator'),
  await staff('change_manager'),
  await staff('operator'),
]

interface ChangeJson {
  readonly id: string
  readonly version: number
  readonly status: string
  readonly digest: string
  readonly shown: unknown
  readonly reviews: readonly unknown[]
  readonly applied: { readonly id: string; readonly version: number } | null
}

/** A new monitor of this client. */
async function monitorOf({ id: client }: Pick<Client, 'id'>) {
  const id = newRecordId('monitoring')
  const fields = { name: 'Shop', kind: 'http', target: 'https://shop.example', interval_s: 300 }
  const made = { client, area: 'monitoring', id, fields, action: 'import' } as const
  await records.create(createdRecord(made, { by: systemAuthor('import') }, Date.now()))
  return id
}

const bodyOf = (of: Client, target: string, more: object = {}) => ({
  ...{ client_id: of.id, need_id: of.need, kind: 'monitoring', title: 'Ask the shop more often' },
  ...{ target: { id: target, version: 1 }, patch: { interval_s: 60 } },
  ...{ impact: 'Nobody notices it.', test_plan: 'A check comes each minute.' },
  ...{ rollback_plan: 'Set the interval back.', ...more },
})

const draft = (by: Person, body: object) => ask('POST', changes, { token: by.token, body })

/** Sends the version that was last seen. */
const say = (by: Pick<Person, 'token'>, verb: string, seen: ChangeJson, body?: object) =>
  ask('POST', `${changes}/${seen.id}/${verb}`, {
    ...{ token: by.token, seen: seen.version, ...(body && { body }) },
  })

const review = (by: Person, seen: ChangeJson, decision = 'approve') =>
  say(by, 'reviews', seen, { decision, reason, digest: seen.digest })

/** Scheduled in a window that opens in a moment. */
async function scheduled(by: Person, seen: ChangeJson): Promise<ChangeJson> {
  const start = Date.now() + 500
  const window = { start: iso(start), end: iso(start + hourMs) }
  return dataOf(await say(by, 'schedule', seen, { window }))
}
const iso = (ms: number) => new Date(ms).toISOString()

/** Starts the change as soon as its window is open. */
const started = (by: Person, seen: ChangeJson): Promise<ChangeJson> =>
  until('its window is open', async () => {
    const answer = await say(by, 'start', seen)
    return answer.status === 409 ? undefined : dataOf<ChangeJson>(answer)
  })

const proposed = async (by: Person, body: object): Promise<ChangeJson> =>
  dataOf(await say(by, 'propose', dataOf<ChangeJson>(await draft(by, body))))

const refused = (answer: Heard) => errorOf(answer)['type']
const evidence = { evidence: ['https://ci.example/run/7'], notes: 'Seen at once.' }

t.test('from a refused direct write to a completed change that the record shows', async (t) => {
  const target = await monitorOf(a)
  const { token } = a.all
  const one = `/v1/monitoring/${target}`
  for (const [method, path, body] of [
    ['POST', '/v1/monitoring', { name: 'x', kind: 'http', target: 'x' }],
    ['PATCH', one, { interval_s: 60 }],
    ['DELETE', one, undefined],
  ] as const) {
    const answer = await ask(method, path, { token, seen: 1, ...(body && { body }) })
    t.match(errorOf(answer), { code: 409, type: 'change_required' }, method)
    t.equal(answer.headers.get('link'), '</v1/changes>; rel="edit"')
  }
  const reader = await ask('PATCH', one, { token: a.reader.token, seen: 1, body: {} })
  t.match([reader.status, reader.headers.get('link')], [403, null], 'who may not read it')

  const made = await draft(proposer, bodyOf(a, target, { client_visible: true }))
  const drafted = dataOf<ChangeJson>(made)
  t.equal(made.headers.get('location'), `${changes}/${drafted.id}`)
  t.equal(made.headers.get('etag'), '"1"')
  const seen = dataOf<ChangeJson>(await say(proposer, 'propose', drafted))
  t.match(seen, {
    status: 'proposed',
    policy: { rules: ['C1', 'C2'], slots: [{ role: 'change_manager' }, { role: 'client_owner' }] },
    shown: { change: { target: { id: target, version: 1 }, patch: { interval_s: 60 } } },
  })
  t.equal(digestOf(seen.shown), seen.digest, 'the digest can be computed from the answer')
  const once = dataOf<ChangeJson>(await review(manager, seen))
  t.equal(once.status, 'reviewed')
  const approved = dataOf<ChangeJson>(await review(a.owner, once))
  t.equal(approved.status, 'approved')
  const waiting = await scheduled(manager, approved)
  t.equal(waiting.status, 'scheduled')
  const begun = await started(doer, waiting)
  t.match(begun, { status: 'in_progress', implementer: { id: doer.id } })
  t.match(errorOf(await say(doer, 'complete', begun, { evidence: [] })), { code: 422 })
  const done = dataOf<ChangeJson>(await say(doer, 'complete', begun, evidence))
  t.match(done, { status: 'done', applied: { id: target, version: 2 }, result: evidence })
  const record = await until('the gateway has the record', async () => {
    const found = dataOf<{ version: number }>(await ask('GET', one, { token }))
    return found.version === 2 && found
  })
  t.match(record, { interval_s: 60, updated_by: doer.id })
  const told = await until('the audit has it', async () => {
    const entries = await auditOf(store, a.id)
    return entries.some(({ action }) => action === 'change.done') && entries
  })
  const ofChange = told.filter(({ object }) => object.id === done.id)
  t.match(
    ofChange.map(({ action }) => action),
    [
      ...['change.created', 'change.submitted', 'change.proposed', 'change.reviewed'],
      ...['change.reviewed', 'change.scheduling', 'change.scheduled', 'change.started'],
      ...['change.completed', 'change.done'],
    ],
  )
  const written = told.find(({ object }) => object.id === target && object.version === 2)
  t.match(written, { action: 'record.update', changeId: done.id, changedFields: ['interval_s'] })
})

t.test('lists are filtered by the fields that a board shows', async (t) => {
  const target = await monitorOf(a)
  const { id } = await proposed(proposer, bodyOf(a, target, { risk: 'high' }))
  const listed = async (query: string, by: Pick<Person, 'token'> = a.member) =>
    dataOf<ChangeJson[]>(await ask('GET', `${changes}?${query}`, { token: by.token }))
  t.same(
    (await listed(`target_id=${target}&status=proposed`)).map((one) => one.id),
    [id],
  )
  t.same(await listed(`target_id=${target}&status=done`), [])
  for (const query of ['kind=monitoring', 'type=normal', 'risk=high', 'area=monitoring']) {
    const found = await listed(`${query}&target_id=${target}&proposed_by=${proposer.id}`)
    t.same(
      found.map((one) => one.id),
      [id],
      query,
    )
  }
  t.same(await listed(`target_id=${target}&risk=low`), [])
  t.same(await listed(`target_id=${target}`, b.owner), [], 'another client sees nothing')
  t.equal((await ask('GET', `${changes}?kind=moon`, { token: ada.token })).status, 400)
})

t.test('one person cannot have two parts in one change', async (t) => {
  const both = await staff('operator', 'change_manager')
  const seen = await proposed(both, bodyOf(a, await monitorOf(a)))
  t.equal(refused(await review(both, seen)), 'self_review', 'its proposer approves')
  t.equal((await review(a.member, seen)).status, 403, 'no owner')
  t.equal(refused(await review(a.owner, seen)), 'not_a_reviewer', 'no slot is for the owner')
  t.equal((await review(b.owner, seen)).status, 404, 'an owner of another client')
  const other = await staff('change_manager', 'operator')
  const waiting = await scheduled(manager, dataOf(await review(other, seen)))
  await until('its window is open', async () => {
    return refused(await say(other, 'start', waiting)) === 'self_review'
  })
  t.equal(refused(await say(both, 'start', waiting)), 'self_review', 'its proposer does it')
  const begun = await started(doer, waiting)
  t.equal(refused(await say(proposer, 'complete', begun, evidence)), 'forbidden')
})

t.test('steps out of order, outside the window or on an old version are refused', async (t) => {
  const seen = await proposed(proposer, bodyOf(a, await monitorOf(a)))
  t.match(errorOf(await say(doer, 'start', seen)), {
    ...{ code: 409, type: 'invalid_transition', status: 'proposed' },
    allowed: ['review', 'cancel'],
  })
  const approved = dataOf<ChangeJson>(await review(manager, seen))
  t.equal((await say(manager, 'schedule', seen, {})).status, 412, 'another version')
  const unseen = await ask('POST', `${changes}/${seen.id}/schedule`, {
    token: manager.token,
    body: {},
  })
  t.equal(unseen.status, 428)
  t.match(errorOf(await say(manager, 'schedule', approved, {})), { code: 422 }, 'no window')
  const past = { start: iso(Date.now() - 2 * hourMs), end: iso(Date.now() - hourMs) }
  t.match(errorOf(await say(manager, 'schedule', approved, { window: past })), { code: 422 })
  const later = { start: iso(Date.now() + hourMs), end: iso(Date.now() + 2 * hourMs) }
  const waiting = dataOf<ChangeJson>(await say(manager, 'schedule', approved, { window: later }))
  t.match(errorOf(await say(doer, 'start', waiting)), { code: 409, type: 'conflict' })
  t.equal((await say(a.member, 'cancel', waiting, { reason })).status, 403)
  t.equal(dataOf(await say(proposer, 'cancel', waiting, { reason })).status, 'cancelled')
})

t.test('the second of two changes to one target at one time is told of the first', async (t) => {
  const target = await monitorOf(a)
  const approved = async (patch: object) =>
    dataOf<ChangeJson>(
      await review(manager, await proposed(proposer, bodyOf(a, target, { patch }))),
    )
  const first = await scheduled(manager, await approved({ interval_s: 60 }))
  const second = await approved({ interval_s: 90 })
  const window = { start: iso(Date.now() + 60_000), end: iso(Date.now() + 120_000) }
  const answer = await say(manager, 'schedule', second, { window })
  t.match(errorOf(answer), { code: 409, type: 'conflict', change_id: first.id })
})

t.test(
  'a target changed meanwhile: 409 with the differences, and the change is decided again',
  async (t) => {
    const target = await monitorOf(a)
    const approved = dataOf<ChangeJson>(
      await review(manager, await proposed(proposer, bodyOf(a, target))),
    )
    const begun = await started(doer, await scheduled(manager, approved))
    const held = (await records.get(a.id, 'monitoring', target))!
    const fields = { ...held.record.fields, name: 'The shop' }
    const by = { by: systemAuthor('import') }
    await records.replace(changedRecord(held.record, fields, by, Date.now()), held.revision)
    const answer = await say(doer, 'complete', begun, evidence)
    t.match(errorOf(answer), { code: 409, type: 'conflict', version: 2, fields: ['name'] })
    const back = await ask('GET', `${changes}/${begun.id}`, { token: doer.token })
    t.match(dataOf(back), {
      ...{ status: 'proposed', target: { version: 2 }, reviews: [{ is_void: true }] },
      conflict: { version: 2, fields: ['name'] },
    })
    t.equal(
      (await records.get(a.id, 'monitoring', target))?.record.version,
      2,
      'nothing is written',
    )
  },
)

t.test('a review of a draft that was edited meanwhile is refused', async (t) => {
  const shown = await proposed(proposer, bodyOf(a, await monitorOf(a)))
  const back = dataOf<ChangeJson>(await review(manager, shown, 'request_changes'))
  t.equal(back.status, 'returned')
  const patch = { patch: { interval_s: 120 }, description: 'Not so often.' }
  const edited = await ask('PATCH', `${changes}/${shown.id}`, {
    ...{ token: proposer.token, seen: back.version, body: patch },
  })
  t.match(dataOf(edited), { ...patch, title: 'Ask the shop more often' })
  const again = dataOf<ChangeJson>(await say(proposer, 'propose', dataOf<ChangeJson>(edited)))
  t.equal(refused(await review(manager, { ...again, digest: shown.digest })), 'precondition_failed')
  t.equal(dataOf(await review(manager, again)).status, 'approved')
})

t.test('bodies with invalid fields are refused', async (t) => {
  const target = await monitorOf(a)
  const wrong: readonly (readonly [object, number])[] = [
    [{ patch: { client_id: b.id } }, 422],
    [{ patch: { id: target } }, 422],
    [{ patch: { version: 7 } }, 422],
    [{ status: 'done' }, 400],
    [{ proposed_by: ada.id }, 400],
    [{ need_id: b.need }, 422],
    [{ implementer_id: b.member.id }, 422],
    [{ type: 'standard', template_id: 'monitor-interval', patch: { target: 'x' } }, 422],
    [{ type: 'standard', template_id: 'no-such' }, 422],
    [{ patch: { interval_s: 60, name: 'x'.repeat(40_000) } }, 422],
    [{ impact: 'short' }, 422],
  ]
  for (const [more, status] of wrong) {
    const answer = await draft(proposer, bodyOf(a, target, more))
    t.equal(answer.status, status, `${JSON.stringify(more).slice(0, 80)}: ${answer.text}`)
  }
  const foreign = dataOf<ChangeJson>(await draft(proposer, bodyOf(a, await monitorOf(b))))
  const unknown = dataOf<ChangeJson>(await draft(proposer, bodyOf(a, newRecordId('monitoring'))))
  const answers = [await say(proposer, 'propose', foreign), await say(proposer, 'propose', unknown)]
  t.equal(answers[0]!.status, 422, 'a record of another client')
  t.equal(withoutRequestId(answers[0]!), withoutRequestId(answers[1]!))
})

t.test('for another client a change does not exist', async (t) => {
  const { id } = await proposed(proposer, bodyOf(a, await monitorOf(a)))
  const verbs: readonly (readonly [string, string, object?])[] = [
    ['GET', ''],
    ['PATCH', '', { title: 'Another title' }],
    ['POST', '/propose'],
    ['POST', '/cancel', { reason }],
    ['POST', '/reviews', { decision: 'deny', reason, digest: '0'.repeat(64) }],
  ]
  for (const [method, verb, body] of verbs) {
    const asked = {
      token: b.owner.token,
      ...(method !== 'GET' && { seen: 1 }),
      ...(body && { body }),
    }
    const [other, never] = await Promise.all(
      [id, newAccessId('change')].map((one) => ask(method, `${changes}/${one}${verb}`, asked)),
    )
    t.equal(other!.status, 404, `${method} ${verb}`)
    t.equal(withoutRequestId(other!), withoutRequestId(never!))
  }
})

t.test(
  'a program with changes:propose can propose and read its own changes, and decides nothing',
  async (t: Test) => {
    const scope = `/v1/service-scopes/${a.scope}`
    const answer = await ask('GET', scope, { token: ada.token })
    const { current, version } = dataOf<{ current: { areas: object[] }; version: number }>(answer)
    const terms = {
      ...current,
      areas: [...current.areas, { area: 'changes', actions: ['propose'] }],
    }
    const put = await ask('PUT', `${scope}/terms`, { token: ada.token, seen: version, body: terms })
    const wider = dataOf<ChangeJson>(put)
    const confirm = { token: grace.token, seen: wider.version, body: { digest: wider.digest } }
    t.equal((await ask('POST', `${scope}/confirm`, confirm)).status, 200)
    const permissions = [{ area: 'changes', actions: ['propose'] }] as const
    const granted = await grantTo(directory, a, deciders, { permissions })
    const program = { token: granted.token }
    await until('the token is known', async () => {
      return (await ask('GET', '/v1/access', program)).status === 200
    })
    const target = await monitorOf(a)
    const { client_id: _, ...body } = bodyOf(a, target)
    const made = dataOf<ChangeJson>(await ask('POST', changes, { ...program, body }))
    const seen = dataOf<ChangeJson>(await say(program, 'propose', made))
    t.match(seen, { status: 'proposed', proposed_by: { kind: 'integration', id: granted.id } })
    t.same(
      dataOf<ChangeJson[]>(await ask('GET', changes, program)).map(({ id }) => id),
      [made.id],
      'and no other change of its client',
    )
    const other = await proposed(proposer, bodyOf(a, target, { patch: { interval_s: 90 } }))
    t.equal((await ask('GET', `${changes}/${other.id}`, program)).status, 404)
    t.equal((await say(program, 'reviews', seen, {})).status, 403)
    t.equal((await ask('GET', '/v1/monitoring', program)).status, 403)
    t.equal((await ask('GET', changes, { token: a.all.token })).status, 403, 'without it')
    const view = (await directory.ask(changeActor, made.id, { type: 'get' }, { tenant: a.id })).view
    t.equal(view.proposedBy.kind, 'integration')
  },
)

t.test('templates determine which fields a standard change may write', async (t) => {
  const { body } = await ask('GET', '/v1/change-templates', { token: a.member.token })
  const { data } = body as { readonly data: readonly { readonly id: string }[] }
  t.match(
    data.find(({ id }) => id === 'monitor-interval'),
    {
      ...{ kind: 'monitoring', area: 'monitoring', operation: 'update', risk: 'low' },
      patch: { properties: { interval_s: { minimum: 60, maximum: 3_600 } } },
    },
  )
  const template = { type: 'standard', template_id: 'monitor-interval' }
  const seen = await proposed(proposer, bodyOf(a, await monitorOf(a), template))
  t.match(seen, { status: 'approved', shown: { template: { id: 'monitor-interval' } } })
})
