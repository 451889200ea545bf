/** Schemas shared by all answers of scoped access. */
import { z } from 'zod'
import type { Author } from '../../../proto/access/author.ts'
import type { AccessView } from '../../../proto/access/common.ts'
import type { Permission } from '../../../proto/access/permissions.ts'

export const isoTime = (ms: number): string => new Date(ms).toISOString()
export const timeJson = z.iso.datetime()

export const stampsShape = {
  id: z.string(),
  client_id: z.string().optional(),
  version: z
    .number()
    .int()
    .describe(
      'Version of the record, as in its ETag; send the ETag as If-Match with every change.',
    ),
  created_at: timeJson,
  created_by: z.string(),
  updated_at: timeJson,
  updated_by: z.string(),
}

/** Fields of every entity. The provider's own people have no `client_id`. */
export function entityStamps(view: AccessView) {
  return {
    id: view.id,
    ...(view.tenant.startsWith('cli_') && { client_id: view.tenant }),
    version: view.version,
    created_at: isoTime(view.createdAtMs),
    created_by: view.createdBy,
    updated_at: isoTime(view.updatedAtMs),
    updated_by: view.updatedBy,
  }
}

export const permissionJson = z.object({
  area: z.string(),
  actions: z.array(z.string()),
  fields: z.array(z.string()).optional(),
  where: z.array(z.object({ field: z.string(), equals: z.array(z.string()) })).optional(),
})

export const permissionData = ({ area, actions, fields, where }: Permission) => ({
  area,
  actions: [...actions],
  ...(fields && { fields: [...fields] }),
  ...(where && { where: where.map(({ field, equals }) => ({ field, equals: [...equals] })) }),
})

export const authorJson = z.object({
  kind: z.enum(['staff', 'member', 'integration', 'system']),
  id: z.string(),
  roles: z.array(z.string()).optional(),
})

export const authorData = ({ kind, id, roles }: Author) => ({
  kind,
  id,
  ...(roles && { roles: [...roles] }),
})

export const dataJson = <T extends z.ZodType>(data: T) => z.object({ data })

export const pageJson = <T extends z.ZodType>(row: T) =>
  z.object({
    data: z.array(row),
    page: z.object({ has_more: z.boolean(), next_cursor: z.string().nullable() }),
  })
