/** Whose account a model is asked on: the tenant’s, what was set for everybody, the environment. */
import {
  apiProviders,
  everybody,
  isApiProvider,
  type ApiProvider,
  type CredentialRecord,
  type Owner,
} from '../../proto/credential.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { Environment, ModelConfig } from './environment.ts'
import type { CredentialRecords } from './records.ts'
import type { TokenKeeper } from './oauth/token-keeper.ts'
import { AccessFailure, type AccessSource, type ModelAccess } from './source.ts'

export interface AccountsDeps {
  readonly records: CredentialRecords
  readonly keeper: TokenKeeper
  readonly environment: Environment
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
    // A task asks with each of its steps: one round trip, not two.
    const [own, shared] = await Promise.all([
      records.get(tenant, provider),
      records.get(everybody, provider),
    ])
    if (own) return this.#access(tenant, own.record)
    return shared ? this.#access(everybody, shared.record) : environment.find(provider)
  }

  /** What a tenant set last, else AI_PROVIDER, else the first that works for everybody. */
  async fallback(tenant: string): Promise<string | undefined> {
    const { records, environment } = this.#deps
    const { preferred } = environment
    // One round trip, whosever account it will be.
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
    const set = new Set((await records.of(everybody)).map(({ provider }) => provider))
    return apiProviders.filter((provider) => set.has(provider) || environment.has(provider))
  }

  #access(owner: Owner, record: CredentialRecord): ModelAccess {
    const { environment, config } = this.#deps
    const { provider } = record
    const login = record.kind === 'oauth' ? config.OAUTH_PROVIDERS[provider] : undefined
    const baseUrl = record.baseUrl ?? login?.baseUrl
    const model = record.model ?? environment.modelOf(provider)
    // What the operator says of a provider's prices is not true of another address.
    const price =
      record.price ?? (baseUrl === undefined ? environment.priceOf(provider) : undefined)
    const fetch = this.#fetchOf(record, login?.tokenHeader)
    return {
      provider,
      token: () => this.#token(owner, record),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(model !== undefined && { model }),
      ...(price !== undefined && { price }),
      ...(fetch !== undefined && { fetch }),
    }
  }

  async #token(owner: Owner, record: CredentialRecord): Promise<string> {
    const { records, keeper } = this.#deps
    try {
      if (record.kind === 'api_key') return records.openKey(owner, record)
      return await keeper.token(owner, record.provider)
    } catch (error) {
      // What is sealed with another key stays shut until somebody changes the configuration.
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

/** Loaded for those who need it: few tenants bring a base URL. */
const lazyGuardedFetch: Fetch = async (input, init) => {
  const { guardedFetch } = await import('./guarded-fetch.ts')
  return guardedFetch(input, init)
}

/** Moves the token from where every client puts it to the header that this provider reads. */
function sendingIn(header: string, fetch: Fetch): Fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers)
    const token = headers.get('authorization')?.replace(/^Bearer /i, '')
    headers.delete('authorization')
    if (token !== undefined) headers.set(header, token)
    return fetch(input, { ...init, headers })
  }
}
