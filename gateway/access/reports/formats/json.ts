import type { ShownReport } from '../shown.ts'

/** The usual `data` envelope. The digest covers id and content, so that readers can check it. */
export function reportJson({ client, ...report }: ShownReport) {
  return { data: { ...report, client_id: client.id, client_name: client.name } }
}
