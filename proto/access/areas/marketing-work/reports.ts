import { z } from 'zod'
import { areaKeys } from '../areas.ts'
import { accessLimits as limits } from '../../limits.ts'
import {
  reportKinds,
  reportPeriod,
  reportSection,
  reportSource,
  reportStatuses,
} from '../../reports/report-content.ts'
import { defineArea } from '../define-area.ts'
import { listField, nameField, personId, textField, timestampField } from '../fields.ts'
import { recordId } from '../prefixes.ts'

export const reportsArea = defineArea({
  key: 'reports',
  fields: {
    kind: z.enum(reportKinds),
    title: nameField,
    summary: textField.optional(),
    period: reportPeriod.optional(),
    sections: listField(reportSection, limits.reportSections).default([]),
    sources: listField(reportSource, limits.reportSources)
      .default([])
      .describe('The records that the figures come from, with the versions that were read.'),
  },
  readOnly: {
    status: z.enum(reportStatuses).default('draft'),
    audience_areas: z
      .array(z.enum(areaKeys))
      .optional()
      .describe(
        'The areas that the report covers. It is visible to readers of all of these areas.',
      ),
    published_at: timestampField.optional(),
    published_by: personId.optional(),
    digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex')
      .optional()
      .describe(
        'SHA-256 of the RFC 8785 form of id, kind, title, summary, period, sections, sources ' +
          'and audience_areas.',
      ),
    supersedes: recordId('reports').optional(),
    superseded_by: recordId('reports').optional(),
    withdrawn_at: timestampField.optional(),
    withdrawn_reason: textField.optional(),
  },
  filterable: ['kind', 'status', 'audience_areas'],
  sortable: ['title', 'published_at'],
  references: [
    { field: 'supersedes', to: 'reports' },
    { field: 'superseded_by', to: 'reports' },
  ],
  events: ['report.published', 'report.withdrawn'],
})
