/** A report as all formats show it: content and status, read from its record. */
import { z } from 'zod'
import { areaKeys } from '../../../proto/access/areas/areas.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import {
  reportKinds,
  reportPeriod,
  reportSection,
  reportSource,
  reportStatuses,
} from '../../../proto/access/reports/report-content.ts'

const shown = z.object({
  kind: z.enum(reportKinds),
  title: z.string(),
  summary: z.string().default(''),
  period: reportPeriod.optional(),
  sections: z.array(reportSection).default([]),
  sources: z.array(reportSource).default([]),
  audience_areas: z.array(z.enum(areaKeys)).default([]),
  status: z.enum(reportStatuses),
  digest: z.string().optional(),
  published_at: z.string().optional(),
  published_by: z.string().optional(),
  supersedes: z.string().optional(),
  superseded_by: z.string().optional(),
})

/** The fields of reports that an access must include to see one. */
export const contentFields = Object.keys(shown.shape)

export interface ShownReport extends z.output<typeof shown> {
  readonly id: string
  readonly version: number
  readonly client: {
    readonly id: string
    readonly name: string
    /** An IANA time zone, for displayed times. */
    readonly timezone: string
  }
}

interface ClientLike {
  readonly name: string
  readonly timezone: string
}

export function shownReport(record: StoredRecord, client: ClientLike | undefined): ShownReport {
  const { name = '', timezone = 'UTC' } = client ?? {}
  return {
    ...shown.parse(record.fields),
    id: record.id,
    version: record.version,
    client: { id: record.client, name, timezone },
  }
}
