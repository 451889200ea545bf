/** Node agents: limits, with their units in their names. */
import { MiB } from '../proto/units.ts'

export const nodeAgentLimits = {
  displayPollMs: 10,
  bootsAtOnce: 4,
  cdpCallMs: 5_000,
  /** How long an extension of ours may take until it is there. */
  extensionMs: 5_000,
  extensionPollMs: 5,
  /** How long a request waits for the lease of an agent that stood still. */
  leaseWaitMs: 2_000,

  dragStepMs: 12,
  scrollStepMs: 16,

  /** Before base64; leaves room for the other fields of an answer on the bus. */
  screenshotBytes: 7.5 * MiB,
} as const
