/** A part of a report, generated from one area or from the client's governance. */
import { z } from 'zod'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import type { StoredRecord } from '../../../../proto/access/record.ts'
import type { ReportArea } from '../../../../runtime/access/report-sight.ts'
import type { Citable, ReportDraft } from './draft.ts'
import type { Material } from './material.ts'

export interface Chapter {
  /** Undefined if all people of the client may see the source. */
  readonly area?: ReportArea
  write(draft: ReportDraft, material: Material): void
}

export interface Read<T> {
  readonly fields: T
  readonly from: StoredRecord
}

/** The records that match the schema of a chapter. */
export function readAll<T>(
  records: readonly StoredRecord[] | undefined,
  schema: z.ZodType<T>,
): readonly Read<T>[] {
  return (records ?? []).flatMap((from) => {
    const parsed = schema.safeParse(from.fields satisfies RecordFields)
    return parsed.success ? [{ fields: parsed.data, from }] : []
  })
}

export const sourcesOf = (read: readonly Read<unknown>[]): readonly Citable[] =>
  read.map(({ from }) => from)
