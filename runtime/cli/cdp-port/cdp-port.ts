/** A local port that needs no key, for programs that cannot send one: Selenium, Puppeteer's browserURL. */
import { CommandFailed, UsageError, type CliCommand } from '../command.ts'
import { callService, callVariables as variables, idPart } from '../service-call.ts'
import { Signals } from '../start/signals.ts'
import { CdpPort } from './local-port.ts'

const portMax = 65_535

export const cdpPortCommand: CliCommand = {
  usage: 'cdp-port SESSION [--port N]',
  about: 'Offer one session on a local port without a key, until Ctrl-C.',
  more:
    'For programs that take only host:port: Selenium (debuggerAddress), Puppeteer (browserURL).\n' +
    'Only this machine can reach the port; all its programs and users can then use the session.\n' +
    'The session continues when the command ends.',
  arguments: [1, 1],
  options: { port: { value: 'N', help: 'The port on 127.0.0.1. (default: a free one)' } },
  variables,
  examples: ['troupe cdp-port ses_…', 'troupe cdp-port ses_… --port 9222'],
  async run({ args: [id], values }) {
    const port = portOf(values['port'] ?? '0')
    const { cdp_url: cdpUrl, status } = await callService<{ cdp_url?: string; status: string }>(
      'GET',
      `/v1/sessions/${idPart(id)}`,
    )
    if (cdpUrl === undefined) throw new CommandFailed(`${id} has no browser: it is ${status}`)
    const signals = new Signals()
    const local = new CdpPort(cdpUrl)
    const address = `127.0.0.1:${await local.listen(port)}`
    console.log(`http://${address}`)
    console.error(`${id} is at ${address} without a key, for this machine only; Ctrl-C ends it`)
    const end = await Promise.race([signals.stop, local.sessionEnded])
    await local.close()
    if (end !== undefined) throw new CommandFailed(end)
    return 0
  },
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  if (port > portMax) throw new UsageError(`--port ${text} is not a number from 0 to ${portMax}`)
  return port
}
