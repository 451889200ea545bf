/** Reseals the records of a bucket with this host's first key. What they are the keys of stays as it is. */
import { decode } from '../../../proto/codec.ts'
import type { Bucket } from '../../store/store.ts'
import { resealOutcome, type ResealedActor } from './reseal-actors.ts'

interface NamedRecord {
  readonly tenant: string
  readonly name: string
  /** Of records that go by an id. */
  readonly id?: string
}

interface ResealableRecords {
  /** False if there was nothing to do. */
  reseal(tenant: string, nameOrId: string): Promise<boolean>
}

/** Yields each record, by its name, when it is processed. */
export async function* resealRecords(
  bucket: Pick<Bucket, 'scan'>,
  records: ResealableRecords,
): AsyncIterable<ResealedActor> {
  for await (const { value } of bucket.scan()) {
    const { name, id = name, tenant } = decode<NamedRecord>(value)
    yield { id: name, tenant, ...(await resealOutcome(() => records.reseal(tenant, id))) }
  }
}
