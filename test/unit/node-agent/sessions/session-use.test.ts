/**
 * Goal: sessions are told what their browsers use when there is something new, whoever had the browser
 * before, and whichever version their actors have. Method: a played browser and clock.
 */
import { pino } from 'pino'
import t from 'tap'
import type { AgentReport } from '../../../../proto/browser-host/agent-reports.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { newId } from '../../../../proto/ids.ts'
import type { BrowserUse, Traffic } from '../../../../proto/session/browser-reports.ts'
import { sessionLimits } from '../../../../proto/session/limits.ts'
import type { CdpEvent } from '../../../../node-agent/cdp/protocol.ts'
import { hostedSessionLimits } from '../../../../node-agent/sessions/limits.ts'
import { SessionUse, type UsingBrowser } from '../../../../node-agent/sessions/session-use.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const { useReportMs } = hostedSessionLimits

interface Staged {
  readonly before?: BrowserUse
  readonly refuse?: (report: AgentReport) => Error | undefined
  readonly takeBlocked?: (tell: (count: number) => void) => Promise<void>
}

function setUp({ before, refuse, takeBlocked }: Staged = {}) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'agent')
  const told: BrowserUse[] = []
  const warnings: unknown[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
  const reports = {
    send: async (_: string, report: AgentReport) => {
      const error = refuse?.(report)
      if (error) throw error
      if (report.type === 'browser.used') told.push(report.use)
      return null as never
    },
  }
  let traffic: Traffic | undefined = { sentBytes: 0, receivedBytes: 0 }
  const listeners: ((event: CdpEvent) => void)[] = []
  const browser: UsingBrowser = {
    id: newId('brw'),
    ownContextId: 'own',
    cdp: { onEvent: (listener) => (listeners.push(listener), () => undefined) },
    network: { traffic: async () => traffic },
  }
  const use = new SessionUse({ reports, clock, log })
  use.begin(browser, { before, takeBlocked })
  const telling = use.tellRegularly(() => [{ sessionId: 'ses', browser }])
  const visit = (url: string, browserContextId = 'C', type = 'page') => {
    const targetInfo = { targetId: 'T', type, url, browserContextId }
    const event = { method: 'Target.targetInfoChanged', params: { targetInfo } } as CdpEvent
    for (const listener of listeners) listener(event)
  }
  const carry = (one: Traffic | undefined) => (traffic = one)
  return { timeline, told, warnings, browser, use, telling, visit, carry }
}

t.test('it is told what is new, and not twice', async (t) => {
  const { timeline, told, visit, carry, telling } = setUp()
  await timeline.run(3 * useReportMs + 1)
  t.same(told, [], 'nothing was used')
  carry({ sentBytes: 1, receivedBytes: 2 })
  visit('https://shop.example/cart?secret=1')
  visit('https://shop.example/paid')
  visit('about:blank')
  visit('https://frame.example/', 'C', 'iframe')
  visit('https://of-the-service.example/', 'own')
  await timeline.run(3 * useReportMs)
  const use = { traffic: { sentBytes: 1, receivedBytes: 2 }, domains: ['shop.example'] }
  t.same(told, [use], 'once')
  visit('http://[::1]:8080/')
  await timeline.run(useReportMs)
  t.same(told[1], { ...use, domains: ['shop.example', '[::1]'] })
  telling.stop()
  carry({ sentBytes: 5, receivedBytes: 5 })
  await timeline.run(3 * useReportMs)
  t.equal(told.length, 2, 'nothing after its stop')
})

t.test('it counts on from what an earlier agent has told', async (t) => {
  const before = { traffic: { sentBytes: 10, receivedBytes: 20 }, domains: ['a.example'] }
  const { use, browser, visit, carry } = setUp({ before })
  carry({ sentBytes: 1, receivedBytes: 2 })
  visit('https://b.example/')
  t.same(await use.of(browser), {
    traffic: { sentBytes: 11, receivedBytes: 22 },
    domains: ['a.example', 'b.example'],
  })
  carry(undefined)
  t.notOk((await use.of(browser)).traffic, 'without a network of its own nothing is counted')
})

t.test('the latest domains are kept', async (t) => {
  const { use, browser, visit } = setUp()
  const most = sessionLimits.domainsShown
  for (let n = 0; n < most + 3; n++) visit(`https://${n}.example/`)
  visit('https://10.example/again')
  const { domains } = await use.of(browser)
  t.equal(domains.length, most)
  t.equal(domains[0], '3.example')
  t.equal(domains.at(-1), '10.example')
})

t.test('what is not heard is told again; older actor hosts know no such report', async (t) => {
  let error: Error | undefined = new ServiceError('timeout', 'no answer')
  const { timeline, told, warnings, carry } = setUp({ refuse: () => error })
  carry({ sentBytes: 1, receivedBytes: 1 })
  await timeline.run(useReportMs + 1)
  t.equal(warnings.length, 1)
  error = new ServiceError('bad_request', 'no such report')
  await timeline.run(useReportMs)
  t.equal(warnings.length, 1, 'silent')
  error = undefined
  await timeline.run(useReportMs)
  t.equal(told.length, 1)
})

t.test(
  'what its rules have blocked adds up, also for an actor host that does not know it',
  async (t) => {
    let newly = 0
    const takeBlocked = async (tell: (count: number) => void) => {
      tell(newly)
      newly = 0
    }
    const isOld = (report: AgentReport) =>
      report.type === 'browser.used' && report.use.blockedRequests !== undefined
        ? new ServiceError('bad_request', 'no such field')
        : undefined
    const before = { domains: [], blockedRequests: 10 }
    const { timeline, told, use, browser } = setUp({ before, takeBlocked })
    newly = 3
    await timeline.run(useReportMs + 1)
    t.match(told, [{ blockedRequests: 13 }])
    newly = 1
    t.equal((await use.of(browser)).blockedRequests, 14)
    const old = setUp({ takeBlocked, refuse: isOld })
    await old.timeline.run(useReportMs + 1)
    t.same(old.told, [], 'nothing is new')
    newly = 2
    old.carry({ sentBytes: 1, receivedBytes: 1 })
    await old.timeline.run(useReportMs)
    t.same(old.told, [{ traffic: { sentBytes: 1, receivedBytes: 1 }, domains: [] }])
    t.same(old.warnings, [])
  },
)

t.test('a number that comes late counts the next time', async (t) => {
  let late: (count: number) => void = () => undefined
  const { use, browser } = setUp({ takeBlocked: async (tell) => void (late = tell) })
  t.equal((await use.of(browser)).blockedRequests, 0)
  late(4)
  t.equal((await use.of(browser)).blockedRequests, 4)
})
