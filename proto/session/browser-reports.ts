/** What the agent of a session's browser tells the session: what it has used, and what became of its video. */
import { z } from 'zod'
import { sessionLimits } from './limits.ts'

const bytes = z.number().int().min(0)

export const browserUse = z.strictObject({
  /**
   * What its connections have carried, headers and encryption included. Absent for a browser without a
   * network of its own, whose connections nothing counts.
   */
  traffic: z.strictObject({ sentBytes: bytes, receivedBytes: bytes }).readonly().optional(),
  /** Of its pages, the one gone to most recently last. */
  domains: z
    .array(z.string().max(sessionLimits.domainChars))
    .max(sessionLimits.domainsShown)
    .readonly(),
  /** Requests that the rules of `block` did not let out; absent for a session without such rules. */
  blockedRequests: z.number().int().min(0).optional(),
})

/** All of it since the beginning of the session. */
export type BrowserUse = z.infer<typeof browserUse>

export type Traffic = NonNullable<BrowserUse['traffic']>

export const noTraffic: Traffic = { sentBytes: 0, receivedBytes: 0 }

export const trafficSum = (one: Traffic, other: Traffic): Traffic => ({
  sentBytes: one.sentBytes + other.sentBytes,
  receivedBytes: one.receivedBytes + other.receivedBytes,
})

/** What has become of a session's recording, usually once the session is over. */
export const madeRecording = z.strictObject({
  outcome: z.enum(['ready', 'failed']),
  /** Of the video. */
  seconds: z.number().int().min(0),
  /** One sentence for the session's owner: what is missing in it, or why there is none. */
  problem: z.string().max(500).optional(),
})

export type MadeRecording = z.infer<typeof madeRecording>
