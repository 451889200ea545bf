/** The share of one tenant of the room for blobs. */
import { ServiceError } from '../../proto/errors.ts'
import { MiB } from '../../proto/units.ts'

/** Throws `storage_full` if the tenant's things of this kind, `profiles` for instance, have their share. */
export function assertShare(what: string, bytes: number, bytesMax: number): void {
  if (bytes < bytesMax) return
  const text = `Your ${what} have ${Math.round(bytes / MiB)} MiB, which is the most: delete some.`
  throw new ServiceError('storage_full', text, { limit_bytes: bytesMax })
}
