/**
 * Goal: session actors and the agent come to agree. Method: played actor hosts that answer, refuse
 * or are away, and the in-memory store.
 */
import { pino } from 'pino'
import t from 'tap'
import type { SessionFiles } from '../../../../node-agent/files/session-files.ts'
import { encode } from '../../../../proto/codec.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { newId } from '../../../../proto/ids.ts'
import { sessionOptions } from '../../../../proto/session/session.ts'
import { buckets, ownerKey, subjects } from '../../../../proto/subjects.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import type { OwnerRecord } from '../../../../runtime/actor/ownership/ownership.ts'
import { actorExists } from '../../../../runtime/actor/ownership/actor-exists.ts'
import { StoreUnavailable } from '../../../../runtime/store/store.ts'
import { Reconciler } from '../../../../node-agent/sessions/reconcile.ts'
import type { SessionReports } from '../../../../node-agent/sessions/session-reports.ts'
import type { AgentReport } from '../../../../proto/browser-host/agent-reports.ts'
import { AgentSessions, type SessionBrowser } from '../../../../node-agent/sessions/sessions.ts'
import type { Said } from '../../../helpers/runtime/said.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { hostedSessionLimits } from '../../../../node-agent/sessions/limits.ts'

type Answer = (event: Said) => unknown

async function setUp(answer: Answer, log = pino({ level: 'silent' })) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'agent')
  const asked: { id: string; type: string; cause?: string; detail?: string }[] = []
  const drained: SessionBrowser[] = []
  const browser: SessionBrowser = {
    id: newId('brw'),
    devtools: { port: 1, path: '/' },
    ownContextId: 'C',
    scratch: { downloads: '/' },
    files: {} as SessionFiles,
    keepFor: () => undefined,
    applyOptions: () => undefined,
    pages: async () => [],
  }
  const source = {
    take: async () => browser,
    drain: (gone: SessionBrowser) => void drained.push(gone),
  }
  const incarnation = 'n.node-agent.0' as const
  const sessions = new AgentSessions(source, {
    nodeId: 'n',
    incarnation,
    machine: 'm',
    dataUrl: '',
  })
  const sessionId = newId('ses')
  const options = sessionOptions({})
  await sessions.claim({ sessionId, epoch: 1, options, waitMs: 0 })
  const store = new MemoryStore()
  let storeAnswers = true
  const reports = {
    send: async (id: string, report: AgentReport) => {
      if (report.type === 'session.recorded') {
        if (!storeAnswers) throw new StoreUnavailable('test')
        return actorExists(store, 'session', id)
      }
      asked.push({ id, ...report })
      return answer(report)
    },
  } as SessionReports
  const reconciler = new Reconciler({ sessions, reports, clock, log })
  const setStore = (answers: boolean) => (storeAnswers = answers)
  return { store, setStore, timeline, asked, drained, browser, sessions, sessionId, reconciler }
}

const exit = {
  code: null,
  signal: 'SIGSEGV',
  stderr: "touch: cannot touch '/tmp/x/lock'\n",
} as const

t.test('a crash is reported with its cause, a client’s close as a close', async (t) => {
  const { asked, browser, sessions, reconciler, sessionId } = await setUp(() => ({}))
  reconciler.browserGone(browser, exit)
  await Promise.resolve()
  const detail = 'The browser crashed (signal SIGSEGV).'
  t.match(asked[0], { id: sessionId, type: 'browser.gone', cause: 'crashed', detail })
  t.same(sessions.held(), [])

  const failed = await setUp(() => ({}))
  const why = 'The X server (Xvfb) ended with signal SIGKILL.'
  failed.reconciler.browserGone(failed.browser, {
    ...exit,
    code: 0,
    signal: null,
    failure: why,
  })
  await Promise.resolve()
  t.match(failed.asked[0], { cause: 'crashed', detail: why })

  const other = await setUp(() => ({}))
  other.reconciler.browserGone(other.browser, { code: 0, signal: null, stderr: '' })
  await Promise.resolve()
  t.match(other.asked[0], { type: 'browser.gone', cause: 'closed' })
})

t.test('the browser’s last output is for the log, not for its tenant', async (t) => {
  const written: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void written.push(line) })
  const { asked, browser, reconciler, sessionId } = await setUp(() => ({}), log)
  reconciler.browserGone(browser, exit)
  t.notMatch(JSON.stringify(asked), /tmp/)
  t.equal(written.length, 1)
  t.match(JSON.parse(written[0]!), { session: sessionId, browser: browser.id, stderr: exit.stderr })
})

