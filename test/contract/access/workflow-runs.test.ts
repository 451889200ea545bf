/**
 * Goal: a run of a pre-approved workflow action is a standard change by the action's template and
 * has that change's state; an action that is not ready says what to set. Method: as a token of the
 * client and as the people who carry changes out, on a real service.
 */
import t from 'tap'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import { buckets } from '../../../proto/subjects.ts'
import { createdRecord } from '../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { dataOf, errorOf, patient, withoutRequestId } from '../../helpers/access/asking.ts'
import { grantTo, type Client } from '../../helpers/access/clients.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openWorld(t)
const { insider, a, b, deciders, staff } = world
const { directory, store } = insider
const ask = patient(world.ask)
const records = new RecordStore(store.bucket(buckets.records))
const [manager, doer] = [await staff('change_manager'), await staff('operator')]
const { token } = a.all

interface RunJson {
  readonly id: string
  readonly status: string
  readonly output: unknown
  readonly waits_for: string | null
}
interface ChangeJson {
  readonly version: number
  readonly status: string
}

async function recordOf({ id: client }: Pick<Client, 'id'>, area: AreaKey, fields: object) {
  const id = newRecordId(area)
  const made = { client, area, id, fields: { ...fields }, action: 'import' } as const
  await records.create(createdRecord(made, { by: systemAuthor('import') }, Date.now()))
  return id
}

const ready = { key: 'go', name: 'Go', trigger: 'manual', pre_approved: true, enabled: true }
const inputs = {
  inputs_schema: {
    ...{ type: 'object', required: ['shop'] },
    properties: { shop: { type: 'string' } },
  },
}
const actionOf = (more: object, of: Pick<Client, 'id'> = a) =>
  recordOf(of, 'workflow-actions', { ...ready, change_template_id: 'workflow-run', ...more })

const runsOf = (action: string) => `/v1/workflow-actions/${action}/runs`
const run = (action: string, input: object, headers: Readonly<Record<string, string>> = {}) =>
  ask('POST', runsOf(action), { token, body: { input }, headers })
const shownRun = async (action: string, id: string) =>
  dataOf<RunJson>(await ask('GET', `${runsOf(action)}/${id}`, { token }))

/** What the people who carry changes out report, each at the current version. */
async function say(by: { readonly token: string }, id: string, verb: string, body?: object) {
  const path = `/v1/changes/${id}`
  const { version } = dataOf<ChangeJson>(await ask('GET', path, { token: by.token }))
  const asked = { token: by.token, seen: version, ...(body && { body }) }
  return ask('POST', `${path}/${verb}`, asked)
}

async function begun(id: string): Promise<void> {
  const start = Date.now() + 500
  const iso = (ms: number) => new Date(ms).toISOString()
  const window = { start: iso(start), end: iso(start + 3_600_000) }
  t.equal((await say(manager, id, 'schedule', { window })).status, 200)
  await until('its window is open', async () => (await say(doer, id, 'start')).status === 200)
}
const evidence = { evidence: ['https://shop.example/paused'], notes: 'Paused until noon.' }

t.test('a run waits for a person, follows its change, and has what they report', async (t) => {
  const action = await actionOf(inputs)
  const answer = await run(action, { shop: 'North' })
  t.equal(answer.status, 202)
  const queued = dataOf<RunJson>(answer)
  t.equal(answer.headers.get('location'), `${runsOf(action)}/${queued.id}`)
  t.match(queued, {
    ...{ action_id: action, status: 'queued', input: { shop: 'North' }, output: null },
    ...{ started_at: null, finished_at: null, requested_by: { id: a.all.id } },
    waits_for: /operator or a change manager .*schedule/,
  })
  const path = `/v1/changes/${queued.id}`
  t.match(dataOf(await ask('GET', path, { token: manager.token })), {
    ...{ status: 'approved', type: 'standard', template_id: 'workflow-run', need_id: a.need },
    policy: { rules: ['C6'], slots: [] },
    shown: { change: { run: { action_id: action, input: { shop: 'North' } } } },
  })
  await begun(queued.id)
  t.match(await shownRun(action, queued.id), {
    ...{ status: 'running', started_at: String, waits_for: new RegExp(doer.id) },
  })
  t.equal((await say(doer, queued.id, 'complete', evidence)).status, 200)
  t.match(await shownRun(action, queued.id), {
    ...{ status: 'succeeded', output: evidence, waits_for: null, error: null },
    ...{ started_at: String, finished_at: String },
  })
})

