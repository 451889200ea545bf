/**
 * The output schema of each area's web tasks. The gateway passes it to the task as a JSON Schema,
 * and the job checks the result against it. The result is a model's output, so it is untrusted.
 */
import { z } from 'zod'

const text = z.string().max(10_000)
const share = z.number().min(0).max(1)

export const jobOutputs = {
  'market-scans': z.object({
    summary: text,
    findings: z
      .array(z.object({ claim: text, confidence: share, source_ids: z.array(z.string()).max(50) }))
      .max(100),
    sources: z
      .array(z.object({ id: z.string().max(200), url: z.string(), title: z.string().max(200) }))
      .max(100),
  }),
  extraction: z.object({
    items: z.array(z.unknown()).max(1_000),
    errors: z.array(z.object({ url: z.string(), message: text })).max(100),
  }),
  enrichment: z.object({
    proposals: z
      .array(
        z.object({
          field: z.string().max(200),
          value: z.unknown(),
          confidence: share,
          source_url: z.string(),
        }),
      )
      .max(100),
  }),
  'ai-assistance': z.object({
    output: text,
    citations: z
      .array(z.string())
      .max(100)
      .describe('Ids of the records that the output is based on.'),
  }),
} as const

export type WebTaskArea = keyof typeof jobOutputs
