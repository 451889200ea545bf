/** Links to the trace of a session or task, in both of its forms. */
import type { ConsoleFile } from '../page.ts'
import type { ConsoleVisit } from '../visit.ts'

/** `href` is the console's path of the trace. */
export const TraceLinks = ({ href }: { href: string }) => (
  <>
    <a href={href}>Save as a page</a> or <a href={`${href}?format=jsonl`}>JSON lines</a>
  </>
)

/** The trace that a route of REST answers with, in the form that the query asks for. */
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
