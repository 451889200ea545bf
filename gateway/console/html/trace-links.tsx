/** Links to the trace of a session or task, in both formats. */
import type { ConsoleFile } from '../page.ts'
import type { ConsoleVisit } from '../visit.ts'

/** `href` is the console's path of the trace. */
export const TraceLinks = ({ href }: { href: string }) => (
  <>
    <a href={href}>Save as HTML</a> or <a href={`${href}?format=jsonl`}>JSON lines</a>
  </>
)

/** The trace in the format that the query requests, read through the REST route. */
export async function readTrace(
  visit: ConsoleVisit,
  route: string,
  params: Readonly<Record<string, string>>,
  tenant: string | undefined,
): Promise<ConsoleFile> {
  const format = visit.asked('format')
  const query = format === undefined ? {} : { format }
  return { file: await visit.file(route, { params, query }, tenant) }
}
