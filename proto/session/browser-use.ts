/** What a session's browser has used, as its agent tells it. */
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
})

/** All of it since the beginning of the session. */
export type BrowserUse = z.infer<typeof browserUse>

export type Traffic = NonNullable<BrowserUse['traffic']>

export const noTraffic: Traffic = { sentBytes: 0, receivedBytes: 0 }

export const trafficSum = (one: Traffic, other: Traffic): Traffic => ({
  sentBytes: one.sentBytes + other.sentBytes,
  receivedBytes: one.receivedBytes + other.receivedBytes,
})
