/**
 * API keys as the operator lists and changes them over REST. A key cannot create one with more
 * permissions, or a later expiry, than its own.
 */
import { isKeyOver, keyScopesOf, type KeyRecord } from '../../../proto/accounts/key.ts'
import { keyScopeNames, tenantScopes, type KeyScope } from '../../../proto/accounts/key-scopes.ts'
import { defined } from '../../../proto/defined.ts'
import { ServiceError, type ErrorDetails } from '../../../proto/errors.ts'
import {
  createKey,
  listKeys,
  revokeKey,
  type KeyOrder,
} from '../../../runtime/accounts/keys/keys.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Bucket } from '../../../runtime/store/store.ts'
import type { Principal } from '../../routing/auth/auth.ts'
import type { KeySource } from '../../routing/auth/key-validity.ts'
import type { SessionService } from '../../sessions/sessions.ts'
import type { RunningSessions } from '../../sessions/session-views.ts'

export interface ApiKeyDeps {
  readonly keyBucket: Bucket
  readonly keys: Pick<KeySource, 'get' | 'entries'>
  readonly running: RunningSessions
  readonly sessions: Pick<SessionService, 'endEach'>
  readonly clock: Clock
}

export type KeyState = 'active' | 'expired' | 'revoked'

export interface ListedKey {
  readonly record: KeyRecord
  readonly state: KeyState
  /** The number of its live sessions. */
  readonly sessions: number
}

export interface RevokedKey extends ListedKey {
  /** The number of its sessions that were ended. */
  readonly ended: number
}

/** The requested properties of a key; absent ones default to those of the caller's own key. */
export interface WantedKey {
  readonly tenant?: string | undefined
  readonly name: string
  readonly scopes?: readonly KeyScope[] | undefined
  readonly allow_private?: boolean | undefined
  readonly max_sessions?: number | undefined
  readonly expires_at?: string | undefined
}

export class ApiKeys {
  readonly #deps: ApiKeyDeps

  constructor(deps: ApiKeyDeps) {
    this.#deps = deps
  }

  /** Reads the keys from the store: of one tenant, or of all; oldest first. */
  async list(tenant?: string): Promise<readonly ListedKey[]> {
    const records = await listKeys(this.#deps.keyBucket)
    return this.#listed(
      tenant === undefined ? records : records.filter((record) => record.tenant === tenant),
    )
  }

  /** The keys in this gateway's memory, which may lag behind the store; oldest first. */
  known(): readonly ListedKey[] {
    const records = [...this.#deps.keys.entries()].map(([, record]) => record)
    // The service's own secret is in the same bucket, and is not a key.
    const keys = records.filter(({ tenant }) => (tenant as string | undefined) !== undefined)
    return this.#listed(keys.toSorted((a, b) => a.createdAtMs - b.createdAtMs))
  }

  #listed(records: readonly KeyRecord[]): readonly ListedKey[] {
    const { running } = this.#deps
    const now = this.#deps.clock.now()
    return records.map((record) => ({
      ...{ record, state: stateOf(record, now), sessions: running.countOfKey(record.id) },
    }))
  }

  /**
   * The key's text is shown only in this answer. Throws `forbidden` for more permissions than the
   * caller has, and `bad_request`.
   */
  async make(
    caller: Principal,
    wanted: WantedKey,
  ): Promise<{ readonly record: KeyRecord; readonly text: string }> {
    const { keyBucket, keys, clock } = this.#deps
    const now = clock.now()
    const order = orderOf(caller, keys.get(caller.keyId)?.expiresAtMs, wanted, now)
    return createKey(keyBucket, order, now)
  }

  /** Its sessions continue unless `endSessions` is set. Throws `not_found`. */
  async revoke(
    id: string,
    { endSessions }: { readonly endSessions: boolean },
  ): Promise<RevokedKey> {
    const { keyBucket, clock, running, sessions } = this.#deps
    const record = await revokeKey(keyBucket, id, clock.now())
    if (!record) throw new ServiceError('not_found', 'There is no key with this id.')
    const alive = running.ofKey(id).map((view) => view.id)
    if (endSessions) await sessions.endEach(record.tenant, alive)
    const [left, ended] = endSessions ? [0, alive.length] : [alive.length, 0]
    return { record, state: 'revoked', sessions: left, ended }
  }
}

function stateOf(record: KeyRecord, now: number): KeyState {
  if (record.revokedAtMs !== undefined) return 'revoked'
  return isKeyOver(record, now) ? 'expired' : 'active'
}

function orderOf(
  caller: Principal,
  callerEndsMs: number | undefined,
  wanted: WantedKey,
  now: number,
): KeyOrder {
  const { tenant = caller.tenant, name, allow_private: allowPrivate = false } = wanted
  if (allowPrivate && !caller.allowPrivate) {
    throw tooMuch(
      'allow_private',
      'Your key does not allow private networks, so it cannot create a key that does.',
    )
  }
  const scopes = scopesFor(caller, wanted.scopes)
  const sessionsMax = sessionsFor(caller, wanted.max_sessions)
  const expiresAtMs = endFor(callerEndsMs, wanted.expires_at, now)
  return {
    ...{ tenant, name, allowPrivate },
    // A record without scopes also gets the scopes that later versions add.
    ...(isUsual(scopes) ? {} : { scopes }),
    ...defined({ sessionsMax, expiresAtMs }),
  }
}

const isUsual = (scopes: readonly KeyScope[]) => scopes.join() === tenantScopes.join()

function scopesFor({ scopes: own }: Principal, wanted?: readonly KeyScope[]): readonly KeyScope[] {
  const missing = (wanted ?? []).filter((scope) => !own.includes(scope))
  if (missing.length > 0) {
    const text =
      `Your key does not have the scopes ${missing.join(', ')}, so it cannot create a key that ` +
      'does.'
    throw tooMuch('scopes', text, { scopes: missing })
  }
  const chosen = wanted ?? tenantScopes.filter((scope) => own.includes(scope))
  if (chosen.length === 0) {
    const text =
      'Your key has no scope that a new key gets by default: name the scopes of the new key.'
    throw new ServiceError('bad_request', text, { field: 'scopes' })
  }
  return keyScopeNames.filter((scope) => chosen.includes(scope))
}

function sessionsFor({ sessionsMax: own }: Principal, wanted = own): number | undefined {
  if (own === undefined || (wanted !== undefined && wanted <= own)) return wanted
  const text = `Your key can have at most ${own} sessions; a key that it creates cannot have more.`
  throw tooMuch('max_sessions', text, { limit: own })
}

function endFor(ownMs: number | undefined, wanted: string | undefined, now: number) {
  const wantedMs = wanted === undefined ? ownMs : Date.parse(wanted)
  if (wantedMs !== undefined && wantedMs <= now) {
    const text = 'expires_at must be in the future.'
    throw new ServiceError('bad_request', text, { field: 'expires_at' })
  }
  if (ownMs === undefined || (wantedMs !== undefined && wantedMs <= ownMs)) return wantedMs
  const end = new Date(ownMs).toISOString()
  throw tooMuch(
    'expires_at',
    `Your key expires at ${end}; a key that it creates cannot expire later.`,
  )
}

const tooMuch = (field: string, text: string, details: ErrorDetails = {}) =>
  new ServiceError('forbidden', text, { field, ...details })

/** The permissions of a key, as in the list and in the answer to a creation. */
export const keyPowersOf = (record: KeyRecord) => ({
  scopes: keyScopesOf(record),
  allowPrivate: record.allowPrivate === true,
  sessionsMax: record.limits.sessions,
})
