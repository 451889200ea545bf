/**
 * Goal: files are stored and returned unchanged, and no name, form or archive has another effect.
 * Method: one service, a headless session, and the disk compared with the answers.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import t from 'tap'
import { limits } from '../../../proto/limits.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { fileClient, form, type RequestBody } from '../../helpers/service/files.ts'
import {
  createSession,
  startService,
  troupe,
  type Service,
  type SessionJson,
} from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { zipOf, type ZipEntry } from '../../helpers/files/zip.ts'
import { folderLimits } from '../../../node-agent/files/limits.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

const MiB = 2 ** 20

let service: Service
let session: SessionJson
let uploads: string
let agentFiles: string
let files: ReturnType<typeof fileClient>

t.before(async () => {
  service = await startService()
  session = await createSession(service.rest)
  uploads = `/v1/sessions/${session.id}/uploads`
  agentFiles = `/v1/sessions/${session.id}/agent/files`
  files = fileClient(service)
})
t.teardown(() => service.stop())

t.test('an upload is stored, listed, read and deleted', async (t) => {
  const { status, body } = await files.upload(uploads, 'notes.txt', 'hello')
  t.equal(status, 200)
  t.match(body, {
    status: 'success',
    message: String,
    data: { status: 'success', id: /^fil_/, name: 'notes.txt', size: 5 },
  })
  const [item] = await files.list(uploads)
  t.match(item, { id: body.data.id, name: 'notes.txt', size: 5 })
  t.ok(Math.abs(Date.parse(item!.created_at) - Date.now()) < 60_000)
  t.equal(item!.file_link, `${service.baseUrl}${uploads}/${item!.id}`)
  const read = await files.bytes(`${uploads}/${item!.id}`)
  t.equal(read.text, 'hello')
  t.match(Object.fromEntries(read.headers), {
    'content-type': 'application/octet-stream',
    'content-length': '5',
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename="notes.txt"; filename*=UTF-8''notes.txt`,
  })
  const head = await files.bytes(`${uploads}/${item!.id}`, 'HEAD')
  t.equal(head.headers.get('content-length'), '5')
  t.equal(head.text, '')
  const gone = await service.rest('DELETE', `${uploads}/${item!.id}`)
  t.match(gone, { status: 200, body: { data: { status: 'success' } } })
  t.equal((await service.rest('DELETE', `${uploads}/${item!.id}`)).status, 404)
  t.equal((await files.bytes(`${uploads}/${item!.id}`)).status, 404)
  t.same(await files.list(uploads), [])
  t.same(files.onDisk('uploads'), [])
})

t.test('an empty file can be uploaded', async (t) => {
  const { body } = await files.upload(uploads, 'empty', '')
  t.match(body.data, { name: 'empty', size: 0 })
  t.match(await files.bytes(`${uploads}/${body.data.id}`), { status: 200, text: '' })
  await service.rest('DELETE', `${uploads}/${body.data.id}`)
})

t.test('names are made safe and never collide', async (t) => {
  const long = `${'é'.repeat(150)}.tar`
  const given = ['../../etc/passwd', 'a\\b\\c.txt', '.hidden', 'con.txt', 'x\u202egpj.exe', long]
  const wanted = ['passwd', 'c.txt', 'hidden', '_con.txt', 'xgpj.exe', `${'é'.repeat(98)}.tar`]
  for (const [i, name] of given.entries()) {
    const { body } = await files.upload(uploads, name, name)
    t.equal(body.data.name, wanted[i])
    t.equal((await files.bytes(`${uploads}/${body.data.id}`)).text, name)
  }
  const crowd = await Promise.all(
    ['1', '2', '3'].map((text) => files.upload(uploads, 'same.txt', text)),
  )
  const names = crowd.map(({ body }) => body.data.name).sort()
  t.same(names, ['same (1).txt', 'same (2).txt', 'same.txt'])
  t.same(files.onDisk('uploads').sort(), [...wanted, ...names].sort())
  await files.clear(uploads)
})

t.test('an invalid form is refused with what to do, and leaves nothing', async (t) => {
  const file = new Blob(['x'])
  const type = (boundary = '') => ({ 'content-type': `multipart/form-data${boundary}` })
  const b = type('; boundary=b')
  const part = 'content-disposition: form-data; name="file"; filename="f"\r\n\r\n'
  const selector = ['selector', 'x'.repeat(commandLimits.selectorChars + 1)] as const
  const cases: [string, number, RequestBody, object?][] = [
    ['no part', 400, form()],
    ['another name', 400, form(['document', file, 'f'])],
    ['two files', 400, form(['file', file, 'f'], ['file', file, 'g'])],
    ['a second file of another name', 400, form(['file', file, 'f'], ['more', file, 'g'])],
    ['text instead of a file', 400, form(['file', 'text'])],
    ['an unknown field', 400, form(['file', file, 'f'], ['selectr', 'input'])],
    ['a selector too long', 400, form(['file', file, 'f'], selector)],
    ['an index that is none', 400, form(['file', file, 'f'], ['selector', 'a'], ['index', '-1'])],
    ['many fields', 400, form(['file', file, 'f'], ...Array(20).fill(['selector', 'a']))],
    ['JSON', 415, '{"file":"x"}', { 'content-type': 'application/json' }],
    ['nothing at all', 415, ''],
    ['no boundary', 400, 'x', type()],
    ['not a form', 400, 'garbage', b],
    ['a form cut short', 400, `--b\r\n${part}half`, b],
    ['a part cut short', 400, `--b\r\ncontent-dispo`, b],
    ['a part without a name', 400, '--b\r\n\r\nx\r\n--b--\r\n', b],
  ]
  for (const [what, status, body, headers] of cases) {
    const answer = await files.post(uploads, body, headers)
    t.match(answer, { status, body: { error: { code: status, message: String } } }, what)
    t.not(answer.body.error.message, '', what)
  }
  t.same(await files.list(uploads), [])
  await files.nothingComes()
  t.same(files.onDisk('uploads'), [])
})

/** A form with a file of that size, generated while it is sent. */
function generated(fileBytes: number): ReadableStream<Uint8Array> {
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="big.bin"\r\n\r\n'
  const chunk = new Uint8Array(MiB).fill(97)
  async function* produce() {
    yield Buffer.from(head)
    for (let left = fileBytes; left > 0; left -= chunk.length) yield chunk.subarray(0, left)
    yield Buffer.from('\r\n--b--\r\n')
  }
  return ReadableStream.from(produce()) as ReadableStream<Uint8Array>
}

