/**
 * A client's share of the bucket of records. It is counted in the client's index, which is loaded at
 * its first request; until then nothing is refused.
 */
import type { Logger } from 'pino'
import type { ClientId } from '../../../proto/access/ids.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { buckets } from '../../../proto/subjects.ts'
import type { RecordIndexes } from '../../../runtime/access/records/index/record-indexes.ts'
import { bucketStream } from '../../../runtime/store/nats/stream-plan.ts'
import type { TenantShares } from '../../../runtime/store/tenant-shares.ts'

export interface RecordRoomDeps {
  readonly indexes: Pick<RecordIndexes, 'of' | 'storedBytesOf'>
  readonly shares: Pick<TenantShares, 'bytesOf'>
  readonly log: Logger
}

const stream = bucketStream(buckets.records)

export class RecordRoom {
  readonly #deps: RecordRoomDeps

  constructor(deps: RecordRoomDeps) {
    this.#deps = deps
  }

  /** Throws `storage_full` if the client has used its share. */
  admit(client: ClientId): void {
    const { indexes, shares, log } = this.#deps
    const used = indexes.storedBytesOf(client)
    if (used === undefined) {
      const tell = (err: unknown) =>
        log.warn({ err, client }, 'the records of a client not counted')
      indexes.of(client).catch(tell)
      return
    }
    if (used < shares.bytesOf(client, stream)) return
    throw new ServiceError(
      'storage_full',
      'The records of this client fill its share of the store: delete some. What a deleted record ' +
        'used is free after two hours. The operator can raise STORE_MAX_MIB.',
    )
  }
}
