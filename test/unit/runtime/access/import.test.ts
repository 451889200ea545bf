// Goal: tables that Excel, HubSpot and Pipedrive export go in as they are, nothing is stored broken
// or guessed, and a file of which anything is refused writes nothing. Method: the importer on a
// store in memory, with the bytes of such files.
import { Readable } from 'node:stream'
import t from 'tap'
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import {
  importRecords,
  type ImportOrder,
  type ImportResult,
} from '../../../../runtime/access/transfer/import-records.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'

const client = newAccessId('client')
const newStore = () => new RecordStore(new MemoryStore().bucket('records'))

interface Imported extends ImportResult {
  readonly stored: readonly Readonly<Record<string, unknown>>[]
}

async function imported(
  area: AreaKey,
  file: string | Uint8Array,
  more: Partial<ImportOrder> = {},
  store = newStore(),
): Promise<Imported> {
  const bytes = Buffer.from(file)
  // In pieces of five bytes, so that letters are cut.
  const pieces = Array.from({ length: Math.ceil(bytes.length / 5) }, (_, i) =>
    bytes.subarray(5 * i, 5 * i + 5),
  )
  const open = () => Readable.from(pieces)
  const order = { client, area, format: 'csv', open, checkOnly: false, nowMs: 0, ...more } as const
  const result = await importRecords({ store, isPersonOf: async () => false }, order)
  const stored = []
  for await (const { record } of store.scan(client, area)) stored.push(record.fields)
  return { ...result, stored }
}

const problems = ({ problems: found }: ImportResult) =>
  found.map(({ line, text }) => `${line}: ${text}`).join('\n')

const umlauts = 'Vorname;Nachname;E-Mail;Firma;Straße;PLZ;Ort;Land;Telefon\r\n'
const joerg =
  'Jörg;Müßig;joerg@example.de;Café „Zur Post“ – 5 €;Weg 1;01067;Dresden;Deutschland;0351/123 45\r\n'
const fields = {
  first_name: 'Jörg',
  last_name: 'Müßig',
  email: 'joerg@example.de',
  company_name: 'Café „Zur Post“ – 5 €',
  address: { line1: 'Weg 1', postal_code: '01067', city: 'Dresden', country: 'DE' },
  phone: '+4935112345',
}

function windows1252(text: string): Uint8Array {
  const special: Readonly<Record<string, number>> = { '„': 0x84, '“': 0x93, '–': 0x96, '€': 0x80 }
  return Uint8Array.from(text, (letter) => special[letter] ?? letter.codePointAt(0)!)
}

t.test('a table of Excel has the same records in each encoding that Excel writes', async (t) => {
  const text = umlauts + joerg + ';;;;;;;;\r\n'
  const utf16 = Buffer.from(`\uFEFF${text.replaceAll(';', '\t')}`, 'utf16le')
  const files = [
    ['UTF-8', 'semicolons', text],
    ['UTF-8', 'semicolons', `\uFEFFsep=;\r\n${text}`],
    ['UTF-16LE', 'tabs', utf16],
    ['UTF-16BE', 'tabs', Buffer.from(utf16).swap16()],
    ['Windows-1252', 'semicolons', windows1252(text)],
  ] as const
  for (const [encoding, separatedBy, file] of files) {
    const result = await imported('contacts', file, { defaults: { callingCode: '49' } })
    t.equal(problems(result), '', encoding)
    t.match(result, { made: 1, rows: 1, source: { encoding, table: { separatedBy } } })
    t.match(result.stored, [fields], encoding)
  }
  const ndjson = windows1252('{"first_name": "Jörg"}')
  t.match(await imported('contacts', ndjson, { format: 'ndjson' }), {
    source: { encoding: 'Windows-1252' },
    stored: [{ first_name: 'Jörg' }],
  })
})

t.test('what is no text in a known encoding is refused by name', async (t) => {
  const files: readonly (readonly [Uint8Array, RegExp])[] = [
    [Buffer.from('PK\u0003\u0004 …'), /workbook/],
    [Buffer.from('first_name\nJ\0rg'), /NUL bytes/],
    [Buffer.from('66697273745f6e616d650aff81', 'hex'), /neither UTF-8 nor Windows-1252/],
    [Buffer.from('efbbbf66697273745f6e616d650aff', 'hex'), /says that it is UTF-8/],
    [Buffer.from('fffe41', 'hex'), /says that it is UTF-16LE/],
  ]
  for (const [file, text] of files) {
    const result = await imported('contacts', file)
    t.match(problems(result), text)
    t.same(result.stored, [])
  }
})

