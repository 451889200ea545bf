/**
 * Goal: an event occurs when its rule says so, and not again; every area's event types are those of
 * its definition. Method: messages as streams have them, one by one.
 */
import t from 'tap'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { areaKeys, type AreaKey } from '../../../../proto/access/areas/areas.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import type { StoredRecord } from '../../../../proto/access/areas/record.ts'
import { encode } from '../../../../proto/codec.ts'
import { MemoryLog } from '../../../helpers/runtime/memory-store.ts'
import {
  actorOccurrences,
  recordOccurrences,
  taskOccurrences,
} from '../../../../runtime/webhooks/fan-out/occurrences.ts'
import { eventTypes, eventTypesNamed } from '../../../../runtime/webhooks/events/registry.ts'
import { eventTypeSchemas } from '../../../../runtime/webhooks/events/schema.ts'

const client = newAccessId('client')

/** The events of each version of a record that has these fields in turn. */
async function told(area: AreaKey, ...versions: readonly object[]): Promise<readonly string[][]> {
  const log = new MemoryLog()
  const id = newRecordId(area)
  const subject = `$KV.records.${client}.${area}.${id}`
  const types: string[][] = []
  let before: Readonly<Record<string, unknown>> = {}
  let seq = 0
  for (const [i, given] of versions.entries()) {
    const fields = given as Readonly<Record<string, unknown>>
    const isDeleted = 'deleted' in fields
    const names = Object.keys({ ...before, ...fields })
    const record: StoredRecord = {
      ...{ v: 1, client, area, id, version: i + 1, createdAtMs: 0, createdBy: 'x' },
      ...{ updatedAtMs: i, updatedBy: 'x', fields: isDeleted ? {} : fields },
      ...(isDeleted && { deletedAtMs: i }),
      _m: {
        ...{ by: { kind: 'system', id: 'x' }, at: i },
        action: isDeleted ? 'delete' : i === 0 ? 'create' : 'update',
        changed: names.filter((name) => before[name] !== fields[name]),
      },
    }
    seq = await log.append(subject, encode(record), seq)
    const message = (await log.last(subject))!
    const { happenings } = await recordOccurrences(message, log)
    types.push(happenings.map(({ event }) => event.type))
    const again = await recordOccurrences(message, log)
    t.same(again.happenings, happenings, 'a repeat gives the same')
    before = fields
  }
  return types
}

t.test('each change of a record causes its event once', async (t) => {
  t.same(await told('contacts', { name: 'a' }, { name: 'b' }, { deleted: true }), [
    ['contact.created'],
    ['contact.updated'],
    ['contact.deleted'],
  ])
  t.same(
    await told(
      'opportunities',
      { status: 'open', stage_id: '1' },
      { status: 'open', stage_id: '2' },
      { status: 'won', stage_id: '2' },
      { status: 'won', stage_id: '2', name: 'x' },
    ),
    [['opportunity.created'], ['opportunity.stage_changed'], ['opportunity.won'], []],
  )
  t.same(
    await told('seo-audits', { status: 'queued' }, { status: 'running' }, { status: 'partial' }),
    [[], [], ['seo_audit.completed']],
  )
  t.same(
    await told(
      'deployments',
      { status: 'pending' },
      { status: 'in_progress' },
      { status: 'failed' },
    ),
    [[], ['deployment.started'], ['deployment.failed']],
  )
})

t.test('an event about a change from a value depends on the previous value', async (t) => {
  t.same(
    await told(
      'monitoring',
      { status: 'unknown' },
      { status: 'up' },
      { status: 'down' },
      { status: 'up' },
    ),
    [[], [], ['monitoring.down'], ['monitoring.recovered']],
  )
  t.same(
    await told(
      'domains',
      { status: 'pending_verification' },
      { status: 'active' },
      { status: 'expiring' },
    ),
    [[], ['domain.verified'], ['domain.expiring']],
  )
  const steps = (status: string) => [{ key: 'a', status }]
  t.same(
    await told(
      'onboarding',
      { status: 'in_progress', steps: steps('in_progress') },
      { status: 'in_progress', steps: steps('completed') },
      {
        status: 'in_progress',
        steps: [...steps('completed'), { key: 'b', status: 'not_started' }],
      },
    ),
    [[], ['onboarding.step_completed'], []],
  )
})

