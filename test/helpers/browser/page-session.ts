/** One session's page commands on a real browser, without the rest of the service. */
import type { CommandCall, CommandName, CommandOutput } from '../../../proto/commands/catalogue.ts'
import { commandCatalogue } from '../../../proto/commands/catalogue.ts'
import { fromWireError, type ServiceError } from '../../../proto/errors.ts'
import type { Browser } from '../../../node-agent/browser/browser.ts'
import { CommandContexts } from '../../../node-agent/commands/command-contexts.ts'
import { CommandExecutor } from '../../../node-agent/commands/command-executor.ts'
import { commandContextPartsOf } from '../../../node-agent/commands/parts.ts'
import type { AskLoginValues } from '../../../node-agent/logins/login-values.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { limits } from '../../../proto/limits.ts'
import type { NetworkPolicy } from '../../../proto/browser-host/node.ts'
import { pino } from 'pino'
import type { Test } from 'tap'
import { devtoolsUrl, openBrowserHost, type BrowserHost } from './browser-host.ts'
import { connectPlaywright } from './browsers.ts'
import { serveFixturePages } from '../pages/fixture-pages.ts'

export const noLogins: AskLoginValues = () => Promise.reject(new Error('no logins here'))

/** A log that is told nothing, for tests of other things. */
export const noEvents = {
  add: () => undefined,
  read: async () => ({ events: [], hasMore: false }),
  journalOf: async () => ({ entries: [] }),
}

/** No session is traced, for tests of other things. */
export const noExchanges = { read: async () => ({ exchanges: [], hasMore: false }) }

const refused = () => Promise.reject(new Error('no videos here'))

/** No session is recorded, for tests of other things. */
export const noVideos = {
  excerpts: { clip: refused, frame: refused, read: refused },
  info: refused,
  order: async () => undefined,
}

export async function openPageSession(host: BrowserHost, body?: unknown, ask = noLogins) {
  const { sessionId, claim } = await host.claim(body)
  const benches = new CommandContexts((browser: Browser) => commandContextPartsOf(browser, ask))
  const browserOf = () => {
    const held = host.sessions.held().find((one) => one.sessionId === sessionId)!
    return held.browser as unknown as Browser
  }
  const benchOf = () => benches.of(browserOf())
  const commands = new CommandExecutor({
    benchOf,
    traces: { record: (_, work) => work() },
    events: noEvents,
    clock: systemClock,
    log: pino({ level: 'error' }),
  })
  const run = async <N extends CommandName>(
    command: N,
    input: object = {},
  ): Promise<CommandOutput<N>> => {
    const { input: schema, output } = commandCatalogue.find(({ name }) => name === command)!
    const action = { command, input: schema.parse(input) } as CommandCall
    const request = {
      ...{ sessionId, epoch: 1, actions: [action], withinMs: limits.commandMs },
      ...(action.command === 'fill_login' && {
        loginTickets: { [action.input.login ?? '']: action.input.login ?? '' },
      }),
    }
    const [reply] = await commands.run(request)
    if (!reply!.ok) throw fromWireError(reply!.error)
    return output.parse(reply!.value) as CommandOutput<N>
  }
  return {
    ...{ sessionId, claim, run, browserOf },
    /** The error that a command is refused with. */
    async refusal<N extends CommandName>(command: N, input: object = {}): Promise<ServiceError> {
      return run(command, input).then(
        () => Promise.reject(new Error(`${command} was not refused`)),
        (error: ServiceError) => error,
      )
    },
    restrict: (policy: NetworkPolicy | null) => commands.restrict({ sessionId, epoch: 1, policy }),
    /** A user's own client, which also shows the state of the page. */
    client: () => connectPlaywright(devtoolsUrl(claim)),
    end: () => host.sessions.drop(sessionId, 'over'),
  }
}

/** The name that a fixture page gives to an element that can be acted on. */
export const at = (name: string) => `[data-act="${name}"]`

/**
 * The fixture pages and a session that visits them, closed when the test ends. It is headless; in
 * the pass `headful` it has a display.
 */
export async function openFixtures(t: Test) {
  const pages = await serveFixturePages()
  t.teardown(() => pages.close())
  const host = openBrowserHost({ kept: [] })
  t.teardown(() => host.close())
  const session = await openPageSession(host, {
    browser: {
      headless: { active: process.env['TEST_HEADFUL'] !== '1' },
      viewport: { width: 1000, height: 700 },
      evaluate: { active: true },
    },
  })
  const { run } = session
  const see = async <T>(expression: string) => (await run('evaluate', { expression })).value as T
  return {
    ...session,
    ...{ pages, host, see },
    /** The actions on the page, as the page recorded them. */
    acted: () => see<string[]>('acted'),
    open: (name: string) => run('navigate', { url: pages.url(name) }),
    click: (target: string) => run('click', { target }),
  }
}
