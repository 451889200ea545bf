import { z } from 'zod'
import { defineArea } from '../define-area.ts'
import {
  countField,
  jobFields,
  listField,
  nameField,
  ratioField,
  textField,
  urlField,
} from '../fields.ts'
import { recordId } from '../prefixes.ts'

const score = z.number().min(0).max(100).nullable()
export const seoSeverities = ['critical', 'high', 'medium', 'low'] as const
export const seoCategories = [
  'indexing',
  'content',
  'links',
  'media',
  'structured_data',
  'performance',
  'mobile',
  'security',
  'international',
] as const

const finding = z.strictObject({
  rule: nameField,
  category: z.enum(seoCategories),
  severity: z.enum(seoSeverities),
  title: nameField,
  description: textField.optional(),
  recommendation: textField,
  affected_count: countField,
  affected: listField(
    z.strictObject({
      url: urlField,
      selector: textField.optional(),
      evidence: textField.optional(),
    }),
    100,
  ).default([]),
  score: ratioField.nullable().optional(),
  status: z.enum(['open', 'fixed', 'ignored']).default('open'),
})

export const seoAuditsArea = defineArea({
  key: 'seo-audits',
  fields: {
    site_url: urlField,
    strategy: z.enum(['mobile', 'desktop']).default('mobile'),
    pages_most: z.int().min(1).max(200).default(1),
  },
  readOnly: {
    ...jobFields,
    scores: z
      .strictObject({
        overall: score,
        seo: score,
        performance: score,
        accessibility: score,
        best_practices: score,
      })
      .partial()
      .optional(),
    summary: z
      .strictObject({
        critical: countField,
        high: countField,
        medium: countField,
        low: countField,
        passed: countField,
      })
      .optional(),
    metrics: z
      .strictObject({
        lcp_ms: z.number(),
        inp_ms: z.number().nullable().describe('Null if nothing was clicked or typed.'),
        cls: z.number(),
        ttfb_ms: z.number(),
        bytes: countField,
      })
      .partial()
      .optional(),
    pages_crawled: countField.optional(),
    pages_found: countField.optional().describe('Grows while the audit runs, up to pages_most.'),
    findings: listField(finding).optional(),
    warnings: listField(textField, 100).optional(),
    previous_audit_id: recordId('seo-audits').optional(),
  },
  filterable: ['site_url', 'strategy', 'status'],
  sortable: ['site_url', 'finished_at', 'pages_crawled'],
  references: [{ field: 'previous_audit_id', to: 'seo-audits' }],
  events: ['seo_audit.completed', 'seo_audit.failed'],
})
