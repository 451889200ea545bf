import { z } from 'zod'
import { clientStatuses, type ClientView } from '../../../../proto/access/engagement/client.ts'
import { entityStamps, stampsShape } from '../../../routing/schemas/access-json.ts'

export const clientJson = z.object({
  ...stampsShape,
  name: z.string(),
  slug: z.string(),
  status: z.enum(clientStatuses),
  contact: z.object({ name: z.string(), email: z.string() }),
  timezone: z.string(),
  locale: z.string(),
})

export function clientData(view: ClientView) {
  const { name, slug, status, contact, timezone, locale } = view
  const { client_id: _, ...own } = entityStamps(view)
  return { ...own, name, slug, status, contact: { ...contact }, timezone, locale }
}
