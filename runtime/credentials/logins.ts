/**
 * Logins under way. Everything about one stands in KV `logins`, so it may begin at one gateway, come
 * back to a second and be asked for at a third; each of its turns is taken once, by compare-and-set.
 */
import { randomBytes } from 'node:crypto'
import { decode, encode } from '../../proto/codec.ts'
import {
  everybody,
  type AccountOptions,
  type ApiProvider,
  type LoginFlow,
  type LoginRecord,
  type Owner,
  type SetBy,
} from '../../proto/credential.ts'
import { ServiceError } from '../../proto/errors.ts'
import { isId, newId } from '../../proto/ids.ts'
import { equal } from '../../proto/key.ts'
import { limits } from '../../proto/limits.ts'
import type { Clock } from '../clock.ts'
import type { Sealer } from '../seal.ts'
import { Conflict, type Bucket } from '../store.ts'
import { AuthorizationServer } from './oauth/authorization-server.ts'
import { OAuthFailure } from './oauth/failure.ts'
import { KeyExchange } from './oauth/key-exchange.ts'
import type { OAuthProvider, OAuthProviders } from './oauth/providers.ts'
import { checkOptions } from './order.ts'
import type { CredentialRecords, TokenGrant } from './records.ts'

export interface LoginsDeps {
  readonly bucket: Bucket
  readonly sealer: Sealer
  readonly clock: Clock
  readonly records: CredentialRecords
  readonly providers: OAuthProviders
  readonly allowsPrivate: boolean
}

export interface LoginOrder {
  readonly owner: Owner
  readonly by: SetBy
  readonly provider: ApiProvider
  readonly flow: LoginFlow
  /** Where a browser is sent back to. A provider without a state of its own gets it below that. */
  readonly redirectUri: string
  readonly options: AccountOptions
}

/** What whoever began it is told. */
export interface BegunLogin {
  readonly record: LoginRecord
  /** Of flow `code`. */
  readonly authorizeUrl?: string
}

/** What we alone may know of a login. */
interface Secrets {
  /** Comes back with the answer, and names the login. */
  readonly state: string
  readonly verifier: string
  readonly deviceCode?: string
}

interface Kept {
  readonly record: LoginRecord
  readonly revision: number
}

export class Logins {
  readonly #deps: LoginsDeps

  constructor(deps: LoginsDeps) {
    this.#deps = deps
  }

