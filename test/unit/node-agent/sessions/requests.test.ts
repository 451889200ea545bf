/**
 * Goal: a message that NATS loses on the way to a node agent or back costs seconds, and no verb is
 * done twice. Method: the agent's verbs and their callers, on an in-memory bus and clock whose
 * connections are cut.
 */
import { pino } from 'pino'
import t from 'tap'
import { AgentReplyCache } from '../../../../node-agent/verbs/agent-reply-cache.ts'
import type { CommandExecutor } from '../../../../node-agent/commands/command-executor.ts'
import type { AgentSessions } from '../../../../node-agent/sessions/sessions.ts'
import { serveVerbs } from '../../../../node-agent/verbs/verbs.ts'
import type { ServiceError } from '../../../../proto/errors.ts'
import { limits } from '../../../../proto/limits.ts'
import { BusTimeout, NoResponders } from '../../../../runtime/store/bus.ts'
import { askNode } from '../../../../runtime/browser-host/node-client.ts'
import { Random } from '../../../sim/world/random.ts'
import { SimBus, SubjectTable } from '../../../sim/world/bus.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { SimLink } from '../../../sim/world/link.ts'
import { noEvents, noExchanges, noVideos } from '../../../helpers/browser/page-session.ts'

const fenced = { sessionId: 'ses_1', epoch: 1 }
const timeoutMs = 60_000
const tookMs = 100

/** An agent that takes a while for each verb, and a caller. */
function stage({ isHeld = false, isInherited = false } = {}) {
  const timeline = new Timeline()
  const table = new SubjectTable()
  const process = (name: string) => {
    const link = new SimLink(new SimProcess(timeline, name), new Random(1))
    return { link, bus: new SimBus(table, link) }
  }
  const [agent, asker] = [process('agent'), process('asker')]
  const done: string[] = []
  const does = (verb: string, reply: unknown) => async () => {
    done.push(verb)
    await new Promise<void>((resolve) => timeline.after(tookMs, resolve))
    return reply
  }
  const verbs = serveVerbs({
    bus: agent.bus,
    nodeId: 'n1',
    sessions: {
      holds: does('holds', { browserId: null }),
      holdsBrowser: () => isHeld,
      isInherited: () => isInherited,
    } as unknown as AgentSessions,
    commands: { run: does('run', [{ ok: true, value: 'clicked' }]) } as unknown as CommandExecutor,
    glances: { of: async () => ({ pages: [] }) },
    traces: { read: async () => ({ bytes: new Uint8Array() }) },
    events: noEvents,
    exchanges: noExchanges,
    videos: noVideos,
    close: async () => {},
    reopen: async () => {},
    saveRunning: () => Promise.reject(new Error('it saves nothing')),
    mayAct: () => true,
    log: pino({ level: 'silent' }),
  })
  const gone = new AbortController()
  const run = () =>
    askNode(asker.bus, 'n1', 'run', { ...fenced, actions: [], withinMs: timeoutMs }, timeoutMs, {
      agentGone: gone.signal,
    })
  const holds = () => askNode(asker.bus, 'n1', 'holds', fenced, timeoutMs)
  return { timeline, agent: agent.link, asker: asker.link, verbs, done, run, holds, gone }
}

const causeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: ServiceError) => error.cause,
  )

t.test('a lost answer is asked for again, and nothing is done twice', async (t) => {
  const { timeline, agent, done, run } = stage()
  const answered = run()
  await timeline.run(tookMs / 2)
  agent.cut('bus')
  await timeline.run(tookMs)
  agent.mend()
  t.same(await timeline.until(answered, 2 * limits.nodeTryMs), [{ ok: true, value: 'clicked' }])
  t.same(done, ['run'])
})

t.test('a verb that takes longer than one try is still done once', async (t) => {
  const { timeline, agent, done, run } = stage()
  const answered = run()
  await timeline.run(tookMs / 2)
  agent.cut('bus')
  await timeline.run(3 * limits.nodeTryMs)
  agent.mend()
  t.same(await timeline.until(answered, 2 * limits.nodeTryMs), [{ ok: true, value: 'clicked' }])
  t.same(done, ['run'])
})

t.test('a lost question has an unknown outcome, unless repeating it is safe', async (t) => {
  const { timeline, asker, done, run, holds } = stage()
  asker.cut('bus')
  const lost = causeOf(run())
  const repeated = holds()
  await timeline.run(limits.nodeTryMs / 2)
  asker.mend()
  t.type(await timeline.until(lost, 2 * limits.nodeTryMs), BusTimeout)
  t.same(await timeline.until(repeated, 2 * limits.nodeTryMs), { browserId: null })
  t.same(done, ['holds'])
})

t.test('a lost question about a session that is held here is carried out, once', async (t) => {
  const { timeline, asker, done, run } = stage({ isHeld: true })
  asker.cut('bus')
  const answered = run()
  await timeline.run(limits.nodeTryMs / 2)
  asker.mend()
  t.same(await timeline.until(answered, 2 * limits.nodeTryMs), [{ ok: true, value: 'clicked' }])
  t.same(done, ['run'])
})

t.test('not if an earlier agent held it, which may have begun it', async (t) => {
  const { timeline, asker, done, run } = stage({ isHeld: true, isInherited: true })
  asker.cut('bus')
  const lost = causeOf(run())
  await timeline.run(limits.nodeTryMs / 2)
  asker.mend()
  t.type(await timeline.until(lost, 2 * limits.nodeTryMs), BusTimeout)
  t.same(done, [])
})

t.test('the death of the agent ends the wait: its successor is asked at once', async (t) => {
  for (const isKnown of [true, false]) {
    const { timeline, agent, done, run, gone } = stage({ isHeld: true, isInherited: true })
    const answered = run()
    if (!isKnown) agent.cut('bus')
    await timeline.run(tookMs / 2)
    agent.mend()
    gone.abort(new BusTimeout('n1', 0))
    const withinMs = limits.nodeTryMs / 2
    if (isKnown) t.same(await timeline.until(answered, withinMs), [{ ok: true, value: 'clicked' }])
    else t.type(await timeline.until(causeOf(answered), withinMs), BusTimeout)
    t.same(done, isKnown ? ['run'] : [])
  }
})

t.test('an agent that is gone: nothing was started if it was never there', async (t) => {
  const { timeline, agent, verbs, run } = stage()
  const unknown = causeOf(run())
  await timeline.run(tookMs / 2)
  agent.cut('bus')
  verbs.stop()
  t.type(await timeline.until(unknown, 2 * limits.nodeTryMs), BusTimeout)
  t.type(await timeline.until(causeOf(run()), 1_000), NoResponders)
})

t.test('an agent that never answers is not waited for beyond the given time', async (t) => {
  const { timeline, agent, run } = stage()
  agent.cut('bus')
  const late = causeOf(run())
  await timeline.run(timeoutMs + 1)
  t.type(await timeline.until(late, 1), BusTimeout)
})

t.test('answers are remembered up to a number of bytes', async (t) => {
  const asks = new AgentReplyCache()
  const half = new Uint8Array(limits.nodeAnswersBytes / 2)
  for (const id of ['a', 'b', 'c']) await asks.once(id, async () => half)
  t.same(
    ['a', 'b', 'c'].map((id) => asks.known(id) !== undefined),
    [false, true, true],
  )
})
