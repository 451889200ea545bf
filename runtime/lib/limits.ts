/** Shared tools: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const libLimits = {
  /** How long the addresses of this machine are taken as read. */
  ownAddressesMs: 2_000,
  /** Below: size of a schema, size of a result, time to validate one against the other. */
  outputSchemaChars: 32_000,
  schemaMs: 1_000,
  /** The validating thread: its memory, its start, and its queue. */
  schemaHeapBytes: 64 * MiB,
  schemaYoungHeapBytes: 8 * MiB,
  schemaStartMs: 30_000,
  schemaJobs: 128,
  schemaJobsPerTenant: 16,
  resultFaults: 5,
  resultFaultChars: 300,

  /** Fewest characters of a truncated secret, next to the truncation mark, that are masked. */
  secretPieceChars: 4,
  secretPieceDigits: 8,
  /** Matching characters that suffice to mask a long truncated secret. */
  secretHeadChars: 12,

  /** Resolving a name: the whole of it; one server's answer; how often the servers are asked. */
  lookUpMs: 10_000,
  nameServerMs: 2_000,
  nameServerTries: 2,
  nameChars: 253,
  addressesOfName: 32,
  /** Of /etc/resolv.conf: its domains and the most that `ndots` may be, as in the C library. */
  searchDomains: 6,
  searchDotsMost: 15,
} as const
