/** A part of a report, generated from one area or from the client's governance. */
import { z } from 'zod'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import type { StoredRecord } from '../../../../proto/access/areas/record.ts'
import type { ReportArea } from '../../../../runtime/access/report-visibility.ts'
import type { CitableSource, ReportDraft } from './draft.ts'
import type { ReportMaterial } from './material.ts'

export interface ReportChapter {
  /** Undefined if all people of the client may see the source. */
  readonly area?: ReportArea
  write(draft: ReportDraft, material: ReportMaterial): void
}

export interface ReadRecord<T> {
  readonly fields: T
  readonly from: StoredRecord
}

/** The records that match the schema of a chapter. */
export function readAll<T>(
  records: readonly StoredRecord[] | undefined,
  schema: z.ZodType<T>,
): readonly ReadRecord<T>[] {
  return (records ?? []).flatMap((from) => {
    const parsed = schema.safeParse(from.fields satisfies RecordFields)
    return parsed.success ? [{ fields: parsed.data, from }] : []
  })
}

export const sourcesOf = (read: readonly ReadRecord<unknown>[]): readonly CitableSource[] =>
  read.map(({ from }) => from)
