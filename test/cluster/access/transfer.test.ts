// Goal: `troupe records` imports and exports files without loss: every row is checked first, a file
// can be imported again, and no cell of an export is a formula. Method: the command itself.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { newAccessId } from '../../../proto/access/ids.ts'
import { newRecordId } from '../../../proto/access/areas/prefixes.ts'
import { encode } from '../../../proto/codec.ts'
import { buckets, viewKey } from '../../../proto/subjects.ts'
import { RecordStore } from '../../../runtime/access/records/record-store.ts'
import { fromCsvCell, toCsvCell } from '../../../runtime/access/transfer/csv-cells.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { troupe } from '../../helpers/service/service.ts'

const nats = await startNats(t)
const dir = mkdtempSync(join(tmpdir(), 'troupe-records-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))

const bucketOf = async (name: string) => (await nats.store()).bucket(name)
const store = new RecordStore(await bucketOf(buckets.records))
const client = newAccessId('client')
await (await bucketOf(buckets.views)).put(viewKey('client', client, client), encode({}))

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(...args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '', ...nats.env }
    const all = [troupe, 'records', ...args]
    const child = execFile(process.execPath, all, { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

function file(name: string, text: string): string {
  const path = join(dir, name)
  writeFileSync(path, text)
  return path
}

async function all(of = client): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const found = []
  for await (const { record } of store.scan(of)) found.push(record)
  return found.map(({ id, createdBy, fields, _m }) => ({
    id,
    createdBy,
    action: _m.action,
    ...fields,
  }))
}

t.test('a file with bad rows is refused with line numbers, and none is written', async (t) => {
  const rows = [
    { first_name: 'Ada' },
    { first_name: 'Bob', phone: 'none' },
    'broken',
    { nickname: 'x' },
    { id: newRecordId('tasks') },
    { owner_id: 'x' },
  ]
  const text = rows.map((row) => (row === 'broken' ? '{' : JSON.stringify(row))).join('\n')
  const path = file('bad.ndjson', text)
  const { code, stderr } = await run('import', '--client', client, '--area', 'contacts', path)
  t.equal(code, 1)
  for (const line of [2, 3, 4, 5, 6]) t.match(stderr, `${path}:${line}: `)
  t.notMatch(stderr, `${path}:1: `)
  t.match(stderr, 'nothing was written')
  t.same(await all(), [])
})

t.test('rows are imported once, however often given, with and without ids', async (t) => {
  const id = newRecordId('contacts')
  const rows = [{ id, first_name: 'Ada', created_at: '2020-01-01T00:00:00Z' }, { first_name: 'B' }]
  const twice = [...rows, { first_name: 'B' }]
  const path = file('good.ndjson', twice.map((row) => JSON.stringify(row)).join('\n'))
  const args = ['import', '--client', client, '--area', 'contacts', path]
  t.match(await run(...args, '--check'), { code: 0, stdout: '3 rows, 0 problems\n' })
  t.same(await all(), [])
  t.match(await run(...args), { code: 0, stdout: /^3 records imported, 0 already existed/ })
  t.match(await run(...args), { code: 0, stdout: /^0 records imported, 3 already existed/ })
  const made = await all()
  t.equal(made.length, 3)
  for (const record of made) t.match(record, { createdBy: 'system:import', action: 'import' })
  const held = await store.get(client, 'contacts', id)
  t.equal(held?.record.createdAtMs, Date.parse('2020-01-01T00:00:00Z'))
})

t.test('rows with dangling references are refused by line, and nothing is written', async (t) => {
  const [project, first] = [newRecordId('projects'), newRecordId('deployments')]
  const rows = [
    { environment: 'staging', release: '1', project_id: project },
    { environment: 'staging', release: '2', rollback_of: first },
    { environment: 'staging', release: '1', id: first },
  ]
  const path = file('deployments.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'))
  const result = await run('import', '--client', client, '--area', 'deployments', path)
  t.match(result, { code: 1, stdout: /^0 records imported/, stderr: /nothing was written/ })
  t.match(result.stderr, `${path}:1: /project_id`)
})

t.test('the answer says how a foreign table was read, and where its columns go', async (t) => {
  const other = newAccessId('client')
  await (await bucketOf(buckets.views)).put(viewKey('client', other, other), encode({}))
  const text = 'Vorname;Firma;Umsatz;Betreuer;Telefon\nJörg;Müller;5;Bo;030 123456\n'
  const path = join(dir, 'kunden.csv')
  writeFileSync(path, Buffer.from(text, 'latin1'))
  const args = ['import', '--client', other, '--area', 'contacts', path]
  t.match(await run(...args), { code: 1, stderr: /kunden\.csv:2: Telefon: .*--calling-code 49/ })
  const answer = await run(...args, '--calling-code', '49')
  t.equal(answer.code, 0, answer.stderr)
  t.equal(
    answer.stdout,
    'read as Windows-1252\n' +
      'columns separated by semicolons\n' +
      'columns: Vorname → first_name, Firma → company_name, Telefon → phone\n' +
      'kept in custom_fields: Umsatz → umsatz, Betreuer → betreuer\n' +
      '1 records imported, 0 already existed, 0 refused\n',
  )
  t.match(await all(other), [{ first_name: 'Jörg', custom_fields: { betreuer: 'Bo' } }])
  t.match(await run(...args, '--currency', 'euro'), { code: 2 })
})

const evil = ['=HYPERLINK("x")', '+1', '-1', '@x', '\tx', '\rx', "'=1", "''x", 'a,"b"\nc', 'plain']

t.test('an export can be imported again unchanged, and contains no formula', async (t) => {
  const texts = evil.map((title) => ({ title: `${title}.`, body: title, checklist: [] }))
  const path = file('tasks.ndjson', texts.map((row) => JSON.stringify(row)).join('\n'))
  t.equal((await run('import', '--client', client, '--area', 'tasks', path)).code, 0)
  const out = join(dir, 'tasks.csv')
  const args = ['--client', client, '--area', 'tasks']
  t.equal((await run('export', ...args, '--output', out)).code, 0)
  t.equal(statSync(out).mode & 0o777, 0o600)
  t.match(await run('export', ...args, '--output', out), { code: 1, stderr: /cannot be created/ })
  t.notMatch(readFileSync(out, 'utf8'), /(^|,|")[=+\-@\t]/m)

  const other = newAccessId('client')
  await (await bucketOf(buckets.views)).put(viewKey('client', other, other), encode({}))
  t.match(await run('import', '--client', other, '--area', 'tasks', out), { code: 0 })
  const tasks = (await all()).filter(({ title }) => title !== undefined)
  const sorted = (list: readonly unknown[]) => list.map((row) => JSON.stringify(row)).toSorted()
  t.same(sorted(await all(other)), sorted(tasks))
  const json = await run('export', ...args)
  t.equal(json.stdout.trim().split('\n').length, evil.length)
})

t.test('a cell is exported as no formula and is imported with its original value', async (t) => {
  for (const text of evil) {
    t.notMatch(toCsvCell(text), /^[=+\-@\t\r]/)
    t.equal(fromCsvCell(toCsvCell(text)), text)
  }
  t.equal(toCsvCell(-5), "'-5")
})

t.test('invalid arguments are refused in one line', async (t) => {
  const path = file('x.ndjson', '{}')
  const area = ['--area', 'contacts']
  const unknown = await run('import', '--client', newAccessId('client'), ...area, path)
  t.match(unknown, { code: 1, stderr: /there is no client/ })
  t.match(await run('import', '--client', 'x', ...area, path), { code: 2 })
  t.match(await run('import', '--client', client, '--area', 'x', path), { code: 2 })
  t.match(await run('import', '--client', client, ...area, join(dir, 'none.csv')), { code: 1 })
  const workbook = file('Contacts.XLSX', 'PK\u0003\u0004')
  const refused = await run('import', '--client', client, ...area, workbook)
  t.match(refused, { code: 1, stderr: /workbook \(\.xlsx\).*save the table as CSV/ })
  const broken = file('broken.csv', 'first_name,email\nAda\n')
  const csv = await run('import', '--client', client, ...area, broken)
  t.match(csv, { code: 1, stderr: /broken\.csv:2: is not CSV/ })
})
