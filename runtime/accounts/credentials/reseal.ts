/**
 * Reseals all accounts with the first key of this host while the service runs: each by
 * compare-and-set, so that concurrent writes are kept. Logins in progress and the secrets of live
 * tasks end soon, so they are not resealed; they are counted, because they need their old key until
 * then.
 */
import { decode } from '../../../proto/codec.ts'
import {
  credentialOf,
  isLoginOver,
  type ApiProvider,
  type LoginRecord,
  type CredentialOwner,
} from '../../../proto/accounts/credential.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { buckets } from '../../../proto/subjects.ts'
import { isTaskOver, type TaskView } from '../../../proto/task/task.ts'
import { sleep, type Clock } from '../../lib/clock.ts'
import { sealedWith, type Sealer } from '../seal/seal.ts'
import { StoreConflict, type Store } from '../../store/store.ts'
import type { ViewRecord } from '../../actor/views.ts'
import type { CredentialRecords } from './records.ts'
import { accountLimits } from '../limits.ts'

export interface ResealDeps {
  readonly store: Store
  readonly records: CredentialRecords
  readonly sealer: Sealer
  readonly clock: Clock
}

export interface ResealedAccount {
  readonly owner: CredentialOwner
  readonly provider: ApiProvider
  /** `shut`: sealed with a key that this host does not have. */
  readonly outcome: 'resealed' | 'current' | 'gone' | 'busy' | 'shut'
  /** If shut: what to repair. */
  readonly why?: string
}

/** What is still sealed with other keys than the current one, and will expire by itself. */
export interface PendingOldKeys {
  readonly logins: number
  readonly tasks: number
  /** The keys that are needed for it. */
  readonly keyIds: readonly string[]
}

/** Yields each account when it is processed. */
export async function* resealAccounts(deps: ResealDeps): AsyncIterable<ResealedAccount> {
  for await (const { key } of deps.store.bucket(buckets.credentials).scan()) {
    const account = credentialOf(key)
    if (account)
      yield { ...account, ...(await resealAccount(deps, account.owner, account.provider)) }
  }
}

async function resealAccount(
  { records, clock }: ResealDeps,
  owner: CredentialOwner,
  provider: ApiProvider,
): Promise<Pick<ResealedAccount, 'outcome' | 'why'>> {
  const giveUpAt = clock.monotonic() + 2 * accountLimits.oauthClaimMs
  while (clock.monotonic() < giveUpAt) {
    const kept = await records.get(owner, provider)
    if (!kept) return { outcome: 'gone' }
    const { record, revision } = kept
    const renewingUntilMs = (record.kind === 'oauth' && record.renewing?.untilMs) || 0
    if (renewingUntilMs > clock.now()) {
      // A renewal in progress must not be disturbed; it seals its result with the current key.
      await sleep(clock, limits.oauthPollMaxMs)
      continue
    }
    try {
      const next = records.resealed(owner, record)
      if (!next) return { outcome: 'current' }
      await records.update(owner, next, revision)
      return { outcome: 'resealed' }
    } catch (error) {
      if (error instanceof ServiceError) return { outcome: 'shut', why: error.message }
      // Changed meanwhile: the new record may need resealing too.
      if (!(error instanceof StoreConflict)) throw error
    }
  }
  return { outcome: 'busy' }
}

export async function stillUnderOld({ store, sealer, clock }: ResealDeps): Promise<PendingOldKeys> {
  const [current] = sealer.keyIds()
  const isOld = (keyId: string | undefined): keyId is string =>
    keyId !== undefined && keyId !== current
  /** By the key of their record. */
  const logins = new Map<string, string>()
  const tasks = new Map<string, string>()
  for await (const { key, value } of store.bucket(buckets.logins).scan()) {
    const { state, expiresAtMs, sealed } = decode<LoginRecord>(value)
    const isPending = !isLoginOver(state) && expiresAtMs > clock.now()
    const keyId = sealedWith(sealed)
    if (isPending && isOld(keyId)) logins.set(key, keyId)
  }
  for await (const { key, value } of store.bucket(buckets.views).scan('task.')) {
    const { state, sealKey } = decode<ViewRecord<TaskView>>(value).view
    if (!isTaskOver(state) && isOld(sealKey)) tasks.set(key, sealKey)
  }
  const keyIds = [...new Set([...logins.values(), ...tasks.values()])]
  return { logins: logins.size, tasks: tasks.size, keyIds }
}
