/** A part of a report that is made from one area, or from the governance of the client. */
import { z } from 'zod'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import type { StoredRecord } from '../../../../proto/access/record.ts'
import type { ReportArea } from '../../../../runtime/access/report-sight.ts'
import type { Citable, ReportDraft } from './draft.ts'
import type { Material } from './material.ts'

export interface Chapter {
  /** Undefined: of what every person of the client may know anyway. */
  readonly area?: ReportArea
  write(draft: ReportDraft, material: Material): void
}

export interface Read<T> {
  readonly fields: T
  readonly from: StoredRecord
}

/** Those records that have what a chapter needs. */
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
