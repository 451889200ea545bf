/**
 * Finds the account for a model request: the tenant's own, one for everybody, or the environment's.
 */
import { defined } from '../../../proto/defined.ts'
import {
  apiProviders,
  everyTenant,
  isApiProvider,
  type ApiProvider,
  type CredentialRecord,
  type CredentialOwner,
} from '../../../proto/accounts/credential.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { EnvironmentAccounts, ModelConfig } from './environment.ts'
import type { CredentialRecords } from './records.ts'
import type { TokenRefresher } from '../oauth/token-refresher.ts'
import { AccessFailure, type AccessSource, type ModelAccess } from './source.ts'

export interface AccountsDeps {
  readonly records: CredentialRecords
  readonly refresher: TokenRefresher
  readonly environment: EnvironmentAccounts
  readonly config: Pick<ModelConfig, 'ALLOW_PRIVATE_BASE_URLS' | 'OAUTH_PROVIDERS'>
}

type Fetch = typeof globalThis.fetch

export class Accounts implements AccessSource {
  readonly #deps: AccountsDeps

  constructor(deps: AccountsDeps) {
    this.#deps = deps
  }

  async find(tenant: string, provider: string): Promise<ModelAccess | undefined> {
    if (!isApiProvider(provider)) return undefined
    const { records, environment } = this.#deps
    // A task does this with each step, so both reads take one round trip.
    const [own, shared] = await Promise.all([
      records.get(tenant, provider),
      records.get(everyTenant, provider),
    ])
    if (own) return this.#access(tenant, own.record)
    return shared ? this.#access(everyTenant, shared.record) : environment.find(provider)
  }

  /**
   * The provider that the tenant set last, else AI_PROVIDER, else the first that works for
   * everybody.
   */
  async fallback(tenant: string): Promise<string | undefined> {
    const { records, environment } = this.#deps
    const { preferred } = environment
    // One round trip for both reads.
    const [own, shared] = await Promise.all([
      records.of(tenant),
      preferred === undefined ? this.shared() : [preferred],
    ])
    const working = own.filter((record) => !isBroken(record))
    const latest = working.toSorted((a, b) => b.setAtMs - a.setAtMs)[0]
    return latest?.provider ?? shared[0]
  }

  /** Providers that work for every tenant. */
  async shared(): Promise<readonly ApiProvider[]> {
    const { records, environment } = this.#deps
    const set = new Set((await records.of(everyTenant)).map(({ provider }) => provider))
    return apiProviders.filter((provider) => set.has(provider) || environment.has(provider))
  }

  #access(owner: CredentialOwner, record: CredentialRecord): ModelAccess {
    const { environment, config } = this.#deps
    const { provider } = record
    const login = record.kind === 'oauth' ? config.OAUTH_PROVIDERS[provider] : undefined
    const baseUrl = record.baseUrl ?? login?.baseUrl
    const model = record.model ?? environment.modelOf(provider)
    // The operator's prices for a provider do not apply to another address.
    const price =
      record.price ?? (baseUrl === undefined ? environment.priceOf(provider) : undefined)
    const fetch = this.#fetchOf(record, login?.tokenHeader)
    return {
      provider,
      token: () => this.#token(owner, record),
      ...defined({ baseUrl, model, price, fetch }),
    }
  }

  async #token(owner: CredentialOwner, record: CredentialRecord): Promise<string> {
    const { records, refresher } = this.#deps
    try {
      if (record.kind === 'api_key') return records.openKey(owner, record)
      return await refresher.token(owner, record.provider)
    } catch (error) {
      // A secret sealed with another key stays sealed until the configuration changes.
      if (error instanceof ServiceError) throw new AccessFailure('auth', error.message, error)
      throw error
    }
  }

  #fetchOf({ by, baseUrl }: CredentialRecord, header?: string): Fetch | undefined {
    const isTenants = by === 'tenant' && baseUrl !== undefined
    const isGuarded = isTenants && !this.#deps.config.ALLOW_PRIVATE_BASE_URLS
    const fetch = isGuarded ? lazyGuardedFetch : undefined
    return header === undefined ? fetch : sendingIn(header, fetch ?? globalThis.fetch)
  }
}

const isBroken = (record: CredentialRecord) =>
  record.kind === 'oauth' && record.broken !== undefined

/** Loaded on use: few tenants set a base URL. */
const lazyGuardedFetch: Fetch = async (input, init) => {
  const { guardedFetch } = await import('./guarded-fetch.ts')
  return guardedFetch(input, init)
}

/** Moves the token from the usual header to the one that this provider reads. */
function sendingIn(header: string, fetch: Fetch): Fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers)
    const token = headers.get('authorization')?.replace(/^Bearer /i, '')
    headers.delete('authorization')
    if (token !== undefined) headers.set(header, token)
    return fetch(input, { ...init, headers })
  }
}
