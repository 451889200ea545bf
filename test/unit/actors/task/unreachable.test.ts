/**
 * Goal: a task waits for a browser whose host is out of contact for as long as its session does, and
 * gives up on one that just does not answer. Method: a bus on which nobody listens, a session that
 * says how it is, and a simulated clock.
 */
import t from 'tap'
import { TaskBrowser } from '../../../../actors/task/effects/browser.ts'
import { taskRunLimits } from '../../../../actors/task/limits.ts'
import { encode } from '../../../../proto/codec.ts'
import type { SessionTurn } from '../../../../proto/session/session-protocol.ts'
import { NoResponders } from '../../../../runtime/store/bus.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const turn: SessionTurn = { sessionId: 'ses_1', nodeId: 'n1', browserId: 'brw_1', epoch: 1 }

function stage(status: () => 'running' | 'unreachable', answers: () => boolean) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'actors')
  const bus = {
    messageBytes: 1_000,
    request: async (subject: string) => {
      if (!answers()) throw new NoResponders(subject)
      return encode({ ok: true, value: [{ ok: true, value: {} }] })
    },
  }
  const directory = { ask: async () => ({ turn, view: { status: status() } }) }
  const deps = { bus, clock, directory } as never
  const signal = new AbortController().signal
  const browser = new TaskBrowser(deps, { actorId: 'tsk_1', epoch: 1, signal }, turn)
  const run = () => browser.run([{ command: 'tab_list', input: {} }], 'safe')
  return { clock, run, within: (ms: number) => timeline.until(run(), ms) }
}

t.test('it waits while the session is unreachable, and goes on', async (t) => {
  let isBack = false
  const { clock, within } = stage(
    () => 'unreachable',
    () => isBack,
  )
  clock.timer(3 * taskRunLimits.taskReachMs, () => (isBack = true))
  t.same(await within(4 * taskRunLimits.taskReachMs), [{ ok: true, value: {} }])
})

t.test('it gives up on a host that does not answer though it has contact', async (t) => {
  const { within } = stage(
    () => 'running',
    () => false,
  )
  await t.rejects(within(2 * taskRunLimits.taskReachMs), /does not answer/)
})
