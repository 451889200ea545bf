import type { ShownReport } from '../shown.ts'

/** In the envelope of every answer. The digest is over id and content, so a reader can check it. */
export function reportJson({ client, ...report }: ShownReport) {
  return { data: { ...report, client_id: client.id, client_name: client.name } }
}
