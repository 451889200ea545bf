/**
 * `troupe records`: imports and exports a client's records, for an operator with access to the
 * store.
 */
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { contained } from '../../../lib/network/contained.ts'
import { areaKeys, type AreaKey } from '../../../../proto/access/areas/areas.ts'
import { defined } from '../../../../proto/defined.ts'
import { isAccessId, platformTenant, type ClientId } from '../../../../proto/access/ids.ts'
import { buckets, viewKey } from '../../../../proto/subjects.ts'
import { RecordStore } from '../../../access/records/record-store.ts'
import { exportRecords } from '../../../access/transfer/export-records.ts'
import { importRecords, type ImportResult } from '../../../access/transfer/import-records.ts'
import type { SourceReport } from '../../../access/transfer/import-source.ts'
import type { TableDefaults } from '../../../access/transfer/table-rows.ts'
import { transferFormats, type TransferFormat } from '../../../access/transfer/rows.ts'
import type { SettingName } from '../../../config/config.ts'
import { oneOf } from '../../../config/value-texts.ts'
import type { Store } from '../../../store/store.ts'
import {
  CommandFailed,
  UsageError,
  type CliCommand,
  type CliCommandGroup,
  type CliInput,
} from '../../command.ts'
import { parseOption } from '../../terminal/parse-option.ts'
import { withStore } from '../../with-store.ts'
import { ProgressBar } from './progress.ts'

const settings: readonly SettingName[] = ['NATS_URL', 'DATA_DIR']

const options = {
  client: { value: 'ID', required: true, help: 'The client: cli_….' },
  area: { value: 'AREA', required: true, help: `One of ${areaKeys.join(', ')}.` },
  format: { value: 'F', help: `${transferFormats.join(' or ')} (default: by the file's name).` },
} as const

const importCommand: CliCommand = {
  usage: 'records import --client ID --area AREA FILE [--check]',
  about:
    'Import a file of records. The whole file is checked first; if anything is refused, nothing ' +
    'is written.',
  more:
    'A row may have an id; existing records are not changed, so the same file can be imported ' +
    'again after an interruption. Tables that Excel, HubSpot and Pipedrive export are taken as ' +
    'they are: separated by commas, semicolons or tabs, in UTF-8, UTF-16 or Windows-1252, with ' +
    'their names of columns in English or German. The answer says where each column goes; unknown ' +
    'ones are kept as custom fields of contacts and opportunities, and refused by name elsewhere. ' +
    'Times without a zone are UTC.',
  arguments: [1, 1],
  options: {
    ...options,
    check: { help: 'Only check the file.' },
    'ignore-unknown': { help: 'Leave out unknown columns.' },
    currency: { value: 'EUR', help: 'The currency of amounts, if no column has it.' },
    'calling-code': { value: '49', help: 'The country code of phone numbers without one.' },
  },
  settings,
  examples: ['troupe records import --client cli_… --area contacts contacts.csv'],
  async run(input) {
    const { client, area } = readOptions(input)
    const defaults = readDefaults(input)
    const [file = ''] = input.args
    const format = formatOf(input, file)
    const bytes = await sizeOf(file)
    const result = await withStore(async (store) => {
      await checkClient(store, client)
      const bar = new ProgressBar()
      let phase = ''
      try {
        return await importRecords(
          { store: new RecordStore(store.bucket(buckets.records)), isPersonOf: peopleIn(store) },
          {
            client,
            area,
            format,
            defaults,
            ignoreUnknown: input.switches.has('ignore-unknown'),
            checkOnly: input.switches.has('check'),
            nowMs: Date.now(),
            onPhase: (now) => void (phase = now),
            open() {
              const stream = contained(createReadStream(file))
              let read = 0
              stream.on('data', (chunk) => bar.show(phase, (read += chunk.length), bytes))
              return stream
            },
          },
        )
      } finally {
        bar.end()
      }
    })
    return report(result, file, input.switches.has('check'))
  },
}

function readDefaults({ values }: CliInput): TableDefaults {
  const { currency, 'calling-code': callingCode } = values
  if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) {
    throw new UsageError('--currency takes a currency code such as EUR')
  }
  if (callingCode !== undefined && !/^[1-9]\d{0,3}$/.test(callingCode)) {
    throw new UsageError('--calling-code takes the digits of a country code such as 49')
  }
  return defined({ currency, callingCode })
}