t.test('contacts of HubSpot and Pipedrive go in, and nothing of them is lost', async (t) => {
  const hubspot = await imported(
    'contacts',
    'Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Lead Status,' +
      'Marketing contact status,Create Date (GMT+1),Associated Company,Lifecycle Stage,Website URL\n' +
      '101,Ada,Lovelace,ADA@example.com,+44 (0)20 7946 0018,Bo Li,In Progress,Marketing contact,' +
      '2024-01-05 13:22,Engines Ltd,Marketing Qualified Lead,engines.example\n',
  )
  t.equal(problems(hubspot), '')
  t.match(hubspot.stored, [
    {
      first_name: 'Ada',
      email: 'ada@example.com',
      phone: '+442079460018',
      company_name: 'Engines Ltd',
      lifecycle_stage: 'marketing_qualified',
      website: 'https://engines.example',
      custom_fields: { record_id: '101', contact_owner: 'Bo Li', create_date_gmt_1: /^2024/ },
    },
  ])
  t.match(hubspot.source?.table, {
    mapped: ['First Name → first_name', 'Last Name → last_name', 'Email → email'],
    kept: ['Record ID → record_id', 'Contact owner → contact_owner'],
    leftOut: [],
  })
  const pipedrive = await imported(
    'contacts',
    'Person - Name,Person - Organization,Person - Email - Work,Person - Email - Home,' +
      'Person - Phone - Mobile,Person - Label,Person - ID\n' +
      'Grace Brewster Hopper,Navy,"g@example.com, h@example.com",home@example.com,0015550100,"VIP, Hot",7\n' +
      'Solo,,,only@example.com,,,8\n',
  )
  t.equal(problems(pipedrive), '')
  t.match(pipedrive.stored, [
    {
      first_name: 'Grace Brewster',
      last_name: 'Hopper',
      email: 'g@example.com',
      phone: '+15550100',
      tags: ['VIP', 'Hot'],
      custom_fields: { person_email_work: 'h@example.com', person_email_home: 'home@example.com' },
    },
    { first_name: 'Solo', email: 'only@example.com', custom_fields: { person_id: '8' } },
  ])
})

t.test(
  'deals have their amounts, outcomes and days; what can be read in two ways is refused',
  async (t) => {
    const deals = await imported(
      'opportunities',
      'Deal Name;Deal Stage;Amount (EUR);Close Date;Probability\n' +
        'Shop;Closed Won;"1.234,50";31.12.2026;75 %\nSite;Proposal;900;2026-11-30 09:15;\n',
    )
    t.equal(problems(deals), '')
    t.match(deals.stored, [
      {
        name: 'Shop',
        status: 'won',
        amount: { value: 123450, currency: 'EUR' },
        expected_close_on: '2026-12-31',
        probability: 75,
      },
      { name: 'Site', status: 'open', amount: { value: 90000 }, expected_close_on: '2026-11-30' },
    ])
    const yen = 'Title,Value,Currency\nTea,"1,200,000",JPY\n'
    t.match((await imported('opportunities', yen)).stored, [{ amount: { value: 1_200_000 } }])
    const refused: readonly (readonly [string, RegExp, Partial<ImportOrder>?])[] = [
      ['Title,Value\nTea,12\n', /no currency/],
      ['Title,Value\nTea,"1,234"\n', /two ways/, { defaults: { currency: 'EUR' } }],
      ['Title,Close date\nTea,03/04/2026\n', /two ways/],
      ['Title,Status\nTea,Maybe\n', /open.*won.*lost/],
    ]
    for (const [file, text, more] of refused) {
      const result = await imported('opportunities', file, more)
      t.match(problems(result), text)
      t.same(result.stored, [])
    }
    const contact = await imported('contacts', 'Name,Phone\nAda,030 1234\n')
    t.match(problems(contact), /^2: Phone: 030 1234 has no country code/)
  },
)

t.test('unknown and doubled columns are named with what is known', async (t) => {
  const unknown = await imported(
    'tasks',
    'Subject,Due date,Colour,Mood\nCall,2026-12-31 09:30,red,\n',
  )
  t.match(
    problems(unknown),
    /^1: unknown columns "Colour", "Mood"; .*title, body, status, priority/,
  )
  t.match(problems(unknown), '--ignore-unknown')
  const file = 'Subject,Due date,Priority,Colour\nCall,2026-12-31 09:30,High,red\n'
  const without = await imported('tasks', file, { ignoreUnknown: true })
  t.match(without.stored, [{ title: 'Call', due_at: '2026-12-31T09:30:00.000Z', priority: 'high' }])
  t.same(without.source?.table?.leftOut, ['Colour'])
  const twice = await imported('contacts', 'email,first_name,email\na@x.example,A,b@x.example\n')
  t.equal(problems(twice), '1: "email" stands twice: columns 1 and 3; remove or rename one')
  const same = await imported('tasks', 'Title,Subject\nA,B\n')
  t.match(problems(same), '"Title" and "Subject" are the same field')
  for (const { stored } of [unknown, twice, same]) t.same(stored, [])
})

t.test('one refused row, reference or deleted record refuses the whole file', async (t) => {
  const [project, first] = [newRecordId('projects'), newRecordId('deployments')]
  const rows = [
    { environment: 'staging', release: '2', rollback_of: first },
    { environment: 'staging', release: '1', id: first },
  ]
  const lines = (list: readonly unknown[]) => list.map((row) => JSON.stringify(row)).join('\n')
  const ndjson = { format: 'ndjson' } as const
  const dangling = lines([...rows, { environment: 'staging', release: '3', project_id: project }])
  const refused = await imported('deployments', dangling, ndjson)
  t.match(problems(refused), /^3: \/project_id is the id of no record of projects/)
  t.match(refused, { made: 0, refused: 1, stored: [] })
  t.match(await imported('deployments', lines(rows), ndjson), { made: 2, refused: 0 })

  const store = newStore()
  const id = newRecordId('tasks')
  await imported('tasks', lines([{ id, title: 'gone' }]), ndjson, store)
  const held = (await store.get(client, 'tasks', id))!
  await store.replace({ ...held.record, deletedAtMs: 1, fields: {} }, held.revision)
  const again = await imported(
    'tasks',
    lines([{ title: 'new' }, { id, title: 'gone' }]),
    ndjson,
    store,
  )
  t.match(problems(again), /^2: .* was deleted/)
  t.equal(again.made, 0)
  t.match(problems(await imported('contacts', 'tags\nvip\n')), /needs at least one of the fields/)
})
