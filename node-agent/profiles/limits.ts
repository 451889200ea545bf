/** Profiles: limits, with their units in their names. */
import { GiB, MiB } from '../../proto/units.ts'

export const profileFileLimits = {
  /** For Chromium to end in order; it writes everything first. */
  browserCloseMs: 15_000,
  /**
   * How long the files of a browser that has closed stay for its session, whose actor may be about to
   * be taken over by another host.
   */
  closedKeptMs: 120_000,
  /** Of a file with settings. */
  jsonBytes: 16 * MiB,
  /** Of one profile; more would be no browser's. */
  filesMax: 100_000,
  unpackedBytes: 4 * GiB,
} as const
