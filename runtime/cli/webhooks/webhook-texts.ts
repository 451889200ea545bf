/** Webhooks and deliveries: answers and texts that the commands of both surfaces share. */
import { defined } from '../../../proto/defined.ts'
import { z } from 'zod'
import { countText } from '../../config/value-texts.ts'
import { cleanText } from '../../lib/text/clean.ts'
import { alignColumns } from '../help.ts'
import { parseOption } from '../terminal/parse-option.ts'

export const webhookAnswer = z.object({
  id: z.string(),
  url: z.string(),
  status: z.string(),
  status_reason: z.string().optional(),
  events: z.array(z.string()),
})
export const madeAnswer = webhookAnswer.extend({
  secret: z.string().nullable(),
  secrets: z.array(z.object({ public_key: z.string().optional() })),
})
export const sentAnswer = z.object({ delivery_id: z.string() })
export const deliveryAnswer = z.object({
  id: z.string(),
  event_type: z.string(),
  status: z.string(),
  created_at: z.string(),
  attempts: z.array(z.object({ status_code: z.number().optional(), error: z.string().optional() })),
})

export const statusOptions = {
  status: {
    value: 'S',
    help: 'Only this status: pending, sending, retrying, delivered, exhausted, cancelled.',
  },
}
export const graceOptions = {
  grace: { value: 'SECONDS', help: 'How long both secrets sign, in seconds. (default: 86400)' },
}
/** Options of `webhooks add` on both surfaces. */
export const addOptions = {
  signature: { value: 'KIND', help: 'hmac or ed25519. (default: hmac)' },
  description: { value: 'TEXT', help: 'What it is for.' },
}

export function webhooksTable(hooks: readonly z.output<typeof webhookAnswer>[]): string {
  if (hooks.length === 0) return 'no webhooks'
  const rows = hooks.map(({ id, status, status_reason: why, events, url }) => [
    ...[id, why === undefined ? status : `${status} (${why})`, events.join(','), url].map(
      cleanText,
    ),
  ])
  return alignColumns(rows, '')
}

export function deliveriesTable(found: readonly z.output<typeof deliveryAnswer>[]): string {
  if (found.length === 0) return 'no deliveries'
  const rows = found.map(({ attempts, ...row }) => {
    const last = attempts.at(-1)
    const outcome = last?.error ?? last?.status_code ?? ''
    return [row.created_at, row.id, row.event_type, row.status, `${attempts.length}× ${outcome}`]
  })
  return alignColumns(
    rows.map((row) => row.map(cleanText)),
    '',
  )
}

/** The secret or public key that a receiver verifies with. */
export const verifierOf = ({ secret, secrets }: z.output<typeof madeAnswer>): string =>
  secret ?? secrets[0]?.public_key ?? ''

export interface WebhookOptions {
  readonly events: string
  readonly signature?: string | undefined
  readonly description?: string | undefined
}

/** The creation body on both surfaces. */
export const webhookBodyOf = (url: string, { events, signature, description }: WebhookOptions) => ({
  url,
  events: events.split(',').map((name) => name.trim()),
  ...defined({ signature, description }),
})

/** The body of a secret rotation. */
export function graceOf(grace: string | undefined): { readonly grace_seconds?: number } {
  if (grace === undefined) return {}
  return { grace_seconds: parseOption('grace', grace, countText(0, 'seconds')) }
}
