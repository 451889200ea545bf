/** JSON Schemas of the event bodies, for receivers. */
import { defined } from '../../../proto/defined.ts'
import { z } from 'zod'
import type { WebhookSurface } from '../../../proto/access/webhooks/delivery.ts'
import { eventTypes } from './registry.ts'
import type { EventType } from './event-type.ts'

const time = z.iso.datetime()

const object = ({ area }: EventType) =>
  z.object({
    ...(area === undefined ? { kind: z.string() } : { area: z.literal(area) }),
    id: z.string(),
    version: z.int().optional().describe('Deliveries can arrive in any order: compare versions.'),
  })

function bodyOf(surface: WebhookSurface, type: EventType): z.ZodType {
  const data = z.object({
    id: z.string().describe('The event’s id, the same as `webhook-id`.'),
    ...(surface === 'access' && { client_id: z.string() }),
    object: object(type),
    url: z.string().describe('Where to fetch the object.'),
    status: z.string().optional(),
    reason: z.string().optional(),
    ...(type.area === 'workflow-actions' && {
      run_id: z
        .string()
        .optional()
        .describe('The id of the run; GET …/runs/{run_id} returns its output.'),
    }),
    test: z.literal('true').optional().describe('Present in tests: nothing has happened.'),
    ...(type.area !== undefined && {
      record: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('With payload full: the record as the grant shows it at that moment.'),
    }),
  })
  return z.object({ type: z.literal(type.type), timestamp: time, data })
}

export interface EventTypeSchema {
  readonly type: string
  readonly summary: string
  readonly area?: string
  readonly schema: unknown
}

export const eventTypeSchemas = (surface: WebhookSurface): readonly EventTypeSchema[] =>
  eventTypes[surface].map((one) => ({
    type: one.type,
    summary: one.summary,
    ...defined({ area: one.area }),
    schema: z.toJSONSchema(bodyOf(surface, one)),
  }))
