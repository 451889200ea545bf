/** Opens the logins of this service, for gateways and actor hosts. */
import { buckets } from '../../proto/subjects.ts'
import type { KeySettings } from '../accounts/seal/seal-keys.ts'
import type { Sealer } from '../accounts/seal/seal.ts'
import { openSigner } from '../accounts/seal/signer.ts'
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import { FillTickets } from './fill-tickets.ts'
import { SiteLogins } from './site-logins.ts'

export interface OpenSiteLoginsDeps {
  readonly store: Pick<Store, 'bucket'>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly config: KeySettings
}

export interface OpenedSiteLogins {
  readonly siteLogins: SiteLogins
  readonly fillTickets: FillTickets
}

export function openSiteLogins(deps: OpenSiteLoginsDeps): OpenedSiteLogins {
  const { store, sealer, clock, config } = deps
  const bucket = store.bucket(buckets.siteLogins)
  return {
    siteLogins: new SiteLogins({ bucket, sealer, clock }),
    fillTickets: new FillTickets(openSigner(config, 'logins'), clock),
  }
}
