/**
 * Converts a task's answer into fields of a record. A model may answer anything that fits its
 * schema, so URLs and names are validated here. Pure.
 */
import { defined } from '../../../../proto/defined.ts'
import type { z } from 'zod'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { jobOutputs } from '../../../../proto/access/jobs/job-output.ts'
import type { WebTaskJobOrder } from '../../../../proto/access/jobs/job.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { EndedTask } from './state.ts'

/** Undefined if it does not fit. */
export function resultFieldsOf(order: WebTaskJobOrder, over: EndedTask): RecordFields | undefined {
  const fields = readers[order.area](order, over)
  if (!fields || JSON.stringify(fields).length > limits.jobOutputBytes) return undefined
  const { readOnly } = areaDefinitions[order.area]
  return readOnly.partial().safeParse(fields).success ? fields : undefined
}

type Reader = (order: WebTaskJobOrder, over: EndedTask) => RecordFields | undefined

const readers: Readonly<Record<WebTaskJobOrder['area'], Reader>> = {
  'market-scans'({ taskId }, { result }) {
    const found = jobOutputs['market-scans'].safeParse(result).data
    if (!found) return undefined
    const sources = found.sources.filter(({ url }) => isWeb(url))
    const known = new Set(sources.map(({ id }) => id))
    const findings = found.findings.map((one) => ({
      ...one,
      source_ids: one.source_ids.filter((id) => known.has(id)),
    }))
    const titled = sources.map(({ title, ...source }) => ({ ...source, ...(title && { title }) }))
    return { summary: found.summary, findings, sources: titled, web_task_ids: [taskId] }
  },
  extraction({ taskId, fields }, { result }) {
    const found = jobOutputs.extraction.safeParse(result).data
    if (!found) return undefined
    const urls: readonly unknown[] = Array.isArray(fields['source_urls'])
      ? fields['source_urls']
      : []
    const errors = found.errors.filter(({ url }) => urls.includes(url))
    const failed = new Set(errors.map(({ url }) => url))
    const evidence = urls
      .filter((url) => typeof url === 'string' && !failed.has(url))
      .map((url) => ({ url }))
    return { items: found.items, errors, evidence, web_task_id: taskId }
  },
  enrichment({ taskId, fields, current = {} }, { result }) {
    const found = jobOutputs.enrichment.safeParse(result).data
    if (!found) return undefined
    const asked: readonly unknown[] = Array.isArray(fields['fields']) ? fields['fields'] : []
    const proposals = found.proposals
      .filter(({ field }) => asked.includes(field))
      .map((one) => proposal(one, current[one.field]))
    return { proposals, web_task_id: taskId }
  },
  'ai-assistance'({ fields }, { result, usage }) {
    const found = jobOutputs['ai-assistance'].safeParse(result).data
    if (!found) return undefined
    const context: readonly unknown[] = Array.isArray(fields['context']) ? fields['context'] : []
    const citations = context.filter((ref) => hasId(ref) && found.citations.includes(ref.id))
    return {
      output: found.output,
      citations,
      usage: {
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        ...defined({ cost_usd: usage.costUsd }),
      },
      review: { status: 'unreviewed' },
    }
  },
}

type Proposed = z.output<typeof jobOutputs.enrichment>['proposals'][number]

const proposal = ({ field, value, confidence, source_url }: Proposed, current: unknown) => ({
  field,
  ...defined({ current }),
  value,
  confidence,
  ...(isWeb(source_url) && { source_url }),
})

const isWeb = (url: string) =>
  url.length <= limits.urlChars && /^https?:\/\//.test(url) && URL.canParse(url)

const hasId = (ref: unknown): ref is { readonly id: string } =>
  typeof ref === 'object' && ref !== null && 'id' in ref && typeof ref.id === 'string'
