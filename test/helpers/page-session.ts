/** One session's page commands on a real browser, without the service around it. */
import type { Action, CommandName, CommandOutput } from '../../proto/commands/catalogue.ts'
import { catalogue } from '../../proto/commands/catalogue.ts'
import { fromWireError, type ServiceError } from '../../proto/errors.ts'
import type { Browser } from '../../node-agent/browser/browser.ts'
import { Benches } from '../../node-agent/commands/benches.ts'
import { Commands } from '../../node-agent/commands/commands.ts'
import { partsOf } from '../../node-agent/commands/parts.ts'
import { systemClock } from '../../runtime/clock.ts'
import { limits } from '../../proto/limits.ts'
import type { NetworkPolicy } from '../../proto/node.ts'
import { pino } from 'pino'
import { devtoolsUrl, type BrowserHost } from './browser-host.ts'
import { connectPlaywright } from './browsers.ts'

export async function openPageSession(host: BrowserHost, body?: unknown) {
  const { sessionId, claim } = await host.claim(body)
  const benches = new Benches(partsOf)
  const benchOf = () => {
    const held = host.sessions.held().find((one) => one.sessionId === sessionId)!
    return benches.of(held.browser as unknown as Browser)
  }
  const commands = new Commands({ benchOf, clock: systemClock, log: pino({ level: 'error' }) })
  const run = async <N extends CommandName>(
    command: N,
    input: object = {},
  ): Promise<CommandOutput<N>> => {
    const { input: schema, output } = catalogue.find(({ name }) => name === command)!
    const action = { command, input: schema.parse(input) } as Action
    const request = { sessionId, epoch: 1, actions: [action], withinMs: limits.commandMs }
    const [reply] = await commands.run(request)
    if (!reply!.ok) throw fromWireError(reply!.error)
    return output.parse(reply!.value) as CommandOutput<N>
  }
  return {
    sessionId,
    claim,
    run,
    /** What a command is refused with. */
    async refusal<N extends CommandName>(command: N, input: object = {}): Promise<ServiceError> {
      return run(command, input).then(
        () => Promise.reject(new Error(`${command} was not refused`)),
        (error: ServiceError) => error,
      )
    },
    /** A client of the user's own, which also shows what a page has made of it. */
    restrict: (policy: NetworkPolicy | null) => commands.restrict({ sessionId, epoch: 1, policy }),
    client: () => connectPlaywright(devtoolsUrl(claim)),
    end: () => host.sessions.drop(sessionId, 'over'),
  }
}
