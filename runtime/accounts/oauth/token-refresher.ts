/**
 * Keeps tokens fresh. A process that finds a token near its end claims its renewal in the record by
 * compare-and-set, so that only one process renews it: a rotating refresh token may be used once,
 * and a second use makes the server revoke everything.
 */
import { randomUUID } from 'node:crypto'
import {
  credentialKey,
  type ApiProvider,
  type OAuthCredential,
  type CredentialOwner,
} from '../../../proto/accounts/credential.ts'
import { limits } from '../../../proto/limits.ts'
import { backoffMs, type Clock } from '../../lib/clock.ts'
import { pollUntil, type PollOptions } from '../../lib/poll-until.ts'
import { retry, type RetryOptions } from '../../lib/retry.ts'
import { StoreConflict, StoreUnavailable } from '../../store/store.ts'
import type { CredentialRecords, StoredCredential, TokenGrant } from '../credentials/records.ts'
import { AccessFailure } from '../credentials/source.ts'
import { AuthorizationServer } from './authorization-server.ts'
import { OAuthFailure } from './failure.ts'
import type { OAuthProviders } from './providers.ts'
import { accountLimits } from '../limits.ts'

export interface TokenRefresherDeps {
  readonly records: CredentialRecords
  readonly providers: OAuthProviders
  readonly clock: Clock
}

export class TokenRefresher {
  readonly #deps: TokenRefresherDeps
  /** The id of this refresher in claims. */
  readonly #by = randomUUID()
  /** Renewals in progress in this process; they share one read of the store. */
  readonly #running = new Map<string, Promise<string>>()

  constructor(deps: TokenRefresherDeps) {
    this.#deps = deps
  }

  /** Rejects with {@link AccessFailure}. */
  token(owner: CredentialOwner, provider: ApiProvider): Promise<string> {
    const key = credentialKey(owner, provider)
    const running = this.#running.get(key)
    if (running) return running
    const token = this.#token(owner, provider).finally(() => this.#running.delete(key))
    this.#running.set(key, token)
    return token
  }