t.test('a run that fails or is cancelled says why', async (t) => {
  const action = await actionOf({})
  const reason = 'the shop does not answer'
  const failed = dataOf<RunJson>(await run(action, {}))
  await begun(failed.id)
  t.equal((await say(doer, failed.id, 'fail', { reason })).status, 200)
  t.match(await shownRun(action, failed.id), {
    ...{ status: 'failed', error: reason, started_at: String, finished_at: String, output: null },
  })
  const cancelled = dataOf<RunJson>(await run(action, {}))
  t.equal((await say(manager, cancelled.id, 'cancel', { reason })).status, 200)
  t.match(await shownRun(action, cancelled.id), { status: 'cancelled', error: reason })
  const listed = await ask('GET', `${runsOf(action)}?limit=1`, { token })
  t.match(listed.body, { data: [{ id: cancelled.id }], page: { has_more: true } })
  const { page } = listed.body as { readonly page: { readonly next_cursor: string } }
  const rest = await ask('GET', `${runsOf(action)}?cursor=${page.next_cursor}`, { token })
  t.match(rest.body, { data: [{ id: failed.id }], page: { has_more: false } })
})

t.test(
  'a template that writes makes a record of the input, or changes the one that it names',
  async (t) => {
    const deploy = await actionOf({ change_template_id: 'deploy-to-staging' })
    const input = { environment: 'staging', release: 'v7' }
    const made = dataOf<RunJson>(await run(deploy, input))
    await begun(made.id)
    t.equal((await say(doer, made.id, 'complete', evidence)).status, 200)
    const { output } = await shownRun(deploy, made.id)
    const { record } = output as { readonly record: { readonly area: string; readonly id: string } }
    t.equal(record.area, 'deployments')
    const held = await records.get(a.id, 'deployments', record.id)
    t.match(held?.record.fields, { ...input, change_id: made.id })

    const monitor = { name: 'Shop', kind: 'http', target: 'https://shop.example', interval_s: 300 }
    const target = await recordOf(a, 'monitoring', monitor)
    const often = await actionOf({ change_template_id: 'monitor-interval' })
    const changed = dataOf<RunJson>(await run(often, { target_id: target, interval_s: 60 }))
    await begun(changed.id)
    t.equal((await say(doer, changed.id, 'complete', evidence)).status, 200)
    t.match((await records.get(a.id, 'monitoring', target))?.record.fields, { interval_s: 60 })

    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ interval_s: 60 }, /\/input\/target_id is required/],
      [{ target_id: target, interval_s: 1 }, /\/input\/interval_s is not allowed by template/],
      [
        { target_id: target, interval_s: 60, name: 'x' },
        /\/input\/name is not allowed by template/,
      ],
    ]
    for (const [given, words] of wrong) {
      const answer = await run(often, given)
      t.match(errorOf(answer), { code: 422, type: 'validation_failed', message: words })
    }
    const foreign = await run(often, { target_id: await recordOf(b, 'monitoring', monitor) })
    const never = await run(often, { target_id: newRecordId('monitoring') })
    t.equal(foreign.status, 422)
    t.equal(withoutRequestId(foreign), withoutRequestId(never), 'what another client has')
  },
)

