/** What tenants keep for their sessions, in memory: profiles, extensions and logins with sites. */
import { buckets } from '../../../proto/subjects.ts'
import { openSealer } from '../../../runtime/accounts/seal/seal.ts'
import type { KeySettings } from '../../../runtime/accounts/seal/seal-keys.ts'
import { ExtensionRecords } from '../../../runtime/extensions/extension-records.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { ProfileRecords } from '../../../runtime/profiles/profile-records.ts'
import { openSiteLogins } from '../../../runtime/site-logins/open.ts'
import { MemoryStore } from '../runtime/memory-store.ts'

export function keptOfTenants(config: KeySettings) {
  const store = new MemoryStore()
  const deps = { sealer: openSealer(config), clock: systemClock }
  return {
    profiles: new ProfileRecords({ ...deps, bucket: store.bucket(buckets.profiles) }),
    extensions: new ExtensionRecords({ ...deps, bucket: store.bucket(buckets.extensions) }),
    ...openSiteLogins({ ...deps, config, store }),
  }
}