  async #token(owner: CredentialOwner, provider: ApiProvider): Promise<string> {
    const { records, clock } = this.#deps
    const poll = async () => {
      const kept = await records.get(owner, provider)
      if (!kept) throw loginNeeded(provider, 'the account no longer exists')
      const { record, revision } = kept
      if (record.kind === 'api_key') return records.openKey(owner, record)
      return this.#currentToken(owner, { record, revision })
    }
    const times: PollOptions = {
      everyMs: (attempt) => backoffMs(attempt, accountLimits.oauthPollMs, limits.oauthPollMaxMs),
      withinMs: accountLimits.oauthWaitMs,
    }
    const token = await pollUntil(clock, times, poll, (found) => found !== undefined)
    if (token !== undefined) return token
    throw new AccessFailure(
      'unavailable',
      `The renewal of the token of ${provider} takes too long.`,
    )
  }

  /** The token if it is usable now; undefined: the caller polls again in a moment. */
  async #currentToken(
    owner: CredentialOwner,
    kept: StoredCredential<OAuthCredential>,
  ): Promise<string | undefined> {
    const { records, clock } = this.#deps
    const { record } = kept
    const { provider, renewing } = record
    if (record.broken !== undefined) throw loginNeeded(provider, record.broken)
    const nowMs = clock.now()
    const { access, refresh } = records.openTokens(owner, record)
    const isGood = nowMs < record.expiresAtMs
    if (nowMs < record.renewAtMs || (isGood && refresh === undefined)) return access
    if (refresh === undefined) throw loginNeeded(provider, 'the login has expired')
    const isClaimedElsewhere = renewing !== undefined && renewing.by !== this.#by
    if (isClaimedElsewhere && renewing.untilMs > nowMs) return isGood ? access : undefined
    const claimed = await this.#claim(owner, kept)
    return claimed && (await this.#renew(owner, claimed, refresh, isGood ? access : undefined))
  }

  async #claim(
    owner: CredentialOwner,
    { record, revision }: StoredCredential<OAuthCredential>,
  ): Promise<StoredCredential<OAuthCredential> | undefined> {
    const { records, clock } = this.#deps
    const renewing = { by: this.#by, untilMs: clock.now() + accountLimits.oauthClaimMs }
    const claimed = { ...record, renewing }
    try {
      return { record: claimed, revision: await records.update(owner, claimed, revision) }
    } catch (error) {
      // Another process was faster, or the outcome is unknown and the claim may be ours: the next
      // poll reads the record again.
      if (error instanceof StoreConflict || error instanceof StoreUnavailable) return undefined
      throw error
    }
  }

  async #renew(
    owner: CredentialOwner,
    { record, revision }: StoredCredential<OAuthCredential>,
    refresh: string,
    usableToken: string | undefined,
  ): Promise<string> {
    const { renewing: _, renewalError: __, ...rest } = record
    let grant: TokenGrant
    try {
      grant = await this.#server(record.provider).refresh(refresh)
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error
      const isOver = error.kind === 'refused'
      const renewalError = { text: error.message, atMs: this.#deps.clock.now() }
      const failed = isOver ? { broken: error.message } : { renewalError }
      await this.#releaseClaim(owner, { ...rest, ...failed }, revision)
      if (isOver) throw loginNeeded(record.provider, error.message)
      if (usableToken !== undefined) return usableToken
      throw renewalFailed(record.provider, error)
    }
    const renewed = this.#deps.records.sealedGrant(owner, record.provider, grant)
    await this.#save(owner, { ...rest, ...renewed, round: record.round + 1 }, revision)
    return grant.tokens.access
  }

  /** Releases the claim. If that fails or comes too late, the claim expires by itself. */
  async #releaseClaim(
    owner: CredentialOwner,
    record: OAuthCredential,
    revision: number,
  ): Promise<void> {
    try {
      await this.#deps.records.update(owner, record, revision)
    } catch (error) {
      if (!(error instanceof StoreConflict || error instanceof StoreUnavailable)) throw error
    }
  }

  /**
   * Writes the renewed tokens over the claimed record, with retries: tokens that are not saved are
   * lost for good. A record of another login or of a later round is left unchanged.
   */
  async #save(owner: CredentialOwner, record: OAuthCredential, revision: number): Promise<void> {
    const { records, clock } = this.#deps
    let expected: number | undefined = revision
    const options: RetryOptions = {
      withinMs: accountLimits.oauthSaveMs,
      waitMs: (attempt) => backoffMs(attempt, accountLimits.oauthPollMs, limits.oauthPollMaxMs),
      isRetryable: (error) => error instanceof StoreConflict || error instanceof StoreUnavailable,
    }
    await retry(clock, options, async (attempt) => {
      if (expected !== undefined && attempt > 1) {
        expected = await this.#revisionBefore(owner, record, expected)
      }
      if (expected !== undefined) await records.update(owner, record, expected)
    })
  }

  /** The revision to replace; undefined if the stored record must stay, or is ours already. */
  async #revisionBefore(
    owner: CredentialOwner,
    { provider, login, round }: OAuthCredential,
    expected: number,
  ): Promise<number | undefined> {
    try {
      const kept = await this.#deps.records.get(owner, provider)
      const isSame = kept?.record.kind === 'oauth' && kept.record.login === login
      return isSame && kept.record.round < round ? kept.revision : undefined
    } catch (error) {
      if (error instanceof StoreUnavailable) return expected
      throw error
    }
  }

  #server(provider: ApiProvider): AuthorizationServer {
    const settings = this.#deps.providers[provider]
    if (settings?.grant === 'oauth') return new AuthorizationServer(provider, settings)
    const text = `OAUTH_PROVIDERS no longer has ${provider}`
    throw new OAuthFailure('misconfigured', text)
  }
}

function loginNeeded(provider: ApiProvider, why: string): AccessFailure {
  const again =
    `POST /v1/credentials/${provider}/login, ` +
    `or \`npm run troupe -- credentials login ${provider}\``
  return new AccessFailure(
    'auth',
    `The login to ${provider} does not work (${why}). Log in again: ${again}.`,
  )
}

function renewalFailed(provider: ApiProvider, failure: OAuthFailure): AccessFailure {
  const kind = failure.kind === 'unavailable' ? 'unavailable' : 'auth'
  const text = `The token of ${provider} has expired and cannot be renewed: ${failure.message}.`
  return new AccessFailure(kind, text)
}
