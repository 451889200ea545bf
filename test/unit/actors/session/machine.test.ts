/**
 * Goal: a session keeps the promises of its states, deadlines and reasons; its machine alone, no
 * runtime.
 */
import t from 'tap'
import { sessionMachine } from '../../../../actors/session/machine.ts'
import { admitSession } from '../../../../actors/session/admit.ts'
import { sessionView } from '../../../../actors/session/view.ts'
import { limits } from '../../../../proto/limits.ts'
import {
  persistSnapshot,
  restoreSnapshot,
  type MachineStep,
} from '../../../../runtime/actor/cell/machine.ts'
import {
  active,
  after,
  agent,
  answer,
  claim,
  context,
  created,
  start,
  stateOf,
  statusOf,
  type SessionStep,
} from '../../../helpers/runtime/session-machine.ts'

const minute = 60_000
const kinds = ({ requested }: MachineStep) => requested.map(({ kind }) => kind)

t.test('a new session asks for a browser, and is active once it has one', async (t) => {
  const first = created()
  t.equal(stateOf(first), 'claiming')
  t.same(kinds(first), ['claim'])
  const next = active()
  t.equal(stateOf(next), 'active')
  t.same(context(next).deadlines, {
    max: start + 20 * minute,
    idle: start + 10 + 5 * minute,
  })
})

t.test('-1 switches a limit off', async (t) => {
  const next = active({ session: { timeout: { max_duration: -1, idle_timeout: -1 } } })
  t.same(context(next).deadlines, {})
})

t.test('it is idle only from the end of the last connection', async (t) => {
  const connected = after(active(), { type: 'attach', by: 'g1' }, { type: 'attach', by: 'g2' })
  t.same(Object.keys(context(connected).deadlines), ['max'])
  const one = after(connected, { type: 'disconnected', by: 'g1', at: start + minute })
  t.same(Object.keys(context(one).deadlines), ['max'])
  const none = after(one, { type: 'disconnected', by: 'g2', at: start + 2 * minute })
  t.equal(context(none).deadlines['idle'], start + 7 * minute)
  const told = { type: 'disconnected', by: 'g2', at: start + 2 * minute, quietMs: 5_000 } as const
  const late = after(one, told)
  t.equal(context(late).deadlines['idle'], start + 7 * minute - 5_000, 'counted from when it was')
})

t.test('a dead gateway’s connections do not keep it open', async (t) => {
  const held = after(active(), { type: 'attach', by: 'g1' })
  const dead = after(held, { type: 'host.dead', incarnation: 'g1', at: start + minute })
  t.same(context(dead).holders, [])
  t.equal(context(dead).deadlines['idle'], start + 6 * minute)
})

const silent = { type: 'host.silent', incarnation: agent, at: start + minute }
const back = { type: 'host.back', incarnation: agent, at: start + 2 * minute }

t.test('it is unreachable while its host is silent, keeps everything, and goes on', async (t) => {
  const held = after(active(), { type: 'attach', by: 'g1' })
  const lost = after(held, silent)
  t.equal(statusOf(lost), 'unreachable')
  t.equal(sessionView(lost.snapshot as never).unreachableSinceMs, start + minute)
  t.same(context(lost).holders, ['g1'])
  t.same(context(lost).deadlines, context(held).deadlines)
  t.equal(after(lost, silent).snapshot, lost.snapshot, 'told again, nothing changes')
  const again = after(lost, back)
  t.equal(statusOf(again), 'running')
  t.notOk(sessionView(again.snapshot as never).unreachableSinceMs)
  t.equal(after(again, back).snapshot, again.snapshot)
})

t.test('the silence of another host does not concern it', async (t) => {
  const held = after(active(), { type: 'attach', by: 'g1' })
  t.equal(after(held, { ...silent, incarnation: 'g1' }).snapshot, held.snapshot)
  t.equal(after(held, { ...silent, incarnation: 'n2.node-agent.01' }).snapshot, held.snapshot)
  t.equal(after(held, back).snapshot, held.snapshot, 'nor the return of one that was not silent')
})

t.test('an unreachable session is lost with its host', async (t) => {
  const lost = after(active(), silent, { type: 'host.dead', incarnation: agent })
  t.equal(stateOf(lost), 'lost')
  t.equal(context(lost).reason, 'node_lost')
  t.notOk(sessionView(lost.snapshot as never).unreachableSinceMs)
})

