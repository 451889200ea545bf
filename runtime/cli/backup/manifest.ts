/** The table of contents of a backup: `manifest.json`, the first file of the archive. */
import { z } from 'zod'
import { MiB } from '../../../proto/units.ts'
import { savedStreamSchema } from '../../store/nats/snapshot.ts'

/** Raised by changes that older versions cannot read. */
export const backupFormat = 1

/** Files of DATA_DIR that contain secrets; in the archive they are in `secrets/`. */
export const secretFiles = ['seal.key', 'dev.key'] as const

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const manifestSchema = z.object({
  format: z.literal(backupFormat),
  /** The version of Troupe that created the backup. */
  troupe: z.string(),
  nats: z.string(),
  /** ISO 8601. */
  taken_at: z.string(),
  /** True if the service was stopped, so that all streams are of the same moment. */
  stopped: z.boolean(),
  secrets: z.array(z.enum(secretFiles)),
  /** The number of blobs in `blobs/`: the contents of profiles that this host keeps. */
  blobs: z.number().optional(),
  streams: z.array(savedStreamSchema.extend({ snapshot: z.object({ bytes: z.number(), sha256 }) })),
})
export type BackupManifest = z.infer<typeof manifestSchema>
export type SavedStreamFile = BackupManifest['streams'][number]

/**
 * The size of a store that has room for the streams: each reserves its share, and nine tenths of a
 * store are divided into shares.
 */
export function storeMibOf({ streams }: Pick<BackupManifest, 'streams'>): number {
  const reserved = streams.reduce((sum, { config }) => sum + Math.max(0, config.max_bytes), 0)
  return Math.ceil((reserved * 1.1) / MiB)
}