t.test('values that the record cannot have are refused, and no run waits', async (t) => {
  const action = await actionOf({ change_template_id: 'deploy-to-staging' })
  const refused = await run(action, { environment: 'staging', release: 'v7', project_id: 'x' })
  t.match(errorOf(refused), { code: 422, type: 'validation_failed', message: /project_id/ })
  const shown = await until('the gateway has heard of it', async () => {
    const { body } = await ask('GET', runsOf(action), { token })
    const [only] = (body as { readonly data: readonly RunJson[] }).data
    return only?.status === 'cancelled' && only
  })
  t.match(shown, { error: /project_id/, waits_for: null })
})

t.test('an action that is not ready says what to set', async (t) => {
  const link = '</v1/changes>; rel="edit"'
  const cases: readonly (readonly [object, string, RegExp])[] = [
    [{ pre_approved: false }, 'change_required', /sets pre_approved/],
    [{ enabled: false }, 'conflict', /sets enabled/],
    [{ change_template_id: undefined }, 'conflict', /change_template_id .*workflow-run/],
    [{ change_template_id: 'no-such' }, 'conflict', /"no-such".*change_template_id/],
  ]
  for (const [more, type, message] of cases) {
    const answer = await run(await actionOf(more), {})
    t.match(errorOf(answer), { code: 409, type, message }, JSON.stringify(more))
    t.equal(answer.headers.get('link'), link, JSON.stringify(more))
  }
  const given = await run(await actionOf(inputs), { shop: 7 })
  const faults = [/shop must be string/]
  t.match(errorOf(given), { code: 422, type: 'validation_failed', message: faults[0], faults })
  t.equal(
    (await ask('POST', runsOf(await actionOf({})), { token, body: { by: 'me' } })).status,
    400,
  )
  const large = await run(await actionOf({}), { text: 'x'.repeat(40_000) })
  t.match(errorOf(large), { code: 422, message: /KiB/ })
})

t.test('sent again with its key it is one run', async (t) => {
  const action = await actionOf({})
  const headers = { 'idempotency-key': newAccessId('change') }
  const [first, second] = [await run(action, {}, headers), await run(action, {}, headers)]
  t.equal(dataOf<RunJson>(first).id, dataOf<RunJson>(second).id)
  const listed = await ask('GET', runsOf(action), { token })
  t.equal((listed.body as { readonly data: readonly object[] }).data.length, 1)
  t.equal((await run(action, { other: 1 }, headers)).status, 422)
})

t.test('for another client neither the action nor the run exists', async (t) => {
  const action = await actionOf({})
  const { id } = dataOf<RunJson>(await run(action, {}))
  const theirs = { token: b.all.token }
  const paths = ['', `/${id}`].flatMap((rest) => [runsOf(action) + rest])
  for (const path of paths) t.equal((await ask('GET', path, theirs)).status, 404, path)
  const post = (one: string) => ask('POST', runsOf(one), { ...theirs, body: { input: {} } })
  const never = await post(newRecordId('workflow-actions'))
  t.equal(withoutRequestId(await post(action)), withoutRequestId(never))
  const other = await actionOf({})
  t.equal((await ask('GET', `${runsOf(other)}/${id}`, { token })).status, 404, 'of another action')
  const reader = await grantTo(directory, a, deciders, {
    permissions: [{ area: 'workflow-actions', actions: ['read'] }],
  })
  await until('the token is known', async () => {
    return (await ask('GET', runsOf(action), { token: reader.token })).status === 200
  })
  const asked = { token: reader.token, body: { input: {} } }
  t.equal((await ask('POST', runsOf(action), asked)).status, 403, 'reading is not running')
})

t.test('the template of runs cannot be used by changes of other kinds', async (t) => {
  const body = {
    ...{ client_id: a.id, need_id: a.need, kind: 'other', title: 'Something of my own' },
    ...{ type: 'standard', template_id: 'workflow-run' },
  }
  const answer = await ask('POST', '/v1/changes', { token: doer.token, body })
  t.match(errorOf(answer), { code: 422, message: /workflow-actions\/\{id\}\/runs/ })
})
