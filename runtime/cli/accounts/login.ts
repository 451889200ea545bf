/**
 * A login from a terminal. The provider's page redirects to a port of this machine; if the browser
 * runs elsewhere, that address is unreachable and is pasted here instead.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { containedServer } from '../../lib/network/contained.ts'
import type {
  ApiProvider,
  LoginFlow,
  LoginRecord,
  CredentialOwner,
} from '../../../proto/accounts/credential.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { sleep, systemClock } from '../../lib/clock.ts'
import { boundWaiting } from '../../lib/network/bound-waiting.ts'
import { portText } from '../../config/value-texts.ts'
import type { Logins } from '../../accounts/oauth/logins.ts'
import { providerOf } from '../../accounts/credentials/order.ts'
import { CommandFailed, type CliCommand, type CliInput } from '../command.ts'
import { cliLimits } from '../limits.ts'
import { parseOption } from '../terminal/parse-option.ts'
import {
  accountOptions,
  credentialSettings,
  ownerText,
  readOptions,
  readOwner,
  withCredentials,
} from './with-credentials.ts'

export const loginCommand: CliCommand = {
  usage: 'credentials login PROVIDER [--device] [--tenant T] [--model M]',
  about: 'Log in to a provider: print the page to open, and wait for the result.',
  more: 'openrouter works without setup; others need OAUTH_PROVIDERS (runtime/README.md).',
  arguments: [1, 1],
  options: {
    ...accountOptions,
    device: { help: 'Log in with a code that you enter on any machine.' },
    port: { value: 'N', help: 'Port of the redirect, if the provider requires a certain one.' },
  },
  settings: [...credentialSettings, 'OAUTH_PROVIDERS'],
  examples: [
    'troupe credentials login openrouter',
    'troupe credentials login azure --device --tenant acme',
  ],
  async run({ args: [name = ''], values, switches }) {
    const provider = providerOf(name)
    const owner = readOwner(values)
    const order = { owner, by: 'operator', provider, options: readOptions(values) } as const
    const flow: LoginFlow = switches.has('device') ? 'device' : 'code'
    const { state, error } = await withCredentials(({ logins }) =>
      flow === 'device'
        ? byDevice(logins, { ...order, flow, redirectUri: '' })
        : byPage(logins, order, portOf(values)),
    )
    if (state !== 'done') throw new CommandFailed(`not logged in to ${provider}: ${error}`)
    console.log(`logged in to ${provider} for ${ownerText(owner)}`)
    return 0
  },
}

type Order = Parameters<Logins['begin']>[0]

const portOf = ({ port = '0' }: CliInput['values']): number => parseOption('port', port, portText)

async function byDevice(logins: Logins, order: Order): Promise<LoginRecord> {
  const { record } = await logins.begin(order)
  const { userCode, verificationUri, verificationUriComplete } = record.device!
  console.error(`Open this page on any machine:\n\n  ${verificationUri}\n`)
  console.error(`and enter this code:\n\n  ${userCode}\n`)
  if (verificationUriComplete)
    console.error(`or open it with the code included:\n\n  ${verificationUriComplete}\n`)
  return untilSettled(logins, record, order.owner, order.provider)
}

async function untilSettled(
  logins: Logins,
  started: LoginRecord,
  owner: CredentialOwner,
  provider: ApiProvider,
): Promise<LoginRecord> {
  let record = started
  while (record.state === 'pending' || record.state === 'working') {
    const waitMs = (record.askAtMs ?? 0) - Date.now()
    await sleep(systemClock, Math.max(waitMs, limits.oauthPollMaxMs))
    record = await logins.status(owner, provider, record.id)
  }
  return record
}

/**
 * Waits for the redirect to this machine, or for the redirect's address to be pasted, if the
 * browser runs on another machine.
 */
async function byPage(
  logins: Logins,
  order: Omit<Order, 'flow' | 'redirectUri'>,
  port: number,
): Promise<LoginRecord> {
  const over = new AbortController()
  const answered = new Answered(logins, () => over.abort())
  const server = containedServer(
    createServer((request, response) => void answered.byBrowser(request, response)),
  )
  boundWaiting(server, cliLimits.localWaitingMax)
  await listen(server, port)
  const { port: own } = server.address() as AddressInfo
  const lines = createInterface({ input: process.stdin })
  try {
    const redirectUri = `http://localhost:${own}/callback`
    const { authorizeUrl } = await logins.begin({ ...order, flow: 'code', redirectUri })
    console.error(`Open this page in a browser:\n\n  ${authorizeUrl}\n`)
    console.error(
      'If it ends at a page on localhost that cannot be reached, paste its address here.',
    )
    lines.on('line', (line) => void answered.byHand(line))
    await sleep(systemClock, limits.loginMs, over.signal)
  } finally {
    lines.close()
    server.close()
    server.closeAllConnections()
  }
  return answered.record()
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new CommandFailed(`port ${port} of this machine is not available (${code})`, cause)
  }
}

/** The outcome: the first answer that belongs to this login. */
class Answered {
  readonly #logins: Logins
  readonly #settled: () => void
  #record: LoginRecord | undefined
  #error: unknown

  constructor(logins: Logins, settled: () => void) {
    this.#logins = logins
    this.#settled = settled
  }

  /** Throws the error that occurred; also if the login was not answered in time. */
  record(): LoginRecord {
    if (this.#error !== undefined) throw this.#error
    if (this.#record) return this.#record
    throw new CommandFailed('the login was not completed in time; start again')
  }

  async byBrowser(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await this.#take(new URL(request.url ?? '/', 'http://localhost'))
    // Closes the connection, because it would keep this program alive.
    response.setHeader('connection', 'close')
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    response.statusCode = text === undefined ? 404 : 200
    response.end(text ?? 'There is nothing at this address.', () => {
      if (text !== undefined) this.#settled()
    })
  }

  async byHand(line: string): Promise<void> {
    const address = line.trim()
    if (address === '') return
    const isAddress = URL.canParse(address)
    const text = isAddress ? await this.#take(new URL(address)) : undefined
    if (text === undefined) console.error('This is not the address at which this login ends.')
    else this.#settled()
  }

  /** The text for the browser; undefined if the request does not belong to this login. */
  async #take({ pathname, searchParams }: URL): Promise<string | undefined> {
    const [, path, inPath] = /^\/(callback)(?:\/([^/]+))?$/.exec(pathname) ?? []
    if (path === undefined || this.#record || this.#error !== undefined) return undefined
    try {
      const state = inPath ?? searchParams.get('state') ?? ''
      this.#record = await this.#logins.finish(state, searchParams)
      return this.#record.state === 'done'
        ? 'Logged in. You can close this page.'
        : `Not logged in: ${this.#record.error}.`
    } catch (error) {
      // An answer to another login, or a stray one; ours may still come.
      if (error instanceof ServiceError && error.type === 'not_found') return undefined
      this.#error = error
      return 'Not logged in. The terminal shows the reason.'
    }
  }
}
