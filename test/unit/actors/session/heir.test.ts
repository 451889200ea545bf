/**
 * Goal: the browser of a session changes hands only from an agent of its host to the next one. Method:
 * the session's machine alone.
 */
import t from 'tap'
import {
  active,
  after,
  agent,
  answer,
  claim,
  context,
  created,
  stateOf,
  statusOf,
} from '../../../helpers/runtime/session-machine.ts'

const silent = { type: 'host.silent', incarnation: agent }
const heir = {
  type: 'browser.adopt',
  browserId: 'brw_1',
  nodeId: 'n1',
  incarnation: 'n1.node-agent.02',
  dataUrl: 'http://n1:2',
}

t.test('an agent that takes its browser over is its agent from then on', async (t) => {
  const { type: _, nodeId: __, browserId: ___, ...changed } = heir
  const next = after(active(), silent, heir)
  t.equal(statusOf(next), 'running', 'and it is reachable')
  t.same(context(next).claim, { ...claim, ...changed })
  t.match(answer(next.snapshot, heir), { keep: true, claim: changed, tenant: 'acme', epoch: 3 })
  t.equal(after(next, heir).snapshot, next.snapshot, 'told again, nothing changes')
  t.equal(stateOf(after(next, { type: 'host.dead', incarnation: agent })), 'active')
  t.equal(stateOf(after(next, { type: 'host.dead', incarnation: heir.incarnation })), 'lost')
})

t.test('an agent cannot take over what the session has not', async (t) => {
  for (const [what, from, event] of [
    ['another browser', active(), { ...heir, browserId: 'brw_2' }],
    ['a browser of another host', active(), { ...heir, nodeId: 'n2' }],
    ['one that has not been claimed yet', created(), heir],
    ['one that is being released', after(active(), { type: 'end', reason: 'deleted' }), heir],
    ['one that was lost', after(active(), { type: 'host.dead', incarnation: agent }), heir],
  ] as const) {
    const next = after(from, event)
    t.equal(next.snapshot, from.snapshot, what)
    t.same(answer(next.snapshot, event), { keep: false }, what)
  }
})
