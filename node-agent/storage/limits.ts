/** Storage states: limits, with their units in their names. */
import { MiB } from '../../proto/units.ts'

export const storageLimits = {
  /** Of a whole state: it must fit an answer on the bus. */
  stateBytes: 6 * MiB,
  /** Until an origin's page is there, and for each call of its storage. */
  originMs: 10_000,
} as const
