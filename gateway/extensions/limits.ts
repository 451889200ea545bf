/** Uploads of extensions: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const extensionUploadLimits = {
  /** Of the ZIP or CRX; the contract says 50 MB. */
  uploadBytes: 50_000_000,
  /** Of different tenants: uploads are held in memory while they are checked. */
  uploadsAtOnce: 4,
  filesMax: 5_000,
  unpackedBytes: 150 * MiB,
  pathBytes: 512,
  manifestBytes: 1 * MiB,
  /** For an actor host to say where the files go. */
  placeMs: 10_000,
} as const
