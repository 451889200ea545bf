/** Reseals the keys of profiles' blobs with this host's first key. The blobs stay as they are. */
import { resealOutcome, type ResealedActor } from '../accounts/seal/reseal-actors.ts'
import type { Bucket } from '../store/store.ts'
import { readProfile, type ProfileRecords } from './profile-records.ts'

export async function* resealProfiles(
  bucket: Pick<Bucket, 'scan'>,
  records: Pick<ProfileRecords, 'reseal'>,
): AsyncIterable<ResealedActor> {
  for await (const { value } of bucket.scan()) {
    const { name: id, tenant } = readProfile(value)
    yield { id, tenant, ...(await resealOutcome(() => records.reseal(tenant, id))) }
  }
}
