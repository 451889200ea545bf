/** Everything about accounts with providers of models, put together from what a process has. */
import { buckets } from '../../proto/subjects.ts'
import type { Clock } from '../clock.ts'
import type { Sealer } from '../seal.ts'
import type { Store } from '../store.ts'
import { Accounts } from './accounts.ts'
import { Environment, type ModelConfig } from './environment.ts'
import { Logins } from './logins.ts'
import { TokenKeeper } from './oauth/token-keeper.ts'
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
}

export function openCredentials({ store, sealer, clock, config }: CredentialsDeps): Credentials {
  const providers = config.OAUTH_PROVIDERS
  const records = new CredentialRecords(store.bucket(buckets.credentials), sealer, clock)
  const keeper = new TokenKeeper({ records, providers, clock })
  const environment = new Environment(config)
  return {
    records,
    accounts: new Accounts({ records, keeper, environment, config }),
    logins: new Logins({ bucket: store.bucket(buckets.logins), sealer, clock, records, providers }),
  }
}