for (const [why, event, reason] of [
  ['deleted', { type: 'end', reason: 'deleted' }, 'deleted'],
  ['idle', { type: 'deadline.idle' }, 'idle'],
  ['too old', { type: 'deadline.max' }, 'max_duration'],
] as const) {
  t.test(`an unreachable session ends without waiting for its host: ${why}`, async (t) => {
    const over = after(active(), silent, event)
    t.equal(stateOf(over), 'ended')
    t.equal(context(over).reason, reason)
    t.same(kinds(over), ['release', 'audit_end'])
  })
}

t.test('a session that is ending does not wait for a host that becomes silent', async (t) => {
  const ending = after(active(), { type: 'end', reason: 'deleted' })
  t.equal(stateOf(ending), 'ending')
  t.equal(stateOf(after(ending, silent)), 'ended')
})

t.test('a repeated connection of one gateway changes nothing', async (t) => {
  const held = after(active(), { type: 'attach', by: 'g1' })
  const again = after(held, { type: 'attach', by: 'g1' })
  t.equal(again.snapshot, held.snapshot)
})

const endings: readonly [string, SessionStep, string, string][] = [
  ['deleted', { type: 'end', reason: 'deleted' }, 'ending', 'deleted'],
  ['idle', { type: 'deadline.idle' }, 'ending', 'idle'],
  ['too old', { type: 'deadline.max' }, 'ending', 'max_duration'],
  ['its agent died', { type: 'host.dead', incarnation: agent }, 'lost', 'node_lost'],
  [
    'its browser crashed',
    { type: 'browser.gone', browserId: 'brw_1', cause: 'crashed', detail: 'signal 9' },
    'failed',
    'browser_crashed',
  ],
  [
    'its browser was closed',
    { type: 'browser.gone', browserId: 'brw_1', cause: 'closed', detail: '' },
    'ended',
    'browser_closed',
  ],
]
for (const [why, event, state, reason] of endings) {
  t.test(`an active session ends: ${why}`, async (t) => {
    const next = after(active(), event)
    t.equal(stateOf(next), state)
    t.equal(context(next).reason, reason)
    t.same(context(next).deadlines, {})
    t.same(kinds(next), state === 'ending' ? ['release'] : ['audit_end'])
    const over = state === 'ending' ? after(next, { type: 'released' }) : next
    t.not(stateOf(over), 'ending')
    t.equal(context(over).endedAtMs, start)
    const who = { sessionId: 'ses_1', tenant: 'acme', keyId: 'k' }
    t.match(over.requested, [{ kind: 'audit_end', params: { ...who, reason } }])
  })
}

t.test('the end of another browser has no effect', async (t) => {
  const before = active()
  const gone = { type: 'browser.gone', browserId: 'brw_2', cause: 'crashed', detail: '' }
  t.equal(after(before, gone).snapshot, before.snapshot)
})

t.test('a refused claim fails the session, and its creator gets the refusal', async (t) => {
  const error = { type: 'queue_full', message: 'No browser is free.', details: { limit: 4 } }
  const failed = after(created(), { type: 'effect.failed', kind: 'claim', effectId: 'e', error })
  t.equal(stateOf(failed), 'failed')
  const refused = refusal(() => answer(failed.snapshot, { type: 'created' }))
  t.match(refused, { type: 'queue_full', status: 429, details: { limit: 4 } })
  t.match(answer(failed.snapshot, { type: 'get' }), { view: { status: 'failed' } })
})

t.test('an end before its browser arrives releases the browser on arrival', async (t) => {
  const ending = after(created(), { type: 'end', reason: 'caller_gone' })
  t.equal(stateOf(ending), 'ending')
  t.same(ending.requested, [
    { kind: 'release', retry: 'safe', params: { sessionId: 'ses_1', claim: null } },
  ])
})

t.test('a take-over checks that the browser still exists', async (t) => {
  t.same(kinds(after(active(), { type: 'recovered', epoch: 2 })), ['verify'])
})

t.test('attach returns the claim and the epoch, from which a ticket is made', async (t) => {
  const held = after(active(), { type: 'attach', by: 'g1' })
  const reply = answer(held.snapshot, { type: 'attach', by: 'g1' })
  t.match(reply, { claim: { ticketSecret: 'secret' }, epoch: 3, view: { id: 'ses_1' } })
})

t.test('more time moves its end, and its idle time no further than from now', async (t) => {
  const before = active()
  const after5 = after(before, { type: 'extend', minutes: 5, at: start + 2 * minute })
  t.same(context(after5).deadlines, { max: start + 25 * minute, idle: start + 7 * minute })
  const soon = after(before, { type: 'extend', minutes: 1, at: start + minute })
  t.equal(context(soon).deadlines['idle'], start + 10 + 5 * minute, 'it is never less')
  const held = after(before, { type: 'attach', by: 'g1' }, { type: 'extend', minutes: 1 })
  t.same(Object.keys(context(held).deadlines), ['max'], 'one in use has no idle time')
  const unlimited = active({ session: { timeout: { max_duration: -1, idle_timeout: -1 } } })
  t.same(context(after(unlimited, { type: 'extend', minutes: 1 })).deadlines, {})
})

