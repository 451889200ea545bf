import { defined } from '../../../../proto/defined.ts'
import { writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { isAccessId } from '../../../../proto/access/ids.ts'
import {
  reportContent,
  type ReportContent,
} from '../../../../proto/access/reports/report-content.ts'
import { reportDigest } from '../../../../proto/access/reports/report.ts'
import { cleanText } from '../../../lib/text/clean.ts'
import { CommandFailed, UsageError, type CliCommand, type CliInput } from '../../command.ts'
import { confirm } from '../../terminal/confirm.ts'
import { alignColumns } from '../../help.ts'
import { baseVariable } from '../../service-base.ts'
import { itemsOf, listingTable } from './lists.ts'
import { dataOf } from '../service/service.ts'
import { ServiceSession } from '../people/service-session.ts'
import { minuteText } from '../service/texts.ts'

const formats = {
  pdf: 'application/pdf',
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
} as const

const rowAnswer = z.object({
  id: z.string(),
  status: z.string(),
  kind: z.string(),
  title: z.string(),
  period: z.object({ from: z.string(), to: z.string() }).optional(),
})
const reportAnswer = reportContent.extend({
  id: z.string(),
  version: z.number(),
  status: z.string(),
  digest: z.string(),
  published_at: z.string().optional(),
})
type ReportAnswer = z.output<typeof reportAnswer>

const verbs = { list, generate, edit, show, publish, withdraw, save } as const
type Verb = keyof typeof verbs
const isVerb = (text: string): text is Verb => Object.hasOwn(verbs, text)

export const reportsCommand: CliCommand = {
  usage: `access reports [${Object.keys(verbs).join('|')}] [ID]`,
  about: 'Reports of a client: list, generate, edit, show, publish, withdraw, or save as a file.',
  more:
    'generate takes --client, --kind and --from, --to (days), and optionally --areas, --title, ' +
    '--supersedes. edit takes --title and --summary. publish shows the draft and asks; it needs a ' +
    'person who is not an author. withdraw takes --reason. save takes --output, whose extension is the ' +
    'format. You need grants for the areas of a report.',
  arguments: [0, 2],
  options: {
    client: { value: 'ID', help: 'The client: cli_….' },
    kind: { value: 'K', help: 'audit, metrics or work_summary.' },
    from: { value: 'DAY', help: 'The first day, such as 2026-01-01.' },
    to: { value: 'DAY', help: 'The last day.' },
    areas: { value: 'LIST', help: 'Only these areas: tasks,deployments.' },
    title: { value: 'TEXT', help: 'Its title.' },
    summary: { value: 'TEXT', help: 'The text at the beginning of the report.' },
    supersedes: { value: 'ID', help: 'The published report that it replaces.' },
    status: { value: 'S', help: 'Only this status, such as draft.' },
    reason: { value: 'TEXT', help: 'Why it is withdrawn.' },
    output: { value: 'FILE', help: 'Ends in .pdf, .html, .csv or .json; must not exist yet.' },
    yes: { help: 'Do not ask.' },
  },
  settings: ['DATA_DIR'],
  variables: baseVariable,
  examples: [
    'troupe access reports generate --client cli_… --kind audit --from 2026-01-01 --to 2026-01-31',
    'troupe access reports publish rpt_…',
    'troupe access reports save rpt_… --output january.pdf',
  ],
  async run(input) {
    const [word = 'list'] = input.args
    if (!isVerb(word))
      throw new UsageError(`"${word}" is not one of ${Object.keys(verbs).join(', ')}`)
    console.log(await verbs[word](ServiceSession.open(), input))
    return 0
  },
}

async function list(service: ServiceSession, { values }: CliInput): Promise<string> {
  const listing = {
    path: '/v1/reports',
    heads: ['ID', 'STATUS', 'KIND', 'FROM', 'TO', 'TITLE'],
    row(item: unknown) {
      const { id, status, kind, period, title } = rowAnswer.parse(item)
      return [id, status, kind, period?.from ?? '', period?.to ?? '', title].map(cleanText)
    },
  }
  const { items, hasMore } = await itemsOf(service, listing, {
    fields: 'kind,title,status,period',
    ...(values['client'] && { client_id: values['client'] }),
    ...(values['status'] && { 'filter[status]': values['status'] }),
  })
  if (hasMore) console.error('there are more; narrow the list')
  return items.length === 0 ? 'no reports' : listingTable(listing, items)
}

async function generate(service: ServiceSession, { values }: CliInput): Promise<string> {
  const { client, kind, from, to, areas, title, supersedes } = values
  if (!client || !kind || !from || !to) {
    throw new UsageError('generate takes --client ID, --kind K, --from DAY and --to DAY')
  }
  const made = await service.call({
    method: 'POST',
    path: '/v1/reports',
    body: {
      ...{ client_id: client, kind, period: { from, to } },
      ...(areas !== undefined && { areas: areas.split(',').map((area) => area.trim()) }),
      ...defined({ title, supersedes }),
    },
    answer: dataOf(reportAnswer),
  })
  return reportText(made)
}

async function edit(service: ServiceSession, input: CliInput): Promise<string> {
  const { title, summary } = input.values
  if (title === undefined && summary === undefined) {
    throw new UsageError('edit takes --title TEXT, --summary TEXT or both')
  }
  const { id, version } = await read(service, input)
  const body = { ...defined({ title, summary }) }
  const order = { method: 'PATCH', path: `/v1/reports/${id}`, version, body } as const
  return reportText(await service.call({ ...order, answer: dataOf(reportAnswer) }))
}

async function show(service: ServiceSession, input: CliInput): Promise<string> {
  return reportText(await read(service, input))
}

/** Sends the digest computed here from what was shown. */
async function publish(service: ServiceSession, input: CliInput): Promise<string> {
  const report = await read(service, input)
  const { id, version, digest } = report
  if (reportDigest(id, contentOf(report)) !== digest) {
    throw new CommandFailed(
      `the digest of ${id} does not match what the service shows; do not publish`,
    )
  }
  console.error(`${reportText(report)}\n`)
  if (!input.switches.has('yes') && !(await confirm('publish?'))) {
    throw new CommandFailed('nothing was published')
  }
  const order = { method: 'POST', path: `/v1/reports/${id}/publish`, version } as const
  const answer = dataOf(reportAnswer)
  const { status } = await service.call({ ...order, body: { digest }, answer })
  return `${id} is ${status}`
}

async function withdraw(service: ServiceSession, input: CliInput): Promise<string> {
  const { reason } = input.values
  if (reason === undefined) throw new UsageError('--reason TEXT is required')
  const { id, version } = await read(service, input)
  const order = { method: 'POST', path: `/v1/reports/${id}/withdraw`, version } as const
  const answer = dataOf(rowAnswer)
  const { status } = await service.call({ ...order, body: { reason }, answer })
  return `${id} is ${status}`
}

/** Readable by its owner only: it contains a client's data. */
async function save(service: ServiceSession, input: CliInput): Promise<string> {
  const { output = '' } = input.values
  const ending = /\.([a-z]+)$/.exec(output)?.[1] ?? ''
  if (!Object.hasOwn(formats, ending)) {
    throw new UsageError('save takes --output FILE, which ends in .pdf, .html, .csv or .json')
  }
  const path = `/v1/reports/${idOf(input)}/content`
  const bytes = await service.download(path, formats[ending as keyof typeof formats])
  await writeFile(output, bytes, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    throw new CommandFailed(`${output} cannot be created: ${(error as Error).message}`, error)
  })
  return `${output}, ${bytes.byteLength} bytes`
}

