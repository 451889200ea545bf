/**
 * Databases of a newer Chromium are not understood by an older one, which then begins with empty
 * ones; so a profile is not given to it.
 */
import { ServiceError } from '../../proto/errors.ts'

/** Throws `unavailable`, because another host may have a newer one. Versions: `150.0.7871.181`. */
export function assertReadable(saved: string, ours: string): void {
  const majorOf = (version: string) => Number.parseInt(version, 10)
  if (majorOf(saved) <= majorOf(ours)) return
  const text =
    `The profile was saved by Chromium ${majorOf(saved)}, and no host with that version or a newer one ` +
    `is free: one has ${majorOf(ours)}. Update Chromium there, or make an earlier version of the ` +
    'profile the newest one.'
  throw new ServiceError('unavailable', text)
}
