/**
 * Seals all accounts again with the first key of this host, while the service runs: each by
 * compare-and-set, so whatever others write meanwhile stays. Logins under way and the secrets of
 * live tasks are left as they are, for they end soon. They are counted, since until then they need
 * their old key.
 */
import { decode } from '../../proto/codec.ts'
import {
  credentialOf,
  isLoginOver,
  type ApiProvider,
  type LoginRecord,
  type Owner,
} from '../../proto/credential.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { buckets } from '../../proto/subjects.ts'
import { isTaskOver, type TaskView } from '../../proto/task.ts'
import { sleep, type Clock } from '../clock.ts'
import { sealedWith, type Sealer } from '../seal/seal.ts'
import { Conflict, type Store } from '../store.ts'
import type { ViewRecord } from '../views.ts'
import type { CredentialRecords } from './records.ts'

export interface ResealDeps {
  readonly store: Store
  readonly records: CredentialRecords
  readonly sealer: Sealer
  readonly clock: Clock
}

export interface ResealedAccount {
  readonly owner: Owner
  readonly provider: ApiProvider
  /** `shut`: under a key that this host has not. */
  readonly outcome: 'resealed' | 'current' | 'gone' | 'busy' | 'shut'
  /** Of a shut one: what to mend. */
  readonly why?: string
}

/** What is under other keys than the current one, and goes by itself. */
export interface StillUnderOld {
  readonly logins: number
  readonly tasks: number
  /** All keys that are needed for it. */
  readonly keyIds: readonly string[]
}

/** Each account that there is, as it is done. */
export async function* resealAccounts(deps: ResealDeps): AsyncIterable<ResealedAccount> {
  const entries = await deps.store.bucket(buckets.credentials).entries()
  for (const { key } of entries) {
    const account = credentialOf(key)
    if (account) yield { ...account, ...(await resealed(deps, account.owner, account.provider)) }
  }
}

async function resealed(
  { records, clock }: ResealDeps,
  owner: Owner,
  provider: ApiProvider,
): Promise<Pick<ResealedAccount, 'outcome' | 'why'>> {
  const giveUpAt = clock.monotonic() + 2 * limits.oauthClaimMs
  while (clock.monotonic() < giveUpAt) {
    const kept = await records.get(owner, provider)
    if (!kept) return { outcome: 'gone' }
    const { record, revision } = kept
    const renewingUntilMs = (record.kind === 'oauth' && record.renewing?.untilMs) || 0
    if (renewingUntilMs > clock.now()) {
      // Whoever renews it must not be disturbed, and seals what comes of it.
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
      // Changed meanwhile: what is there now may need it too.
      if (!(error instanceof Conflict)) throw error
    }
  }
  return { outcome: 'busy' }
}

export async function stillUnderOld({ store, sealer, clock }: ResealDeps): Promise<StillUnderOld> {
  const [current] = sealer.keyIds()
  const isOld = (keyId: string | undefined) => keyId !== undefined && keyId !== current
  const logins = (await store.bucket(buckets.logins).entries())
    .map(({ value }) => decode<LoginRecord>(value))
    .filter(({ state, expiresAtMs }) => !isLoginOver(state) && expiresAtMs > clock.now())
    .map(({ sealed }) => sealedWith(sealed))
    .filter(isOld)
  const tasks = (await store.bucket(buckets.views).entries())
    .filter(({ key }) => key.startsWith('task.'))
    .map(({ value }) => decode<ViewRecord<TaskView>>(value).view)
    .filter(({ state }) => !isTaskOver(state))
    .map(({ sealKey }) => sealKey)
    .filter(isOld)
  const keyIds = [...new Set([...logins, ...tasks])].map(String)
  return { logins: logins.length, tasks: tasks.length, keyIds }
}
