/**
 * Goal: claims are repeatable, fenced and final. Method: sessions over a source of played browsers.
 */
import t from 'tap'
import type { SessionFiles } from '../../../../node-agent/files/session-files.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { newId } from '../../../../proto/ids.ts'
import { sessionCreateBody, sessionOptions } from '../../../../proto/session/session.ts'
import {
  AgentSessions,
  type BrowserSource,
  type SessionBrowser,
} from '../../../../node-agent/sessions/sessions.ts'

type ApplyOptions = SessionBrowser['applyOptions']

function pretendedBrowser(applyOptions: ApplyOptions): SessionBrowser {
  return {
    id: newId('brw'),
    devtools: { port: 9222, path: '/devtools/browser/x' },
    ownContextId: 'C',
    scratch: { downloads: '/downloads' },
    files: {} as SessionFiles,
    keepFor: () => undefined,
    applyOptions,
    pages: async () => [{ id: 'p', title: 'T', url: 'about:blank' }],
  }
}

function setUp(applyOptions: ApplyOptions = () => undefined) {
  const drained: SessionBrowser[] = []
  const signals: AbortSignal[] = []
  const source: BrowserSource<SessionBrowser> & { warm: boolean } = {
    warm: true,
    take: (_shape, { signal }) => {
      signals.push(signal)
      if (source.warm) return Promise.resolve(pretendedBrowser(applyOptions))
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new ServiceError('session_ended', 'over'))),
      )
    },
    drain: (browser) => void drained.push(browser),
  }
  const address = {
    nodeId: 'n',
    incarnation: 'n.node-agent.0' as const,
    machine: 'm',
    dataUrl: 'http://agent',
  }
  const sessions = new AgentSessions(source, address)
  const sessionId = newId('ses')
  const request = (epoch = 1, body: unknown = {}) => ({
    sessionId,
    epoch,
    options: sessionOptions(sessionCreateBody.parse(body)),
    waitMs: 1_000,
  })
  return { sessions, sessionId, request, source, drained, signals }
}

/** The type of the refusal, whether thrown or rejected. */
async function refusal(claim: () => unknown): Promise<string> {
  try {
    await claim()
  } catch (error) {
    return error instanceof ServiceError ? error.type : 'something else'
  }
  return 'none'
}

t.test('a claim of a headful browser has its desktop’s address, others have none', async (t) => {
  const { sessions, request, source } = setUp()
  t.notOk('display' in (await sessions.claim(request())))
  const display = { xSocket: '/short/X7', vncSocket: '/short/vnc', authority: '/folder/xauthority' }
  const take = source.take
  source.take = async (...given) => ({ ...(await take(...given)), display })
  t.same((await sessions.claim({ ...request(), sessionId: newId('ses') })).display, display)
})

t.test('a repeated claim gives the same browser, before and after the answer', async (t) => {
  const { sessions, request, signals } = setUp()
  const [first, second] = await Promise.all([sessions.claim(request()), sessions.claim(request())])
  const third = await sessions.claim(request(2))
  t.same(second, first)
  t.same(third, first)
  t.equal(signals.length, 1, 'one browser was taken')
  t.match(first, { devtoolsPort: 9222, downloadsDir: '/downloads', dataUrl: 'http://agent' })
})

t.test('an owner before the last is refused in everything', async (t) => {
  const { sessions, sessionId, request } = setUp()
  await sessions.claim(request(3))
  const old = { sessionId, epoch: 2 }
  t.equal(await refusal(() => sessions.claim(request(2))), 'conflict')
  t.equal(await refusal(() => sessions.release(old)), 'conflict')
  t.equal(await refusal(() => sessions.holds(old)), 'conflict')
  t.equal(await refusal(() => sessions.pages(old)), 'conflict')
  t.ok(sessions.holds({ sessionId, epoch: 3 }).browserId)
})

t.test('a released session gets nothing more', async (t) => {
  const { sessions, sessionId, request, drained } = setUp()
  await sessions.claim(request())
  t.same(await sessions.release({ sessionId, epoch: 1 }), { released: true })
  t.same(await sessions.release({ sessionId, epoch: 1 }), { released: false })
  t.equal(drained.length, 1)
  t.equal(await refusal(() => sessions.claim(request(2))), 'session_ended')
  t.same(sessions.holds({ sessionId, epoch: 1 }), { browserId: null })
})

t.test('a release that overtakes its claim wins', async (t) => {
  const { sessions, sessionId, request } = setUp()
  t.same(await sessions.release({ sessionId, epoch: 1 }), { released: false })
  t.equal(await refusal(() => sessions.claim(request())), 'session_ended')
})

t.test('a release takes a waiting session out of the queue', async (t) => {
  const { sessions, sessionId, request, source, signals } = setUp()
  source.warm = false
  const claim = sessions.claim(request())
  const refused = refusal(() => claim)
  await Promise.resolve()
  t.same(await sessions.release({ sessionId, epoch: 1 }), { released: true })
  t.equal(await refused, 'session_ended')
  t.equal(signals[0]!.aborted, true)
})

t.test(
  'a browser that cannot be prepared is not handed out, and the claim may be repeated later',
  async (t) => {
    let fits = 0
    const { sessions, request, drained } = setUp(async () => {
      if (++fits === 1) throw new Error('no such window')
    })
    t.equal(await refusal(() => sessions.claim(request())), 'browser_start_failed')
    t.equal(drained.length, 1)
    t.ok(await sessions.claim(request()))
  },
)

t.test('a session released while its browser is prepared gets none', async (t) => {
  let fitted: () => void = () => undefined
  const { sessions, sessionId, request, drained } = setUp(
    () => new Promise((resolve) => (fitted = resolve)),
  )
  const refused = refusal(() => sessions.claim(request()))
  while (drained.length === 0) {
    await Promise.resolve()
    if (sessions.held().length > 0) void sessions.release({ sessionId, epoch: 1 })
  }
  fitted()
  t.equal(await refused, 'session_ended')
  t.same(sessions.held(), [])
})

t.test('pages are read from the browser; a session unknown here has none', async (t) => {
  const { sessions, sessionId, request } = setUp()
  t.equal(await refusal(() => sessions.pages({ sessionId, epoch: 1 })), 'not_found')
  await sessions.claim(request())
  t.match(await sessions.pages({ sessionId, epoch: 1 }), [{ title: 'T' }])
})
