/**
 * Goal: session actors and the agent come to agree. Method: a pretended directory that answers,
 * refuses or is away.
 */
import { pino } from 'pino'
import t from 'tap'
import type { SessionFiles } from '../../node-agent/files/session-files.ts'
import { ServiceError } from '../../proto/errors.ts'
import { newId } from '../../proto/ids.ts'
import { limits } from '../../proto/limits.ts'
import type { NodeEvent } from '../../proto/node.ts'
import { sessionOptions } from '../../proto/session.ts'
import { Reconciler, type Asks } from '../../node-agent/reconcile.ts'
import { Sessions, type SessionBrowser } from '../../node-agent/sessions.ts'
import { SimProcess, Timeline } from '../sim/sim-clock.ts'

type Answer = (event: NodeEvent | { type: 'end' }) => unknown

async function setUp(answer: Answer, log = pino({ level: 'silent' })) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'agent')
  const asked: { id: string; type: string; cause?: string; detail?: string }[] = []
  const directory: Asks = {
    ask: async <T>(_kind: string, id: string, command: NodeEvent | { type: 'end' }) => {
      asked.push({ id, ...command })
      return answer(command) as T
    },
  }
  const drained: SessionBrowser[] = []
  const browser: SessionBrowser = {
    id: newId('brw'),
    devtools: { port: 1, path: '/' },
    scratch: { downloads: '/' },
    files: {} as SessionFiles,
    fit: () => undefined,
    pages: async () => [],
  }
  const source = {
    take: async () => browser,
    drain: (gone: SessionBrowser) => void drained.push(gone),
  }
  const incarnation = 'n.node-agent.0' as const
  const sessions = new Sessions(source, { nodeId: 'n', incarnation, machine: 'm', dataUrl: '' })
  const sessionId = newId('ses')
  const options = sessionOptions({})
  await sessions.claim({ sessionId, epoch: 1, options, waitMs: 0 })
  const reconciler = new Reconciler({ sessions, directory, clock, log })
  return { timeline, asked, drained, browser, sessions, sessionId, reconciler }
}

const exit = {
  code: null,
  signal: 'SIGSEGV',
  stderr: "touch: cannot touch '/tmp/x/lock'\n",
} as const

t.test('a crash is told with its cause, a client’s close as such', async (t) => {
  const { asked, browser, sessions, reconciler, sessionId } = await setUp(() => ({}))
  reconciler.browserGone(browser, exit)
  const detail = 'The browser crashed (signal SIGSEGV).'
  t.match(asked[0], { id: sessionId, type: 'browser.gone', cause: 'crashed', detail })
  t.same(sessions.held(), [])

  const fallen = await setUp(() => ({}))
  const why = 'The X server (Xvfb) ended with signal SIGKILL.'
  fallen.reconciler.browserGone(fallen.browser, { ...exit, code: 0, signal: null, fallen: why })
  t.match(fallen.asked[0], { cause: 'crashed', detail: why })

  const other = await setUp(() => ({}))
  other.reconciler.browserGone(other.browser, { code: 0, signal: null, stderr: '' })
  t.match(other.asked[0], { type: 'browser.gone', cause: 'closed' })
})

t.test('what the browser said last is for the log, not for its tenant', async (t) => {
  const written: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void written.push(line) })
  const { asked, browser, reconciler, sessionId } = await setUp(() => ({}), log)
  reconciler.browserGone(browser, exit)
  t.notMatch(JSON.stringify(asked), /tmp/)
  t.equal(written.length, 1)
  t.match(JSON.parse(written[0]!), { session: sessionId, browser: browser.id, stderr: exit.stderr })
})

t.test('a crash that was not heard is told again until it is', async (t) => {
  let away = true
  const { timeline, asked, browser, reconciler } = await setUp(() => {
    if (away) throw new ServiceError('timeout', 'nobody there')
    return {}
  })
  reconciler.browserGone(browser, exit)
  await timeline.run(2 * limits.reconcileMs + 1)
  t.equal(asked.length, 3)
  away = false
  await timeline.run(3 * limits.reconcileMs)
  t.equal(asked.length, 4, 'heard once, and never told again')
})

t.test('a browser that its session still wants is kept', async (t) => {
  const { timeline, asked, drained } = await setUp(() => ({ keep: true }))
  await timeline.run(2 * limits.reconcileMs + 1)
  t.same(
    asked.map(({ type }) => type),
    ['browser.report', 'browser.report'],
  )
  t.same(drained, [])
})

t.test('a browser that nobody wants is ended', async (t) => {
  const refused = await setUp(() => ({ keep: false }))
  await refused.timeline.run(limits.reconcileMs + 1)
  t.equal(refused.drained.length, 1)

  const unknown = await setUp(() => {
    throw new ServiceError('not_found', 'no such session')
  })
  await unknown.timeline.run(limits.reconcileMs + 1)
  t.equal(unknown.drained.length, 1)
})

t.test('silence is no reason to end a browser', async (t) => {
  const { timeline, drained } = await setUp(() => {
    throw new ServiceError('timeout', 'nobody there')
  })
  await timeline.run(5 * limits.reconcileMs)
  t.same(drained, [])
})

t.test('a host that goes tells every session', async (t) => {
  const { asked, reconciler, sessionId } = await setUp(() => ({}))
  await reconciler.announceDrain()
  t.match(asked, [{ id: sessionId, type: 'end', reason: 'draining' }])
})