t.test(
  'a session with a profile notes each login that it fills in, and those that it had',
  async (t) => {
    const filled = { type: 'login.filled', login: 'shop' } as const
    t.notOk(context(after(active(), filled)).profile, 'without a profile nothing is kept')
    const options = { browser: { profile: { name: 'work', persist: true } } }
    const first = after(active(options), filled, filled, { ...filled, login: 'bank' })
    t.same(context(first).profile, { filled: ['shop', 'bank'] })
    const [release] = after(first, { type: 'deadline.idle' }).requested
    t.match(release, { params: { profile: { name: 'work', logins: ['shop', 'bank'] } } })
    const begun = after(created(options), {
      ...{ type: 'claimed', claim, profile: { version: 3, logins: ['shop'] } },
    })
    const again = after(begun, { ...filled, login: 'bank' }, filled)
    t.match(context(again).profile, { filled: ['bank', 'shop'], ended: ['shop'] })
    t.match(sessionView(again.snapshot as never).profile, { version: 3, ended: ['shop'] })
    t.same(again.requested, [])
  },
)

t.test('a profile that was saved after its session has ended is told as saved', async (t) => {
  const options = { browser: { profile: { name: 'work', persist: true } } }
  const gone = { type: 'browser.gone', browserId: claim.browserId, cause: 'crashed' } as const
  const ended = after(active(options), { type: 'deadline.idle' }, { ...gone, detail: '' })
  t.equal(stateOf(ended), 'ended')
  const shown = (world: typeof ended) => sessionView(world.snapshot as never).profile
  t.match(shown(ended), { problem: /idle/ })
  const problem = 'The host does not answer.'
  t.match(shown(after(ended, { type: 'released', profile: { problem } })), { problem: /idle/ })
  const saved = after(ended, { type: 'released', profile: { saved: 4 } })
  t.strictSame(shown(saved), { saved: 4 })
  t.same(saved.requested, [])
})

t.test('an ended session can be read and ended, nothing else', async (t) => {
  const ended = after(active(), { type: 'deadline.idle' }, { type: 'released' }).snapshot
  for (const type of ['attach', 'extend', 'tag', 'live.revoke'] as const) {
    const refused = { type: 'session_ended', status: 410, details: { reason: 'idle' } }
    t.match(
      refusal(() => admitSession(ended as never, { type, by: 'g1', tags: [], minutes: 1 })),
      refused,
    )
  }
  t.doesNotThrow(() => admitSession(ended as never, { type: 'get' }))
  t.doesNotThrow(() => admitSession(ended as never, { type: 'end', reason: 'deleted' }))
})

t.test('an agent is told which browsers to keep', async (t) => {
  const keep = (from: MachineStep, browserId = 'brw_1') =>
    answer(from.snapshot, { type: 'browser.report', browserId })
  t.same(keep(created()), { keep: true }, 'the answer to its claim is on its way')
  t.same(keep(active()), { keep: true })
  t.same(keep(active(), 'brw_2'), { keep: false }, 'that one was claimed in vain')
  t.same(keep(after(active(), { type: 'deadline.idle' })), { keep: false })
})

t.test('no secret appears in the view', async (t) => {
  const proxy = {
    active: true,
    type: 'custom',
    server: 'http://p:1',
    username: 'u',
    password: 'pw',
  }
  const { snapshot } = active({ session: { proxy } })
  const text = JSON.stringify(sessionView(snapshot as never))
  t.notMatch(text, /pw|secret|9222/)
  t.match(text, /"username":"u"/)
})

