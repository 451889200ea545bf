/** Assembles everything about accounts with model providers. */
import type { KeyCredential, CredentialOwner, SetBy } from '../../../proto/accounts/credential.ts'
import { buckets } from '../../../proto/subjects.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Sealer } from '../seal/seal.ts'
import type { Store } from '../../store/store.ts'
import { Accounts } from './accounts.ts'
import { EnvironmentAccounts, type ModelConfig } from './environment.ts'
import { LoginRecords } from '../oauth/login-records.ts'
import { Logins } from '../oauth/logins.ts'
import { TokenRefresher } from '../oauth/token-refresher.ts'
import { checkKeyOrder, type AccountOrder } from './order.ts'
import { CredentialRecords } from './records.ts'

export interface CredentialsDeps {
  readonly store: Store
  readonly sealer: Sealer
  readonly clock: Clock
  readonly config: ModelConfig
}

export interface Credentials {
  readonly records: CredentialRecords
  readonly accounts: Accounts
  readonly logins: Logins
  /** Validates first; throws a `bad_request` that says what is wrong. */
  setKey(owner: CredentialOwner, order: AccountOrder, by: SetBy): Promise<KeyCredential>
}

export function openCredentials({ store, sealer, clock, config }: CredentialsDeps): Credentials {
  const providers = config.OAUTH_PROVIDERS
  const allowsPrivate = config.ALLOW_PRIVATE_BASE_URLS
  const records = new CredentialRecords(store.bucket(buckets.credentials), sealer, clock)
  const refresher = new TokenRefresher({ records, providers, clock })
  const environment = new EnvironmentAccounts(config)
  const logins = new LoginRecords(store.bucket(buckets.logins), sealer)
  return {
    records,
    accounts: new Accounts({ records, refresher, environment, config }),
    logins: new Logins({ logins, clock, records, providers, allowsPrivate }),
    async setKey(owner, order, by) {
      const mayBePrivate = by === 'operator' || allowsPrivate
      return records.setKey(owner, checkKeyOrder(order, { mayBePrivate }), by)
    },
  }
}