const boundary = { 'content-type': 'multipart/form-data; boundary=b' }

function rssMiB(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(text)![1]) / 1024
}

t.test('100 MiB pass through without being buffered; one byte more is refused', async (t) => {
  const pids = [service.pidOf('gateway'), service.pidOf('node-agent')]
  const before = pids.map((pid) => rssMiB(pid, 'VmRSS'))
  const upAndDown = async () => {
    const { status, body } = await files.post(uploads, generated(limits.uploadBytes), boundary)
    t.match({ status, body }, { status: 200, body: { data: { size: limits.uploadBytes } } })
    const read = await fetch(`${service.baseUrl}${uploads}/${body.data.id}`, {
      headers: files.keyed,
    })
    let got = 0
    for await (const chunk of read.body as AsyncIterable<Uint8Array>) got += chunk.length
    t.equal(got, limits.uploadBytes)
    await service.rest('DELETE', `${uploads}/${body.data.id}`)
  }
  await Promise.all([upAndDown(), upAndDown(), upAndDown()])
  for (const [i, pid] of pids.entries()) {
    // The peak. Buffered, it would be 300 MiB; the rest is garbage not yet collected, 35 to 75 MiB
    // depending on the version of Node.
    const grown = rssMiB(pid, 'VmHWM') - before[i]!
    t.ok(grown < 200, `grew by ${grown.toFixed(1)} MiB`)
  }
  const more = await files.post(uploads, generated(limits.uploadBytes + 1), boundary)
  t.match(more, { status: 413, body: { error: { limit_bytes: limits.uploadBytes } } })
  await files.nothingComes()
  t.same(files.onDisk('uploads'), [])
})