t.test('tasks take turns, in the order of their arrival', async (t) => {
  const enter = (task: string) => ({ type: 'task.enter', task })
  const leave = (task: string) => ({ type: 'task.leave', task })
  const first = after(active(), enter('tsk_1'))
  t.match(first.requested, [{ kind: 'give_turn', params: { task: 'tsk_1' } }])
  const second = after(first, enter('tsk_2'))
  t.match(second.requested, [{ kind: 'give_turn', params: { task: 'tsk_1' } }], 'is it alive?')
  const both = after(second, enter('tsk_1'))
  t.equal(both.snapshot, second.snapshot)
  const turn = { sessionId: 'ses_1', nodeId: 'n1', browserId: 'brw_1', epoch: 3 }
  t.match(answer(both.snapshot, enter('tsk_1')), { turn })
  t.notOk((answer(both.snapshot, enter('tsk_2')) as { turn?: unknown }).turn)
  const next = after(both, leave('tsk_1'))
  const { epoch: _, ...told } = turn
  t.same(next.requested, [
    { kind: 'give_turn', retry: 'safe', params: { task: 'tsk_2', turn: told } },
  ])
  t.same(kinds(after(both, leave('tsk_2'))), [], 'the first has its turn already')
  t.same(kinds(after(next, leave('tsk_2'))), [], 'nobody is left to be told')
  t.equal(after(next, leave('tsk_9')).snapshot, next.snapshot)
})

t.test('a task that arrived before the browser is told when it is there', async (t) => {
  const waiting = after(created(), { type: 'task.enter', task: 'tsk_1' })
  const reply = answer(waiting.snapshot, { type: 'task.enter', task: 'tsk_1' })
  t.notOk((reply as { turn?: unknown }).turn)
  const ready = after(waiting, { type: 'claimed', claim, at: start + 10 })
  t.match(ready.requested, [{ kind: 'give_turn', params: { task: 'tsk_1' } }])
  t.same(Object.keys(context(ready).deadlines), ['max'])
})

t.test('a session with a task is not idle', async (t) => {
  const busy = after(active(), { type: 'task.enter', task: 'tsk_1' })
  t.same(Object.keys(context(busy).deadlines), ['max'])
  const one = after(busy, { type: 'attach', by: 'g1' }, { type: 'disconnected', by: 'g1' })
  t.same(Object.keys(context(one).deadlines), ['max'])
  const held = after(busy, { type: 'attach', by: 'g1' }, { type: 'task.leave', task: 'tsk_1' })
  t.same(Object.keys(context(held).deadlines), ['max'])
  const done = after(busy, { type: 'task.leave', task: 'tsk_1', at: start + minute })
  t.equal(context(done).deadlines['idle'], start + 6 * minute)
})

t.test('tasks are told once of the session’s end, with the reason', async (t) => {
  const busy = after(active(), { type: 'task.enter', task: 'tsk_1' })
  const ending = after(busy, { type: 'end', reason: 'deleted' })
  const dismiss = (reason: string, message: string | null) => ({
    kind: 'dismiss',
    retry: 'safe',
    params: { sessionId: 'ses_1', tasks: ['tsk_1'], reason, message },
  })
  t.same(ending.requested.at(-1), dismiss('deleted', null))
  t.same(kinds(after(ending, { type: 'released' })), ['audit_end'])
  const lost = after(busy, { type: 'host.dead', incarnation: agent })
  t.same(
    lost.requested.filter(({ kind }) => kind === 'dismiss'),
    [dismiss('node_lost', 'The host of the browser was lost.')],
  )
  const refused = refusal(() =>
    admitSession(lost.snapshot as never, { type: 'task.enter', task: 'x' }),
  )
  t.match(refused, { type: 'session_ended', details: { reason: 'node_lost' } })
})

t.test('the number of a session’s tasks is limited', async (t) => {
  const some = Array.from({ length: limits.tasksPerSession }, (_, i) => ({
    type: 'task.enter',
    task: `tsk_${i}`,
  }))
  const full = after(active(), ...some).snapshot as never
  t.match(
    refusal(() => admitSession(full, { type: 'task.enter', task: 'tsk_new' })),
    { type: 'queue_full' },
  )
  t.doesNotThrow(() => admitSession(full, { type: 'task.enter', task: 'tsk_7' }))
})

t.test('a session recorded by a version without tasks still works', async (t) => {
  const { tasks: _, ...before } = context(active())
  const snapshot = {
    ...(persistSnapshot(sessionMachine, active().snapshot) as object),
    context: before,
  }
  const old = { snapshot: restoreSnapshot(sessionMachine, snapshot), requested: [] }
  const entered = after(old, { type: 'task.enter', task: 'tsk_1' })
  t.same(context(entered).tasks, ['tsk_1'])
  t.equal(stateOf(after(old, { type: 'deadline.idle' }, { type: 'released' })), 'ended')
})

t.test('a state survives being stored in the log', async (t) => {
  const { snapshot } = after(active(), { type: 'attach', by: 'g1' })
  const back = restoreSnapshot(
    sessionMachine,
    JSON.parse(JSON.stringify(persistSnapshot(sessionMachine, snapshot))),
  )
  t.equal(back.value, 'active')
  t.same(back.context, snapshot.context)
})

function refusal(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}
