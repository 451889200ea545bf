/**
 * Logins in progress. Their state is in KV, so a login may start at one gateway, be redirected to a
 * second and be queried at a third; each step is taken once, by compare-and-set.
 */
import { randomBytes } from 'node:crypto'
import {
  everyTenant,
  isLoginOver,
  type AccountOptions,
  type ApiProvider,
  type LoginFlow,
  type LoginRecord,
  type CredentialOwner,
  type SetBy,
} from '../../../proto/accounts/credential.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { newId } from '../../../proto/ids.ts'
import { limits } from '../../../proto/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import type { StoredLogin, LoginRecords } from './login-records.ts'
import { AuthorizationServer } from './authorization-server.ts'
import { OAuthFailure } from './failure.ts'
import { KeyExchange } from './key-exchange.ts'
import type { OAuthProvider, OAuthProviders } from './providers.ts'
import { checkOptions } from '../credentials/order.ts'
import type { CredentialRecords, TokenGrant } from '../credentials/records.ts'
import { accountLimits } from '../limits.ts'

export interface LoginsDeps {
  readonly logins: LoginRecords
  readonly clock: Clock
  readonly records: CredentialRecords
  readonly providers: OAuthProviders
  readonly allowsPrivate: boolean
}

export interface LoginOrder {
  readonly owner: CredentialOwner
  readonly by: SetBy
  readonly provider: ApiProvider
  readonly flow: LoginFlow
  /**
   * Where the browser is redirected. For a provider without a state parameter, the state is
   * appended.
   */
  readonly redirectUri: string
  readonly options: AccountOptions
}

/** A new login, as it is returned to the caller. */
export interface StartedLogin {
  readonly record: LoginRecord
  /** Only with flow `code`. */
  readonly authorizeUrl?: string
}

export class Logins {
  readonly #deps: LoginsDeps

  constructor(deps: LoginsDeps) {
    this.#deps = deps
  }