/** Announces an upload of that many bytes and sends the first 4 MiB. */
function halfAnUpload(path: string, key = service.key, bytes = 8 * MiB) {
  const socket = connect(service.port, '127.0.0.1')
  const head =
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\nservice-api-key: ${key}\r\n` +
    `content-type: ${boundary['content-type']}\r\ncontent-length: ${bytes}\r\n\r\n`
  socket.on('error', () => undefined) // It is reset on purpose.
  socket.write(head)
  socket.write('--b\r\ncontent-disposition: form-data; name="file"; filename="half"\r\n\r\n')
  socket.write(Buffer.alloc(4 * MiB))
  return socket
}

t.test('a client that disconnects midway leaves nothing', async (t) => {
  const socket = halfAnUpload(uploads)
  await until('half of it is there', () => files.onDisk('incoming').length === 1)
  socket.destroy()
  await files.nothingComes()
  t.same(await files.list(uploads), [])
})

t.test('an unauthorized body is not buffered, and its refusal arrives', async (t) => {
  const before = rssMiB(service.pidOf('gateway'), 'VmRSS')
  const bytes = 24 * MiB
  const strangers = Array.from({ length: 8 }, () => halfAnUpload(uploads, 'wrong', bytes))
  const answers = await Promise.all(
    strangers.map(async (socket) => {
      socket.write(Buffer.alloc(bytes - 4 * MiB))
      return String((await once(socket, 'data'))[0])
    }),
  )
  for (const socket of strangers) socket.destroy()
  t.ok(answers.every((answer) => answer.startsWith('HTTP/1.1 401')))
  const grown = rssMiB(service.pidOf('gateway'), 'VmRSS') - before
  // Buffered, they would be 192 MiB; the rest is garbage that Node has not collected yet.
  t.ok(grown < 110, `grew by ${grown.toFixed(1)} MiB`)
  const text = JSON.stringify({ tags: ['x'.repeat(20 * MiB)] })
  const json = { 'content-type': 'application/json' }
  const answer = await files.post('/v1/sessions', text, json)
  t.match(answer, { status: 413, body: { error: { type: 'too_large' } } })
})

t.test('a file goes into the input that the selector names', async (t) => {
  const browser = await connectPlaywright(session.cdp_url)
  t.teardown(() => browser.close())
  const page = browser.contexts()[0]!.pages()[0]!
  await page.setContent('<title>Files</title><input type=file><input type=file multiple>')
  const names = () =>
    page.evaluate('[...document.querySelectorAll("input")].map(i => i.files[0]?.name)')
  const into = (selector: string, index?: string) => {
    const at: [string, string][] = index === undefined ? [] : [['index', index]]
    const file = ['file', new Blob(['content']), `${index}.txt`] as const
    return files.post(uploads, form(file, ['selector', selector], ...at))
  }
  t.equal((await into('input', '1')).status, 200)
  t.same(await names(), [null, '1.txt'])
  const read = 'document.querySelectorAll("input")[1].files[0].text()'
  t.equal(await page.evaluate(read), 'content')
  const before = (await files.list(uploads)).length
  for (const [selector, index] of [['input', '2'], ['p'], ['##'], ['title']] as const) {
    const { status, body } = await into(selector, index)
    t.match(body, { error: { message: String } }, selector)
    t.ok(status >= 400 && status < 500, `${selector}: ${status}`)
  }
  t.equal((await files.list(uploads)).length, before, 'what was refused is not kept')
})

async function agentList() {
  type Answer = { data: { files: { name: string; size: number; type: string }[] } }
  return (await service.rest<Answer>('GET', agentFiles)).body.data.files
}

const sendZip = (entries: readonly ZipEntry[]) =>
  files.post(agentFiles, form(['file', new Blob([zipOf(entries)]), 'z.zip']))

t.test('agents get files, and the content of a ZIP', async (t) => {
  t.equal((await files.upload(agentFiles, 'plain.csv', 'a,b')).status, 200)
  const { status, body } = await sendZip([
    { name: 'docs/' },
    { name: 'docs/read me.md', text: '# Hello' },
    { name: 'plain.csv', text: 'other' },
  ])
  t.match({ status, body }, { status: 200, body: { data: { status: 'success' } } })
  t.match(await agentList(), [
    { name: 'plain.csv', size: 3, type: 'csv', lastModified: /^20/ },
    { name: 'docs/read me.md', size: 7, type: 'md' },
    { name: 'plain (1).csv', size: 5, type: 'csv' },
  ])
  t.same(files.onDisk('incoming'), [])
})

t.test('a ZIP beyond the limits or with unsafe paths is refused as a whole', async (t) => {
  const before = await agentList()
  const good = { name: 'good.txt', text: 'good' }
  const link = { name: 'link', text: '/etc/passwd', unixMode: 0o120777 }
  const many = Array.from({ length: folderLimits.folderFiles + 1 }, (_, i) => ({ name: `f${i}` }))
  const bomb = { name: 'bomb', text: '\0'.repeat(8 * MiB) }
  const huge = { ...bomb, claimedBytes: folderLimits.zipUnpackedBytes + 1 }
  const cases: [string, number, readonly ZipEntry[]][] = [
    ['upwards', 400, [good, { name: '../evil', text: 'x' }]],
    ['upwards inside', 400, [good, { name: 'a/../../evil', text: 'x' }]],
    ['upwards with backslashes', 400, [good, { name: '..\\evil', text: 'x' }]],
    ['absolute', 400, [good, { name: '/tmp/evil', text: 'x' }]],
    ['a drive', 400, [good, { name: 'C:\\evil', text: 'x' }]],
    ['a symbolic link', 400, [good, link]],
    ['a device', 400, [good, { ...link, unixMode: 0o020666 }]],
    ['a size that is a lie', 400, [good, { name: 'lie', text: 'abc', claimedBytes: 1 }]],
    ['too many files', 413, many],
    ['a bomb', 413, [good, huge]],
    ['a bomb that lies', 400, [good, { ...bomb, claimedBytes: 1 }]],
  ]
  for (const [what, status, entries] of cases) {
    t.match(await sendZip(entries), { status, body: { error: { code: status } } }, what)
  }
  const both = [
    { name: 'both/inside', text: 'x' },
    { name: 'both', text: 'x' },
  ]
  t.equal((await sendZip(both)).status, 409, 'a file and a folder of one name')
  const cut = zipOf([good]).subarray(0, 40)
  t.equal((await files.post(agentFiles, form(['file', new Blob([cut]), 'z.zip']))).status, 400)
  t.same(await agentList(), before)
  t.same(files.onDisk('incoming'), [])
})

function keyOf(tenant: string): string {
  const args = ['keys', 'create', '--tenant', tenant, '--name', 'test']
  const env = { ...process.env, DATA_DIR: service.dataDir }
  return spawnSync(process.execPath, [troupe, ...args], { env, encoding: 'utf8' }).stdout.trim()
}

t.test('unknown, foreign and ended sessions are refused', async (t) => {
  const none = 'ses_00000000000000000000000000'
  const { body } = await files.upload(uploads, 'kept.txt', 'kept')
  const file = `${uploads}/${body.data.id}`
  const paths = (id: string) =>
    ['uploads', 'downloads', 'agent/files'].map((path) => `/v1/sessions/${id}/${path}`)
  for (const path of [...paths(none), ...paths('x')]) {
    t.equal((await service.rest('GET', path)).status, 404, path)
    if (!path.endsWith('downloads')) t.equal((await files.upload(path, 'f', 'x')).status, 404, path)
  }
  for (const id of ['x', 'fil_00000000000000000000000000', '..%2f..%2fetc', '%00']) {
    t.equal((await service.rest('GET', `${uploads}/${id}`)).status, 404, id)
    t.equal(
      (await service.rest('DELETE', `/v1/sessions/${session.id}/downloads/${id}`)).status,
      404,
      id,
    )
  }
  const other = await createSession(service.rest)
  const elsewhere = file.replace(session.id, other.id)
  t.equal((await service.rest('GET', elsewhere)).status, 404, 'a file of another session')
  const stranger = { 'service-api-key': keyOf('other') }
  const asked = await fetch(service.baseUrl + file, { headers: stranger })
  t.equal(asked.status, 404, 'a session of another tenant')
  const foreign = form(['file', new Blob(['x']), 'f'])
  t.equal((await files.post(uploads, foreign, stranger)).status, 404)
  t.equal((await fetch(service.baseUrl + file)).status, 401)

  await service.rest('DELETE', `/v1/sessions/${session.id}`)
  await until('it has ended', async () => (await service.rest('GET', uploads)).status === 410)
  t.equal((await service.rest('GET', file)).status, 410)
  t.equal((await files.upload(uploads, 'late', 'x')).status, 410)
})