function report(result: ImportResult, file: string, isCheck: boolean): number {
  const { rows, made, known, refused, problems, source } = result
  if (source) for (const line of sourceLines(source)) console.log(line)
  for (const { line, text } of problems) console.error(`${file}:${line}: ${text}`)
  if (refused > problems.length) console.error(`… and ${refused - problems.length} more`)
  if (refused > 0) console.error('nothing was written')
  if (isCheck) console.log(`${rows} rows, ${refused} problems`)
  else console.log(`${made} records imported, ${known} already existed, ${refused} refused`)
  return refused === 0 ? 0 : 1
}

/** How the file was read; nothing for one that is as an export of this service writes it. */
function sourceLines({ encoding, table }: SourceReport): readonly string[] {
  const lines = encoding === 'UTF-8' ? [] : [`read as ${encoding}`]
  if (!table) return lines
  const { mapped, kept, leftOut, separatedBy } = table
  if (separatedBy !== 'commas') lines.push(`columns separated by ${separatedBy}`)
  const renamed = mapped.filter((one) => one.split(' → ')[0] !== one.split(' → ')[1])
  if (renamed.length > 0 || kept.length > 0) lines.push(`columns: ${mapped.join(', ')}`)
  if (kept.length > 0) lines.push(`kept in custom_fields: ${kept.join(', ')}`)
  if (leftOut.length > 0) lines.push(`left out: ${leftOut.join(', ')}`)
  return lines
}

const exportCommand: CliCommand = {
  usage: 'records export --client ID --area AREA [--format F] [--output FILE]',
  about: 'Write the records of one area to stdout or a new file.',
  more:
    'In CSV, a text that a spreadsheet would read as a formula gets a leading quote; `import` ' +
    'removes it again.',
  options: {
    ...options,
    output: { value: 'FILE', help: 'A new file to write (default: stdout).' },
  },
  settings,
  examples: ['troupe records export --client cli_… --area tasks --output tasks.ndjson'],
  async run(input) {
    const { client, area } = readOptions(input)
    const { output } = input.values
    const format = formatOf(input, output ?? '')
    await withStore(async (store) => {
      await checkClient(store, client)
      const records = new RecordStore(store.bucket(buckets.records))
      const chunks = exportRecords(records, client, area, format)
      if (output === undefined) for await (const chunk of chunks) await print(chunk)
      else await save(output, chunks)
    })
    return 0
  },
}

export const recordsCommandGroup: CliCommandGroup = {
  about: 'Import and export records of clients.',
  commands: { import: importCommand, export: exportCommand },
}

function readOptions({ values }: CliInput): { readonly client: ClientId; readonly area: AreaKey } {
  const { client = '', area = '' } = values
  if (!isAccessId('client', client)) throw new UsageError('--client takes the id of a client')
  return { client, area: parseOption('area', area, oneOf(areaKeys)) }
}

/** Names of files of tables. A workbook is read as one too, and refused with what to do. */
const tables: readonly string[] = ['tsv', 'tab', 'txt', 'xlsx', 'xls']

function formatOf({ values }: CliInput, file: string): TransferFormat {
  const extension = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? 'ndjson'
  const given = values['format'] ?? (tables.includes(extension) ? 'csv' : extension)
  const format = transferFormats.find((one) => one === given)
  if (format) return format
  throw new UsageError(`--format takes ${transferFormats.join(' or ')}`)
}

async function sizeOf(file: string): Promise<number> {
  try {
    const found = await stat(file)
    if (found.isFile()) return found.size
  } catch (error) {
    throw new CommandFailed(`${file} cannot be read: ${(error as Error).message}`, error)
  }
  throw new CommandFailed(`${file} is not a file; it is read twice, so it cannot be a pipe`)
}

/** Otherwise a typing mistake in an id would create records that are never seen. */
async function checkClient(store: Store, client: ClientId): Promise<void> {
  if (await store.bucket(buckets.views).get(viewKey('client', client, client))) return
  throw new CommandFailed(`there is no client ${client}`)
}

function peopleIn(store: Store): (client: ClientId, id: string) => Promise<boolean> {
  const views = store.bucket(buckets.views)
  return async (client, id) => {
    if (!isAccessId('person', id)) return false
    const keys = [client, platformTenant].map((tenant) => viewKey('person', tenant, id))
    const found = await Promise.all(keys.map((key) => views.get(key)))
    return found.some((view) => view !== undefined)
  }
}

async function print(chunk: string): Promise<void> {
  if (process.stdout.write(chunk)) return
  await new Promise((resolve) => process.stdout.once('drain', resolve))
}

/** Readable by its owner only: it contains other people's data. */
async function save(path: string, chunks: AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new CommandFailed(`${path} cannot be created: ${(error as Error).message}`, error)
  })
  try {
    for await (const chunk of chunks) await file.write(chunk)
  } finally {
    await file.close()
  }
}