const entry = (kind: string, type: string, value: string, context: object = {}) => ({
  subject: `troupe.v1.log.${kind}.x`,
  seq: 1,
  data: encode({
    ...{ kind, id: `${kind}_1`, at: 7, event: { type } },
    snapshot: { value, context: { tenant: client, version: 3, ...context } },
  }),
})
const ofActor = (surface: 'access' | 'service', ...args: Parameters<typeof entry>) =>
  actorOccurrences(surface, entry(...args)).happenings.map(({ event }) => event.type)

t.test(
  'requests and grants cause events for decisions, a grant’s end also for its endpoints',
  async (t) => {
    t.same(ofActor('access', 'request', 'checked', 'pending'), ['access_request.submitted'])
    t.same(ofActor('access', 'request', 'review', 'pending'), [])
    t.same(ofActor('access', 'request', 'review', 'approved'), ['access_request.approved'])
    t.same(ofActor('access', 'grant', 'confirmed', 'active'), ['grant.activated'])
    t.same(ofActor('access', 'grant', 'used', 'active'), [])
    t.same(ofActor('access', 'grant', 'deadline.expiring', 'suspended'), ['grant.expiring'])
    t.same(ofActor('access', 'grant', 'deadline.expiring', 'ended'), [])
    for (const event of ['confirmed', 'deadline.starts']) {
      const urgent = entry('grant', event, 'active', { emergency: true, endReason: null })
      const [opened] = actorOccurrences('access', urgent).happenings
      t.match(opened?.event, {
        ...{ type: 'grant.activated', object: { kind: 'grant', id: 'grant_1' } },
        more: { status: 'active', reason: 'emergency' },
      })
    }
    const revoked = actorOccurrences('access', entry('grant', 'revoke', 'revoked'))
    t.match(revoked.endedGrant, { tenant: client, id: 'grant_1' })
    t.match(revoked.happenings, [{ event: { type: 'grant.revoked', object: { version: 3 } } }])
  },
)

t.test('changes cause an event for each state that somebody waits for', async (t) => {
  const change = (event: string, status: string) => ofActor('access', 'change', event, status)
  t.same(change('checked', 'proposed'), ['change.proposed'])
  t.same(change('review', 'reviewed'), [])
  t.same(change('review', 'approved'), ['change.approved'])
  t.same(change('checked', 'approved'), ['change.approved'], 'a standard one')
  t.same(change('deadline.window_ends', 'approved'), [], 'its window has passed')
  t.same(change('review', 'rejected'), ['change.rejected'])
  t.same(change('booked', 'scheduled'), ['change.scheduled'])
  t.same(change('applied', 'done'), ['change.done'])
  t.same(change('post_review', 'done'), [])
  t.same(change('fail', 'failed'), ['change.failed'])
})

t.test('a run of a workflow action has the events of its record, by the change', async (t) => {
  const terms = { run: { actionId: 'wfa_1', input: {} } }
  const told = (event: string, status: string, context: object = { terms }) =>
    actorOccurrences('access', entry('change', event, status, context)).happenings
  const [done, run] = told('applied', 'done')
  t.equal(done?.event.type, 'change.done')
  t.match(run?.event, {
    ...{ type: 'workflow_run.succeeded', object: { area: 'workflow-actions', id: 'wfa_1' } },
    more: { status: 'succeeded', run_id: 'change_1' },
  })
  t.not(run?.event.id, done?.event.id)
  t.equal(told('fail', 'failed')[1]?.event.type, 'workflow_run.failed')
  t.equal(told('applied', 'done', { terms: {} }).length, 1, 'of other changes it is not told')
  const described = eventTypeSchemas('access').find(({ type }) => type === 'workflow_run.failed')
  t.match(described, { area: 'workflow-actions', schema: Object })
})