  async begin(given: LoginOrder): Promise<BegunLogin> {
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
   * What a browser brought back. Resolves with the login, done or failed; throws when there is none
   * that waits for this answer.
   */
  async finish(state: string, answer: URLSearchParams): Promise<LoginRecord> {
    const kept = await this.#byState(state)
    if (!kept || kept.record.flow !== 'code') throw noSuchLogin()
    const { record } = kept
    if (this.#isLate(record)) throw tooLate()
    if (record.state !== 'pending') throw usedUp()
    const taken = await this.#take(kept)
    if (!taken) throw usedUp()
    return this.#settle(taken, () => this.#redeem(taken.record, answer))
  }

  /** How it stands. A device is asked about here, no more often than its server wants. */
  async look(owner: Owner, provider: ApiProvider, id: string): Promise<LoginRecord> {
    const kept = isId('lgn', id) ? await this.#get(id) : undefined
    const isTheirs = kept && ownerOf(kept.record) === owner && kept.record.provider === provider
    if (!isTheirs) throw noSuchLogin()
    const { record } = kept
    if (record.state === 'done' || record.state === 'failed') return record
    if (this.#isLate(record)) return lapsed(record)
    const isDue = record.flow === 'device' && (record.askAtMs ?? 0) <= this.#deps.clock.now()
    return isDue ? this.#askDevice(kept) : record
  }

  async #beginCode(order: LoginOrder, settings: OAuthProvider): Promise<BegunLogin> {
    const id = newId('lgn', this.#deps.clock.now())
    const state = `${id}.${randomText()}`
    const verifier = randomText()
    const isKey = settings.grant === 'key'
    const redirectUri = isKey ? `${order.redirectUri}/${state}` : order.redirectUri
    const authorizeUrl = isKey
      ? await new KeyExchange(order.provider, settings).authorizeUrl({ redirectUri, verifier })
      : await this.#server(order.provider).authorizeUrl({ redirectUri, state, verifier })
    const record = await this.#create(id, order, {
      secrets: { state, verifier },
      // Never with the state in it: that stands nowhere in the clear.
      fields: {
        redirectUri: order.redirectUri,
        expiresAtMs: this.#deps.clock.now() + limits.loginMs,
      },
    })
    return { record, authorizeUrl }
  }

  async #beginDevice(order: LoginOrder, settings: OAuthProvider): Promise<BegunLogin> {
    if (settings.grant === 'key') {
      const message = `${order.provider} has no device codes: log in with flow code.`
      throw new ServiceError('bad_request', message, { field: 'flow' })
    }
    const start = await this.#server(order.provider).startDevice()
    const nowMs = this.#deps.clock.now()
    const id = newId('lgn', nowMs)
    const secrets = { state: randomText(), verifier: '', deviceCode: start.deviceCode }
    const record = await this.#create(id, order, {
      secrets,
      fields: {
        device: start.prompt,
        askEveryMs: start.askEveryMs,
        askAtMs: nowMs + start.askEveryMs,
        expiresAtMs: nowMs + Math.min(start.lifeMs, limits.loginKeptMs),
      },
    })
    return { record }
  }

  async #create(
    id: string,
    { owner, by, provider, flow, options }: LoginOrder,
    given: { secrets: Secrets; fields: Partial<LoginRecord> & Pick<LoginRecord, 'expiresAtMs'> },
  ): Promise<LoginRecord> {
    const { bucket, sealer } = this.#deps
    const record: LoginRecord = {
      id,
      ...(owner !== everybody && { tenant: owner }),
      by,
      provider,
      flow,
      state: 'pending',
      options,
      sealed: sealer.seal(JSON.stringify(given.secrets), ['login', id]),
      ...given.fields,
    }
    await bucket.create(id, encode(record))
    return record
  }

  async #redeem(record: LoginRecord, answer: URLSearchParams): Promise<void> {
    const { provider, redirectUri = '' } = record
    const settings = this.#settings(provider)
    const { state, verifier } = this.#secrets(record)
    if (settings.grant === 'key') {
      const apiKey = await new KeyExchange(provider, settings).redeem(answer, verifier)
      const order = { ...record.options, provider, apiKey }
      await this.#deps.records.setKey(ownerOf(record), order, record.by)
      return
    }
    const request = { redirectUri, state, verifier }
    await this.#keep(record, await this.#server(provider).redeem(answer, request))
  }

  async #askDevice(kept: Kept): Promise<LoginRecord> {
    const { record } = kept
    const nowMs = this.#deps.clock.now()
    const askEveryMs = record.askEveryMs ?? limits.deviceAskMs
    // Whoever moves the time of the next question on may ask this one.
    const asking = await this.#change(kept, { askAtMs: nowMs + askEveryMs })
    if (!asking) return record
    const { deviceCode = '' } = this.#secrets(record)
    let answer: TokenGrant | 'pending' | 'slow_down'
    try {
      answer = await this.#server(record.provider).askDevice(deviceCode)
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error
      if (error.kind === 'unavailable') return asking.record
      return this.#fail(asking, error.message)
    }
    if (answer === 'pending') return asking.record
    if (answer === 'slow_down') {
      const slower = askEveryMs + limits.deviceSlowDownMs
      const changed = await this.#change(asking, { askEveryMs: slower, askAtMs: nowMs + slower })
      return (changed ?? asking).record
    }
    const grant = answer
    return this.#settle(asking, () => this.#keep(record, grant))
  }

  async #keep(record: LoginRecord, grant: TokenGrant): Promise<void> {
    const { id: login, provider, by, options } = record
    await this.#deps.records.setTokens(ownerOf(record), provider, { login, by, options, grant })
  }

  /** Does the last step of a login, and writes down what became of it. */
  async #settle(kept: Kept, work: () => Promise<void>): Promise<LoginRecord> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error
      return this.#fail(kept, error.message)
    }
    return (
      (await this.#change(kept, { state: 'done' }))?.record ?? { ...kept.record, state: 'done' }
    )
  }

  async #fail(kept: Kept, error: string): Promise<LoginRecord> {
    const failed = { state: 'failed', error } as const
    return (await this.#change(kept, failed))?.record ?? { ...kept.record, ...failed }
  }

  #take(kept: Kept): Promise<Kept | undefined> {
    return this.#change(kept, { state: 'working' })
  }

  /** Undefined when somebody else has changed it meanwhile. */
  async #change(
    { record, revision }: Kept,
    change: Partial<LoginRecord>,
  ): Promise<Kept | undefined> {
    const changed = { ...record, ...change }
    try {
      const next = await this.#deps.bucket.update(record.id, encode(changed), revision)
      return { record: changed, revision: next }
    } catch (error) {
      if (error instanceof Conflict) return undefined
      throw error
    }
  }

  async #byState(state: string): Promise<Kept | undefined> {
    const [id = ''] = state.split('.')
    const kept = isId('lgn', id) ? await this.#get(id) : undefined
    return kept && equal(this.#secrets(kept.record).state, state) ? kept : undefined
  }

  async #get(id: string): Promise<Kept | undefined> {
    const entry = await this.#deps.bucket.get(id)
    return entry && { record: decode<LoginRecord>(entry.value), revision: entry.revision }
  }

  #secrets({ id, sealed }: LoginRecord): Secrets {
    return JSON.parse(this.#deps.sealer.open(sealed, ['login', id])) as Secrets
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
    const text = `There is no login to ${provider}, only to ${known}: set its API key, or have the operator name it in OAUTH_PROVIDERS.`
    throw new ServiceError('bad_request', text, { field: 'provider' })
  }

  /** Before there is a login to fail, its caller hears of it. */
  async #named<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error
      const message = `The login cannot begin: ${error.message}.`
      throw new ServiceError('unavailable', message)
    }
  }
}

function ownerOf({ tenant }: LoginRecord): Owner {
  return tenant ?? everybody
}

/** 256 bits, as a verifier of PKCE is written. */
function randomText(): string {
  return randomBytes(32).toString('base64url')
}

function lapsed(record: LoginRecord): LoginRecord {
  const error = 'it was not finished in time; begin another one'
  return { ...record, state: 'failed', error }
}

function noSuchLogin(): ServiceError {
  return new ServiceError('not_found', 'No login waits for this; begin one anew.')
}

function tooLate(): ServiceError {
  return new ServiceError('conflict', 'This login was begun too long ago; begin another one.')
}

function usedUp(): ServiceError {
  return new ServiceError('conflict', 'This login has had its answer; begin another one.')
}