t.test('a crash report without an answer is repeated until there is one', async (t) => {
  let away = true
  const { timeline, asked, browser, reconciler } = await setUp(() => {
    if (away) throw new ServiceError('timeout', 'nobody there')
    return {}
  })
  reconciler.browserGone(browser, exit)
  await timeline.run(2 * hostedSessionLimits.reconcileMs + 1)
  t.equal(asked.length, 3)
  away = false
  await timeline.run(3 * hostedSessionLimits.reconcileMs)
  t.equal(asked.length, 4, 'heard once, and never told again')
})

t.test('a browser that its session still needs is kept', async (t) => {
  const { timeline, asked, drained } = await setUp(() => ({ keep: true }))
  await timeline.run(2 * hostedSessionLimits.reconcileMs + 1)
  t.same(
    asked.map(({ type }) => type),
    ['browser.report', 'browser.report'],
  )
  t.same(drained, [])
})

t.test('a browser that no session needs is ended', async (t) => {
  const refused = await setUp(() => ({ keep: false }))
  await refused.timeline.run(hostedSessionLimits.reconcileMs + 1)
  t.equal(refused.drained.length, 1)
})

const notFound = () => {
  throw new ServiceError('not_found', 'no such session')
}

/** Gives these answers in order; the last one from then on. */
function inTurn(...answers: readonly Answer[]): Answer {
  let next = 0
  return (event) => answers[Math.min(next++, answers.length - 1)]!(event)
}

t.test('a session that does not exist any more has its browser ended', async (t) => {
  const { timeline, asked, drained } = await setUp(notFound)
  const { reconcileMs, notFoundRetryMs } = hostedSessionLimits
  await timeline.run(reconcileMs + 1)
  t.same(drained, [])
  await timeline.run(notFoundRetryMs + 1)
  t.equal(asked.length, hostedSessionLimits.notFoundAnswers)
  t.equal(drained.length, 1)
})

t.test('a single answer that a session does not exist ends no browser', async (t) => {
  const keep = () => ({ keep: true })
  const away = () => {
    throw new ServiceError('timeout', 'nobody there')
  }
  for (const other of [keep, away]) {
    const answers = [notFound, other, notFound, other]
    const { timeline, asked, drained } = await setUp(inTurn(...answers))
    const { reconcileMs, notFoundRetryMs } = hostedSessionLimits
    await timeline.run(4 * reconcileMs + 2 * notFoundRetryMs + 1)
    t.equal(asked.length, 6)
    t.same(drained, [])
  }
})

t.test('nor do many, while the store has the session or does not answer', async (t) => {
  const { store, setStore, sessionId, timeline, drained } = await setUp(notFound)
  const log = subjects.log('session', sessionId)
  await store.log.append(log, Buffer.from('an entry'), 0)
  await timeline.run(4 * hostedSessionLimits.reconcileMs + 1)
  t.same(drained, [], 'it has a log')

  const owners = store.bucket(buckets.owners)
  const owner = { state: 'owned', incarnation: 'n.actors.0', epoch: 1 } satisfies OwnerRecord
  await owners.put(ownerKey('session', sessionId), encode(owner))
  await store.log.purge(log)
  await timeline.run(4 * hostedSessionLimits.reconcileMs)
  t.same(drained, [], 'it has an owner')

  setStore(false)
  await owners.put(ownerKey('session', sessionId), encode({ ...owner, state: 'resting' }))
  await timeline.run(4 * hostedSessionLimits.reconcileMs)
  t.same(drained, [], 'unknown')

  setStore(true)
  await timeline.run(hostedSessionLimits.reconcileMs)
  t.equal(drained.length, 1, 'it has neither')
})

t.test('a crash is reported again to a session that was once called unknown', async (t) => {
  const { timeline, asked, browser, reconciler } = await setUp(inTurn(notFound, () => ({})))
  reconciler.browserGone(browser, exit)
  await timeline.run(3 * hostedSessionLimits.reconcileMs)
  t.equal(asked.length, 2)

  const unknown = await setUp(notFound)
  unknown.reconciler.browserGone(unknown.browser, exit)
  await unknown.timeline.run(4 * hostedSessionLimits.reconcileMs)
  t.equal(unknown.asked.length, hostedSessionLimits.notFoundAnswers, 'and not for ever')
})

t.test('missing answers do not end a browser', async (t) => {
  const { timeline, drained } = await setUp(() => {
    throw new ServiceError('timeout', 'nobody there')
  })
  await timeline.run(5 * hostedSessionLimits.reconcileMs)
  t.same(drained, [])
})

t.test('a host that shuts down tells every session', async (t) => {
  const { asked, browser, reconciler, sessionId } = await setUp(() => null)
  await reconciler.announceDrain()
  t.same(asked, [{ id: sessionId, type: 'browser.draining', browserId: browser.id }])
})
