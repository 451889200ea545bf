/** What the demo prints: who there is, what to look at, and lines for a shell. */
import type { DemoWriteResult } from '../../../access/demo/samples.ts'
import { alignColumns } from '../../help.ts'
import { changeRows } from './changes/board.ts'
import { reportRows } from './reports.ts'
import { demoCast, demoPeople, type DemoPerson } from './cast.ts'
import type { DemoState } from './state.ts'
import { waitingRows } from './waiting.ts'

export function demoSummary(
  base: string,
  demo: DemoState,
  { made, known }: DemoWriteResult,
  passwords: ReadonlyMap<DemoPerson, string>,
): string {
  const { client, grants } = demo
  const people = demoPeople.map((name): readonly string[] => {
    const password = passwords.get(name)
    const note = password === undefined ? 'already existed' : `password ${password}`
    return [demoCast[name].email, demoCast[name].is, note]
  })
  const block = (title: string, rows: readonly (readonly string[])[]) =>
    rows.length > 0 ? [title, alignColumns(rows), ''] : []
  return [
    `${client?.name} (${client?.id}): ${made} records created, ${known} already existed.`,
    '',
    passwords.size > 0 ? 'People, whose passwords are not shown again:' : 'People:',
    alignColumns(people),
    '',
    ...block('Grants:', [
      [grants.newsletter?.id ?? '', 'a newsletter tool reads contacts, opportunities and tasks'],
      [grants.shop?.id ?? '', 'Theo reads what is delivered, and reports'],
      [grants.making?.id ?? '', 'Ada makes reports'],
      [grants.publishing?.id ?? '', 'Grace publishes them'],
    ]),
    ...block('Changes on the board:', changeRows(demo)),
    ...block('Reports:', reportRows(demo)),
    ...block('Requests that wait:', waitingRows(demo)),
    `Look at it: ${base}/staff as Ada or Grace, ${base}/portal as Mina or Theo.`,
    `Or sign in here: npm run troupe -- access sign-in ${demoCast.grace.email}`,
    'Or try the token of the newsletter tool, which is valid for a day:',
    '',
  ].join('\n')
}

/** Shell commands to try; the last one is refused by the service. */
export function sampleCommands(base: string, token: string): readonly string[] {
  const curl = (path: string) => `curl -s '${base}${path}' -H 'Authorization: Bearer ${token}'`
  return [
    `${curl('/v1/contacts?limit=3')}   # its records`,
    `${curl('/v1/access')}   # what it may do, and why`,
    `${curl('/v1/deployments')}   # refused: not granted`,
  ]
}
