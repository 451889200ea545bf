/** Reseals logins with this host's first key. */
import { resealOutcome, type ResealedActor } from '../accounts/seal/reseal-actors.ts'
import type { Bucket } from '../store/store.ts'
import { readSiteLogin, type SiteLogins } from './site-logins.ts'

export async function* resealSiteLogins(
  bucket: Pick<Bucket, 'scan'>,
  logins: Pick<SiteLogins, 'reseal'>,
): AsyncIterable<ResealedActor> {
  for await (const { value } of bucket.scan()) {
    const { name: id, tenant } = readSiteLogin(value)
    yield { id, tenant, ...(await resealOutcome(() => logins.reseal(tenant, id))) }
  }
}
