/**
 * Goal: a browser that runs and no longer answers is ended, with a sentence for its owner; one that is
 * slow, busy or gone is not. Method: a clock that is played, and a real Chromium that is stopped.
 */
import { pino } from 'pino'
import t from 'tap'
import { CdpError } from '../../../../node-agent/cdp/cdp.ts'
import { HangWatch, type AskedBrowser } from '../../../../node-agent/sessions/hang-watch.ts'
import { hostedSessionLimits } from '../../../../node-agent/sessions/limits.ts'
import type { Browser } from '../../../../node-agent/browser/browser.ts'
import { exitCause } from '../../../../node-agent/browser/exit-cause.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { isBrowser } from '../../../helpers/browser/browsers.ts'
import { openBrowserHost } from '../../../helpers/browser/browser-host.ts'
import { processesNaming } from '../../../helpers/lib/processes.ts'
import { until } from '../../../helpers/lib/until.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const log = pino({ level: 'silent' })
const { hangCheckMs, hangMisses } = hostedSessionLimits

const bound = (browser: Browser) => ({
  check: (timeoutMs: number) => browser.check(timeoutMs),
  fail: browser.fail,
})

/** A browser that answers as told, and what it was ended for. */
function played(answers: () => Promise<void>) {
  const ended: string[] = []
  const browser: AskedBrowser = { id: 'brw', check: answers, fail: (why) => void ended.push(why) }
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'agent')
  const watch = new HangWatch({ held: () => [{ sessionId: 'ses', browser }], clock, log })
  return { ended, timeline, watch }
}

const late = () => Promise.reject(new CdpError('Browser.getVersion', 'late', 'no answer'))

t.test('it is ended when it has missed some in a row, and not before', async (t) => {
  const { ended, timeline, watch } = played(late)
  for (let missed = 1; missed < hangMisses; missed++) await timeline.run(hangCheckMs + 1)
  t.same(ended, [])
  await timeline.run(hangCheckMs + 1)
  t.match(ended, [/did not answer 3 times, for 10 s each.*create another session/])
  watch.stop()
  await timeline.run(10 * hangCheckMs)
  t.equal(ended.length, 1)
})

t.test('an answer between is enough, and a browser that is gone has not hung', async (t) => {
  let asked = 0
  const slow = played(() => (++asked % hangMisses === 0 ? Promise.resolve() : late()))
  for (let round = 0; round < 4 * hangMisses; round++) await slow.watch.look()
  t.same(slow.ended, [])
  const gone = played(() => Promise.reject(new CdpError('Browser.getVersion', 'closed', 'gone')))
  for (let round = 0; round < 4 * hangMisses; round++) await gone.watch.look()
  t.same(gone.ended, [])
  for (const { watch } of [slow, gone]) watch.stop()
})

t.test('a Chromium that is stopped is ended as one that crashed, with the reason', async (t) => {
  const host = openBrowserHost({ kept: [] })
  t.teardown(() => host.close())
  const { claim } = await host.claim()
  const { check, fail } = bound(host.sessions.held()[0]!.browser as unknown as Browser)
  const [main] = processesNaming(claim.browserId).filter(isBrowser)
  const browser = { id: claim.browserId, check: () => check(200), fail }
  const asked = () => [{ sessionId: 'ses', browser }]
  const watch = new HangWatch({ held: asked, clock: systemClock, log })
  t.teardown(() => watch.stop())
  await watch.look()
  process.kill(main!.pid, 'SIGSTOP')
  for (let missed = 0; missed < hangMisses; missed++) await watch.look()
  await until('it has ended', () => host.gone.length === 1)
  const { exit } = host.gone[0]!
  t.match(exit.failure, /did not answer/)
  t.equal(exitCause(exit), 'crashed')
})