  async begin(given: LoginOrder): Promise<StartedLogin> {
    const { provider, by } = given
    const settings = this.#settings(provider)
    const options = checkOptions(provider, given.options, {
      mayBePrivate: by === 'operator' || this.#deps.allowsPrivate,
      hasAddress: settings.baseUrl !== undefined,
    })
    const order = { ...given, options }
    return this.#named(async () =>
      order.flow === 'device'
        ? this.#beginDevice(order, settings)
        : this.#beginCode(order, settings),
    )
  }

  /**
   * Handles the redirect of a browser. Resolves with the login, done or failed; throws if no login
   * waits for this answer.
   */
  async finish(state: string, answer: URLSearchParams): Promise<LoginRecord> {
    const kept = await this.#deps.logins.byState(state)
    if (!kept || kept.record.flow !== 'code') throw noSuchLoginError()
    const { record } = kept
    if (this.#isLate(record)) throw tooLateError()
    if (record.state !== 'pending') throw usedUpError()
    const taken = await this.#deps.logins.change(kept, { state: 'working' })
    if (!taken) throw usedUpError()
    return this.#settle(taken, () => this.#redeem(taken.record, answer))
  }

  /** The status of a login. A device login is polled here, no more often than its server allows. */
  async status(owner: CredentialOwner, provider: ApiProvider, id: string): Promise<LoginRecord> {
    const kept = await this.#deps.logins.get(id)
    const isTheirs = kept && ownerOf(kept.record) === owner && kept.record.provider === provider
    if (!isTheirs) throw noSuchLoginError()
    const { record } = kept
    if (isLoginOver(record.state)) return record
    if (this.#isLate(record)) return expireLogin(record)
    const isDue = record.flow === 'device' && (record.askAtMs ?? 0) <= this.#deps.clock.now()
    return isDue ? this.#askDevice(kept) : record
  }

  async #beginCode(order: LoginOrder, settings: OAuthProvider): Promise<StartedLogin> {
    const id = newId('lgn', this.#deps.clock.now())
    const state = `${id}.${randomText()}`
    const verifier = randomText()
    const isKey = settings.grant === 'key'
    const redirectUri = isKey ? `${order.redirectUri}/${state}` : order.redirectUri
    const authorizeUrl = isKey
      ? await new KeyExchange(order.provider, settings).authorizeUrl({ redirectUri, verifier })
      : await this.#server(order.provider).authorizeUrl({ redirectUri, state, verifier })
    const fields = {
      ...this.#fields(id, order),
      // Without the state, which is never stored unsealed.
      redirectUri: order.redirectUri,
      expiresAtMs: this.#deps.clock.now() + limits.loginMs,
    }
    const record = await this.#deps.logins.create(fields, { state, verifier })
    return { record, authorizeUrl }
  }

  async #beginDevice(order: LoginOrder, settings: OAuthProvider): Promise<StartedLogin> {
    if (settings.grant === 'key') {
      const message = `${order.provider} does not support device codes: log in with flow code.`
      throw new ServiceError('bad_request', message, { field: 'flow' })
    }
    const start = await this.#server(order.provider).startDevice()
    const nowMs = this.#deps.clock.now()
    const id = newId('lgn', nowMs)
    const fields = {
      ...this.#fields(id, order),
      device: start.prompt,
      askEveryMs: start.askEveryMs,
      askAtMs: nowMs + start.askEveryMs,
      expiresAtMs: nowMs + Math.min(start.lifeMs, limits.loginKeptMs),
    }
    const secrets = { state: randomText(), verifier: '', deviceCode: start.deviceCode }
    const record = await this.#deps.logins.create(fields, secrets)
    return { record }
  }

  /** The fields that every login has. */
  #fields(id: string, { owner, by, provider, flow, options }: LoginOrder) {
    const state = 'pending' as const
    return {
      id,
      ...(owner !== everyTenant && { tenant: owner }),
      by,
      provider,
      flow,
      state,
      options,
    }
  }

  async #redeem(record: LoginRecord, answer: URLSearchParams): Promise<void> {
    const { provider, redirectUri = '' } = record
    const settings = this.#settings(provider)
    const { state, verifier } = this.#deps.logins.secrets(record)
    if (settings.grant === 'key') {
      const apiKey = await new KeyExchange(provider, settings).redeem(answer, verifier)
      const order = { ...record.options, provider, apiKey }
      await this.#deps.records.setKey(ownerOf(record), order, record.by)
      return
    }
    const request = { redirectUri, state, verifier }
    await this.#saveGrant(record, await this.#server(provider).redeem(answer, request))
  }

  async #askDevice(kept: StoredLogin): Promise<LoginRecord> {
    const { record } = kept
    const { clock, logins } = this.#deps
    const askEveryMs = record.askEveryMs ?? accountLimits.devicePollMs
    // Moving the time of the next poll beyond the end of this one claims the poll.
    const askAtMs = clock.now() + accountLimits.oauthCallMs + askEveryMs
    const asking = await logins.change(kept, { askAtMs })
    if (!asking) return record
    const { deviceCode = '' } = logins.secrets(record)
    let answer: TokenGrant | 'pending' | 'slow_down'
    try {
      answer = await this.#server(record.provider).askDevice(deviceCode)
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error
      if (error.kind !== 'unavailable') return this.#fail(asking, error.message)
      answer = 'pending'
    }
    if (answer === 'pending' || answer === 'slow_down') {
      const nextMs = askEveryMs + (answer === 'pending' ? 0 : accountLimits.deviceSlowDownMs)
      const next = { askEveryMs: nextMs, askAtMs: clock.now() + nextMs }
      return (await logins.change(asking, next))?.record ?? asking.record
    }
    const grant = answer
    return this.#settle(asking, () => this.#saveGrant(record, grant))
  }

  async #saveGrant(record: LoginRecord, grant: TokenGrant): Promise<void> {
    const { id: login, provider, by, options } = record
    await this.#deps.records.setTokens(ownerOf(record), provider, { login, by, options, grant })
  }

  /** Runs the last step of a login and stores its outcome. */
  async #settle(kept: StoredLogin, work: () => Promise<void>): Promise<LoginRecord> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error
      return this.#fail(kept, error.message)
    }
    const done = { state: 'done' } as const
    return (await this.#deps.logins.change(kept, done))?.record ?? { ...kept.record, ...done }
  }

  async #fail(kept: StoredLogin, error: string): Promise<LoginRecord> {
    const failed = { state: 'failed', error } as const
    return (await this.#deps.logins.change(kept, failed))?.record ?? { ...kept.record, ...failed }
  }

  #isLate({ expiresAtMs }: LoginRecord): boolean {
    return expiresAtMs <= this.#deps.clock.now()
  }

  #server(provider: ApiProvider): AuthorizationServer {
    return new AuthorizationServer(provider, this.#settings(provider))
  }

  #settings(provider: ApiProvider): OAuthProvider {
    const settings = this.#deps.providers[provider]
    if (settings) return settings
    const known = Object.keys(this.#deps.providers).join(', ')
    const text =
      `There is no login to ${provider}, only to ${known}: ` +
      'set its API key, or ask the operator to add it to OAUTH_PROVIDERS.'
    throw new ServiceError('bad_request', text, { field: 'provider' })
  }

  /** Reports failures to the caller as long as there is no login that could fail. */
  async #named<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error
      const message = `The login cannot start: ${error.message}.`
      if (error.kind === 'unavailable') throw new ServiceError('unavailable', message)
      throw new ServiceError('bad_request', message, { field: 'provider' })
    }
  }
}

function ownerOf({ tenant }: LoginRecord): CredentialOwner {
  return tenant ?? everyTenant
}

/** 256 bits in the format of a PKCE verifier. */
function randomText(): string {
  return randomBytes(32).toString('base64url')
}

function expireLogin(record: LoginRecord): LoginRecord {
  const error = 'it was not finished in time; start another one'
  return { ...record, state: 'failed', error }
}

function noSuchLoginError(): ServiceError {
  return new ServiceError('not_found', 'This login is unknown or has expired; start a new one.')
}

function tooLateError(): ServiceError {
  return new ServiceError('conflict', 'This login has expired; start another one.')
}

function usedUpError(): ServiceError {
  return new ServiceError('conflict', 'This login was completed already; start a new one.')
}