t.test('a session tells when its host loses contact, and when it is back', async (t) => {
  t.same(ofActor('service', 'session', 'host.silent', 'active'), ['session.unreachable'])
  t.same(ofActor('service', 'session', 'host.back', 'active'), ['session.reachable'])
  t.same(
    ofActor('service', 'session', 'host.silent', 'ended', { endedAtMs: 7 }),
    ['session.ended'],
    'it was about to end',
  )
})

t.test('a kept login that a page asks for again has ended, once', async (t) => {
  const told = (profile: object) =>
    ofActor('service', 'session', 'login.filled', 'active', { profile })
  t.same(told({ filled: ['shop'] }), [], 'the profile did not have it')
  t.same(told({ logins: ['shop'], filled: ['shop'], ended: ['shop'] }), ['login.ended'])
  t.same(told({ filled: ['shop', 'bank'], ended: ['shop'] }), [], 'another one')
  t.same(ofActor('service', 'session', 'host.back', 'active', {}), ['session.reachable'])
})

t.test(
  'the recording of a session tells what has become of it, and not that the session ended',
  async (t) => {
    const told = (event: string, recording?: object) =>
      ofActor('service', 'session', event, 'ended', { endedAtMs: 6, recording })
    const made = { outcome: 'ready', seconds: 12 }
    t.same(told('recording.made', made), ['recording.ready'])
    t.same(told('recording.made', { ...made, outcome: 'failed' }), ['recording.failed'])
    t.same(told('tag', made), [], 'once')
    const atOnce = { endedAtMs: 7, recording: made }
    t.same(ofActor('service', 'session', 'recording.made', 'ended', atOnce), ['recording.ready'])
  },
)

t.test('a session ends once, whatever its log has after that', async (t) => {
  t.same(ofActor('service', 'session', 'claimed', 'active'), ['session.created'])
  t.same(ofActor('service', 'session', 'released', 'ended', { endedAtMs: 7 }), ['session.ended'])
  t.same(ofActor('service', 'session', 'tag', 'ended', { endedAtMs: 6 }), [])
})

t.test('task states that an outsider waits for cause events', async (t) => {
  const state = (name: string) => ({
    ...{ subject: 'troupe.v1.pub.task.tsk_1.state', seq: 1 },
    data: Buffer.from(
      JSON.stringify({
        task_id: 'tsk_1',
        n: 2,
        at: new Date(9).toISOString(),
        state: name,
        status: 'X',
      }),
    ),
  })
  const types = async (name: string) =>
    (await taskOccurrences(state(name), async () => 'acme')).happenings.map(
      ({ event }) => event.type,
    )
  t.same(await types('completed'), ['task.completed'])
  t.same(await types('failed'), ['task.failed'])
  t.same(await types('timed_out'), ['task.failed'])
  t.same(await types('cancelled'), ['task.cancelled'])
  t.same(await types('asking'), ['task.needs_input'])
  t.same(await types('paused'), [])
  t.same((await taskOccurrences(state('completed'), async () => undefined)).happenings, [])
})

t.test('the types of each area are those of its definition', async (t) => {
  for (const area of areaKeys) {
    const own = eventTypes.access.filter((one) => one.area === area).map(({ type }) => type)
    t.same([...own].sort(), [...areaDefinitions[area].events].sort(), area)
  }
})

t.test('a name with a star means a kind, and a star alone matches nothing', async (t) => {
  t.same(
    eventTypesNamed('access', 'contact.*').map(({ type }) => type),
    ['contact.created', 'contact.updated', 'contact.deleted'],
  )
  t.same(eventTypesNamed('access', '*'), [])
  t.same(eventTypesNamed('access', 'webhook.*'), [], 'pings cannot be subscribed to')
  for (const surface of ['access', 'service'] as const) {
    const names = eventTypes[surface].map(({ type }) => type)
    t.equal(new Set(names).size, names.length)
    t.equal(eventTypeSchemas(surface).length, names.length)
  }
})