function idOf({ args: [, id = ''] }: CliInput): string {
  if (isAccessId('report', id)) return id
  throw new UsageError('name the report: rpt_…')
}

const read = (service: ServiceSession, input: CliInput): Promise<ReportAnswer> =>
  service.call({
    method: 'GET',
    path: `/v1/reports/${idOf(input)}`,
    answer: dataOf(reportAnswer),
  })

const contentOf = ({
  id: _,
  version,
  status,
  digest,
  published_at,
  ...content
}: ReportAnswer): ReportContent => content

/** The beginning of a report and an outline of the rest; a saved file has all of it. */
function reportText(report: ReportAnswer): string {
  const { id, version, status, kind, title, summary, period, digest, published_at } = report
  const about = alignColumns(
    [
      ['report', `${id}, version ${version}`],
      ['status', `${status}${published_at === undefined ? '' : ` ${minuteText(published_at)}`}`],
      ['title', title],
      ['kind', kind],
      ['period', `${period.from} to ${period.to}`],
      ['covers', report.audience_areas.join(', ')],
      ['summary', summary],
      ['sources', String(report.sources.length)],
      ['digest', digest],
    ].map(([name = '', value = '']) => [name, cleanText(value)]),
    '',
  )
  const figures = report.sections.flatMap((section) =>
    section.kind === 'metric'
      ? section.body.items.map(
          ({ label, value, unit }) => `  ${cleanText(label)}: ${value ?? '–'} (${unit})`,
        )
      : [`  ${cleanText(section.heading)} (${section.kind})`],
  )
  return [about, '', ...figures].join('\n')
}
