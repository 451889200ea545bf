/**
 * Provider accounts as processes of the service have them, with an authorization server, an
 * in-memory store and a clock that tests advance.
 */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import type { LoginFlow } from '../../../proto/accounts/credential.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { openCredentials } from '../../../runtime/accounts/credentials/open.ts'
import { MemoryStore } from '../runtime/memory-store.ts'
import { openSealer } from '../../../runtime/accounts/seal/seal.ts'
import { OAuthServer, type OAuthServerOptions } from './oauth-server.ts'

export const redirectUri = 'http://127.0.0.1:9/v1/credentials/callback'

export interface LoginsOptions {
  readonly server?: OAuthServerOptions
  readonly store?: MemoryStore
}

/** Closed when the test ends. */
export async function openLogins(t: Test, options: LoginsOptions = {}) {
  const server = await OAuthServer.start(options.server)
  t.teardown(() => server.close())
  const SEAL_KEY = randomBytes(32).toString('base64')
  const config = loadConfig({ SEAL_KEY, OAUTH_PROVIDERS: JSON.stringify(server.settings) })
  let aheadMs = 0
  const clock = { ...systemClock, now: () => Date.now() + aheadMs }
  const { store = new MemoryStore() } = options
  const open = () => openCredentials({ store, sealer: openSealer(config), clock, config })
  const { accounts, logins, records } = open()
  const begin = (flow: LoginFlow, provider: 'openai' | 'openrouter', options = {}) =>
    logins.begin({ owner: 'acme', by: 'tenant', provider, flow, redirectUri, options })
  return {
    ...{ server, store, accounts, logins, records, begin },
    /** Opens the accounts as another process would. */
    open,
    pass: (ms: number) => (aheadMs += ms),
    /** A complete login, as a person in a browser does it. */
    async login(): Promise<void> {
      const { authorizeUrl = '' } = await begin('code', 'openai')
      const back = await visit(authorizeUrl)
      await logins.finish(stateOf(back), back.searchParams)
    },
  }
}

/** Opens such a page like a browser, and returns the address it redirects to. */
export async function visit(authorizeUrl: string): Promise<URL> {
  const response = await fetch(authorizeUrl, { redirect: 'manual' })
  return new URL(response.headers.get('location') ?? 'about:blank')
}

export const stateOf = (url: URL) => url.searchParams.get('state') ?? ''
