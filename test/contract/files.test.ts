/**
 * Goal: files of a session go in and come out whole, whoever drives its browser, and no file, form
 * or archive does anything else. Method: one service, headless sessions, a site with downloads.
 */
import { spawnSync } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { once } from 'node:events'
import puppeteer from 'puppeteer-core'
import t, { type Test } from 'tap'
import { limits } from '../../proto/limits.ts'
import { connectPlaywright, connectRaw } from '../helpers/browsers.ts'
import {
  createSession,
  startService,
  troupe,
  type ErrorJson,
  type Service,
  type SessionJson,
} from '../helpers/service.ts'
import { until } from '../helpers/until.ts'
import { zipOf, type ZipEntry } from '../helpers/zip.ts'

const MiB = 2 ** 20

interface Item {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly created_at: string
  readonly file_link: string
}

interface DownloadItem extends Omit<Item, 'name'> {
  readonly suggested_file_name: string
  readonly original_file_name: string
  readonly original_download_url: string
  readonly origin_url: string
  readonly duration: number
  readonly state: string
}

interface Listed<T> {
  readonly data: { readonly count: number; readonly items: readonly T[] }
}

interface Uploaded {
  readonly status: string
  readonly data: { readonly id: string; readonly name: string; readonly size: number }
  readonly error: ErrorJson
}

let service: Service
let session: SessionJson
let uploads: string

/** Downloads by name; `slow` stands still halfway until it is let go. */
const slow: ServerResponse[] = []
const site = createServer((request, response) => {
  const { pathname } = new URL(request.url!, 'http://site')
  if (pathname === '/') {
    response.setHeader('content-type', 'text/html')
    response.end('<title>Files</title><input type=file><input type=file id=two multiple>')
    return
  }
  const name = decodeURIComponent(pathname.slice(1))
  // Told, or the browser would wait for enough of it to guess.
  response.setHeader('content-type', 'application/octet-stream')
  response.setHeader('content-disposition', `attachment; filename="${name}"`)
  if (name !== 'slow.bin') return void response.end(`bytes of ${request.url}`)
  response.setHeader('content-length', 8)
  response.write('half')
  slow.push(response)
})
let siteUrl: string

t.before(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  service = await startService({ env: { POOL_HEADLESS: '1' } })
  session = await createSession(service.rest)
  uploads = `/v1/sessions/${session.id}/uploads`
})
t.teardown(async () => {
  await service.stop()
  site.closeAllConnections()
  site.close()
})

type Body = FormData | ReadableStream | string

const keyed = () => ({ 'service-api-key': service.key })

async function post<T = Uploaded>(path: string, body: Body, headers = {}) {
  const init = { method: 'POST', body, headers: { ...keyed(), ...headers }, duplex: 'half' }
  const response = await fetch(service.baseUrl + path, init as RequestInit)
  return { status: response.status, body: (await response.json()) as T }
}

function form(...parts: readonly (readonly [string, string | Blob, string?])[]): FormData {
  const data = new FormData()
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, value, fileName)
  }
  return data
}

const upload = (name: string, text: string, path = uploads) =>
  post(path, form(['file', new Blob([text]), name]))

async function bytes(path: string, method = 'GET') {
  const response = await fetch(service.baseUrl + path, { method, headers: keyed() })
  const { status, headers } = response
  return { status, headers, text: await response.text() }
}

const listed = async <T = Item>(path: string) =>
  (await service.rest<Listed<T>>('GET', path)).body.data.items

/** What lies in the session's folders, beside what the service says. */
function onDisk(folder: 'uploads' | 'incoming' | 'downloads' | 'agent'): string[] {
  const run = join(service.dataDir, 'run', 'test')
  return readdirSync(run).flatMap((browser) =>
    readdirSync(join(run, browser, folder), { recursive: true, encoding: 'utf8' }),
  )
}

const nothingComes = () => until('nothing is on its way', () => onDisk('incoming').length === 0)

t.test('an upload is stored, listed, read and deleted', async (t) => {
  const { status, body } = await upload('notes.txt', 'hello')
  t.equal(status, 200)
  t.match(body, {
    status: 'success',
    message: String,
    data: { status: 'success', id: /^fil_/, name: 'notes.txt', size: 5 },
  })
  const [item] = await listed(uploads)
  t.match(item, { id: body.data.id, name: 'notes.txt', size: 5 })
  t.ok(Math.abs(Date.parse(item!.created_at) - Date.now()) < 60_000)
  t.equal(item!.file_link, `${service.baseUrl}${uploads}/${item!.id}`)
  const read = await bytes(`${uploads}/${item!.id}`)
  t.equal(read.text, 'hello')
  t.match(Object.fromEntries(read.headers), {
    'content-type': 'application/octet-stream',
    'content-length': '5',
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename="notes.txt"; filename*=UTF-8''notes.txt`,
  })
  const head = await bytes(`${uploads}/${item!.id}`, 'HEAD')
  t.equal(head.headers.get('content-length'), '5')
  t.equal(head.text, '')
  const gone = await service.rest('DELETE', `${uploads}/${item!.id}`)
  t.match(gone, { status: 200, body: { data: { status: 'success' } } })
  t.equal((await service.rest('DELETE', `${uploads}/${item!.id}`)).status, 404)
  t.equal((await bytes(`${uploads}/${item!.id}`)).status, 404)
  t.same(await listed(uploads), [])
  t.same(onDisk('uploads'), [])
})

t.test('an empty file is a file', async (t) => {
  const { body } = await upload('empty', '')
  t.match(body.data, { name: 'empty', size: 0 })
  t.match(await bytes(`${uploads}/${body.data.id}`), { status: 200, text: '' })
  await service.rest('DELETE', `${uploads}/${body.data.id}`)
})

t.test('names are made safe and never meet', async (t) => {
  const long = `${'é'.repeat(150)}.tar`
  const given = ['../../etc/passwd', 'a\\b\\c.txt', '.hidden', 'con.txt', 'x\u202egpj.exe', long]
  const wanted = ['passwd', 'c.txt', 'hidden', '_con.txt', 'xgpj.exe', `${'é'.repeat(98)}.tar`]
  for (const [i, name] of given.entries()) {
    const { body } = await upload(name, name)
    t.equal(body.data.name, wanted[i])
    t.equal((await bytes(`${uploads}/${body.data.id}`)).text, name)
  }
  const crowd = await Promise.all(['1', '2', '3'].map((text) => upload('same.txt', text)))
  const names = crowd.map(({ body }) => body.data.name).sort()
  t.same(names, ['same (1).txt', 'same (2).txt', 'same.txt'])
  t.same(onDisk('uploads').sort(), [...wanted, ...names].sort())
  for (const { id } of await listed(uploads)) await service.rest('DELETE', `${uploads}/${id}`)
})

t.test('a form that is wrong is refused with what to do, and leaves nothing', async (t) => {
  const file = new Blob(['x'])
  const type = (boundary = '') => ({ 'content-type': `multipart/form-data${boundary}` })
  const b = type('; boundary=b')
  const part = 'content-disposition: form-data; name="file"; filename="f"\r\n\r\n'
  const selector = ['selector', 'x'.repeat(limits.selectorChars + 1)] as const
  const cases: [string, number, Body, object?][] = [
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
    const answer = await post(uploads, body, headers)
    t.match(answer, { status, body: { error: { code: status, message: String } } }, what)
    t.not(answer.body.error.message, '', what)
  }
  t.same(await listed(uploads), [])
  await nothingComes()
  t.same(onDisk('uploads'), [])
})

/** A form with a file of that size, made as it is sent. */
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

t.test('100 MiB pass through without being held; a byte more is refused', async (t) => {
  const pids = [service.pidOf('gateway'), service.pidOf('node-agent')]
  const before = pids.map((pid) => rssMiB(pid, 'VmRSS'))
  const { status, body } = await post(uploads, generated(limits.uploadBytes), boundary)
  t.match({ status, body }, { status: 200, body: { data: { size: limits.uploadBytes } } })
  const read = await fetch(`${service.baseUrl}${uploads}/${body.data.id}`, { headers: keyed() })
  let got = 0
  for await (const chunk of read.body as AsyncIterable<Uint8Array>) got += chunk.length
  t.equal(got, limits.uploadBytes)
  for (const [i, pid] of pids.entries()) {
    // The most it ever had, and it had less than now before.
    const grown = rssMiB(pid, 'VmHWM') - before[i]!
    t.ok(grown < 48, `grew by ${grown.toFixed(1)} MiB`)
  }
  await service.rest('DELETE', `${uploads}/${body.data.id}`)
  const more = await post(uploads, generated(limits.uploadBytes + 1), boundary)
  t.match(more, { status: 413, body: { error: { limit_bytes: limits.uploadBytes } } })
  await nothingComes()
  t.same(onDisk('uploads'), [])
})

/** An upload of which only the first half is sent. */
function halfAnUpload(path: string, key = service.key) {
  const socket = connect(service.port, '127.0.0.1')
  const head =
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\nservice-api-key: ${key}\r\n` +
    `content-type: ${boundary['content-type']}\r\ncontent-length: ${8 * MiB}\r\n\r\n`
  socket.on('error', () => undefined) // It is reset on purpose.
  socket.write(head)
  socket.write('--b\r\ncontent-disposition: form-data; name="file"; filename="half"\r\n\r\n')
  socket.write(Buffer.alloc(4 * MiB))
  return socket
}

t.test('a client that leaves midway leaves nothing', async (t) => {
  const socket = halfAnUpload(uploads)
  await until('half of it is there', () => onDisk('incoming').length === 1)
  socket.destroy()
  await nothingComes()
  t.same(await listed(uploads), [])
})

t.test('a body nobody may send is not kept, and its refusal arrives', async (t) => {
  const before = rssMiB(service.pidOf('gateway'), 'VmRSS')
  const strangers = Array.from({ length: 8 }, () => halfAnUpload(uploads, 'wrong'))
  const answers = await Promise.all(
    strangers.map(async (socket) => {
      socket.write(Buffer.alloc(4 * MiB))
      return String((await once(socket, 'data'))[0])
    }),
  )
  for (const socket of strangers) socket.destroy()
  t.ok(answers.every((answer) => answer.startsWith('HTTP/1.1 401')))
  const grown = rssMiB(service.pidOf('gateway'), 'VmRSS') - before
  t.ok(grown < 32, `grew by ${grown.toFixed(1)} MiB`)
  const text = JSON.stringify({ tags: ['x'.repeat(20 * MiB)] })
  const json = { 'content-type': 'application/json' }
  const answer = await post('/v1/sessions', text, json)
  t.match(answer, { status: 413, body: { error: { type: 'too_large' } } })
})

t.test('a file goes into the input that the selector names', async (t) => {
  const browser = await connectPlaywright(session.cdp_url)
  t.teardown(() => browser.close())
  const page = browser.contexts()[0]!.pages()[0]!
  await page.goto(siteUrl)
  const names = () =>
    page.evaluate('[...document.querySelectorAll("input")].map(i => i.files[0]?.name)')
  const into = (selector: string, index?: string) => {
    const at: [string, string][] = index === undefined ? [] : [['index', index]]
    const file = ['file', new Blob(['content']), `${index}.txt`] as const
    return post(uploads, form(file, ['selector', selector], ...at))
  }
  t.equal((await into('input', '1')).status, 200)
  t.same(await names(), [null, '1.txt'])
  const read = 'document.querySelectorAll("input")[1].files[0].text()'
  t.equal(await page.evaluate(read), 'content')
  const before = (await listed(uploads)).length
  for (const [selector, index] of [['input', '2'], ['p'], ['##'], ['title']] as const) {
    const { status, body } = await into(selector, index)
    t.match(body, { error: { message: String } }, selector)
    t.ok(status >= 400 && status < 500, `${selector}: ${status}`)
  }
  t.equal((await listed(uploads)).length, before, 'what was refused is not kept')
})

const downloads = () => `/v1/sessions/${session.id}/downloads`

/** Waits until so many have come to their end. */
const finished = (count: number) =>
  until(`${count} downloads`, async () => {
    const items = await listed<DownloadItem>(downloads())
    return items.filter(({ state }) => state !== 'in_progress').length === count && items
  })

async function clear(): Promise<void> {
  for (const { id } of await listed<DownloadItem>(downloads())) {
    await service.rest('DELETE', `${downloads()}/${id}`)
  }
}

/** A click on a link to it, as a page does it. */
const clickTo = (name: string) => {
  const href = JSON.stringify(siteUrl + name)
  return `Object.assign(document.createElement('a'), { href: ${href} }).click()`
}

async function expectBytes(t: Test, items: readonly DownloadItem[]): Promise<void> {
  for (const { id, size, original_download_url: url } of items) {
    const expected = `bytes of ${new URL(url).pathname}`
    t.match(await bytes(`${downloads()}/${id}`), { status: 200, text: expected })
    t.equal(size, expected.length)
  }
}

t.test('what a page downloads with no client there is listed and read', async (t) => {
  const url = `${siteUrl}first.txt`
  const body = { session: { initial_url: siteUrl }, browser: { headless: { active: true } } }
  await service.rest('DELETE', `/v1/sessions/${session.id}`)
  session = await createSession(service.rest, body)
  uploads = `/v1/sessions/${session.id}/uploads`
  const client = await connectRaw(session.cdp_url)
  const { targetInfos } = await client.send<{ targetInfos: { type: string; targetId: string }[] }>(
    'Target.getTargets',
  )
  const { targetId } = targetInfos.find(({ type }) => type === 'page')!
  const flat = { targetId, flatten: true }
  const { sessionId } = await client.send<{ sessionId: string }>('Target.attachToTarget', flat)
  const later = `setTimeout(() => { ${clickTo('first.txt')} }, 200)`
  await client.send('Runtime.evaluate', { expression: later }, sessionId)
  client.close()
  const [item] = await finished(1)
  t.match(item, {
    state: 'completed',
    suggested_file_name: 'first.txt',
    original_file_name: 'first.txt',
    original_download_url: url,
    origin_url: siteUrl,
    file_link: `${service.baseUrl}${downloads()}/${item!.id}`,
  })
  t.ok(item!.duration >= 0 && item!.duration < 60_000)
  await expectBytes(t, [item!])
  const { headers } = await bytes(`${downloads()}/${item!.id}`)
  t.match(headers.get('content-disposition'), /^attachment; filename="first.txt"/)
  t.equal((await service.rest('DELETE', `${downloads()}/${item!.id}`)).status, 200)
  t.equal((await bytes(`${downloads()}/${item!.id}`)).status, 404)
  t.same(onDisk('downloads'), [])
})

t.test('with Playwright attached, and after it has left', async (t) => {
  const browser = await connectPlaywright(session.cdp_url)
  const page = browser.contexts()[0]!.pages()[0]!
  await page.goto(siteUrl)
  await page.evaluate(clickTo('same.txt'))
  await finished(1)
  await page.evaluate(clickTo('same.txt'))
  await finished(2)
  // Its download behaviour goes with it, later than its socket closes.
  await page.evaluate(`setTimeout(() => { ${clickTo('same.txt')} }, 500)`)
  await browser.close()
  const items = await finished(3)
  t.same(new Set(items.map((item) => item.suggested_file_name)), new Set(['same.txt']))
  t.ok(items.every(({ state }) => state === 'completed'))
  await expectBytes(t, items)
  await clear()
  t.same(onDisk('downloads'), [])
})

t.test('with Puppeteer, whichever behaviour it sets', async (t) => {
  const browser = await puppeteer.connect({ browserWSEndpoint: session.cdp_url })
  t.teardown(() => browser.disconnect())
  const client = await browser.target().createCDPSession()
  const [page] = await browser.pages()
  const downloadPath = '/home/somebody/Downloads'
  let count = 0
  for (const behavior of ['allow', 'allowAndName', 'default', 'allow'] as const) {
    await client.send('Browser.setDownloadBehavior', { behavior, downloadPath })
    await page!.evaluate(clickTo('p.txt'))
    await finished(++count)
  }
  await expectBytes(t, await listed<DownloadItem>(downloads()))
  await client.send('Browser.setDownloadBehavior', { behavior: 'deny' })
  await page!.evaluate(clickTo('denied.txt'))
  const denied = (await finished(++count)).at(-1)!
  t.match(denied, { state: 'canceled', suggested_file_name: 'denied.txt' })
  t.match(await service.rest('GET', `${downloads()}/${denied.id}`), { status: 409 })
  await clear()
})

t.test('a download on its way is listed, has no bytes yet, and can be stopped', async (t) => {
  const browser = await connectPlaywright(session.cdp_url)
  t.teardown(() => browser.close())
  const page = browser.contexts()[0]!.pages()[0]!
  const begin = () => page.evaluate(clickTo('slow.bin'))
  const underWay = () =>
    until('it is under way', async () => {
      const items = await listed<DownloadItem>(downloads())
      return items.find(({ state }) => state === 'in_progress')
    })
  await begin()
  const { id } = await underWay()
  const early = await service.rest('GET', `${downloads()}/${id}`)
  t.match(early, { status: 409, body: { error: { type: 'conflict' } } })
  slow.pop()!.end('half')
  t.match(await finished(1), [{ id, state: 'completed', size: 8 }])
  t.equal((await bytes(`${downloads()}/${id}`)).text, 'halfhalf')
  await clear()
  await begin()
  await service.rest('DELETE', `${downloads()}/${(await underWay()).id}`)
  t.same(await listed(downloads()), [])
  await until('nothing of it is left', () => onDisk('downloads').length === 0)
})

const agentFiles = () => `/v1/sessions/${session.id}/agent/files`

async function agentList() {
  type Answer = { data: { files: { name: string; size: number; type: string }[] } }
  return (await service.rest<Answer>('GET', agentFiles())).body.data.files
}

const sendZip = (entries: readonly ZipEntry[], name = 'z.zip') =>
  post(agentFiles(), form(['file', new Blob([zipOf(entries)]), name]))

t.test('agents get files, and what is in a ZIP', async (t) => {
  t.equal((await upload('plain.csv', 'a,b', agentFiles())).status, 200)
  const { status, body } = await sendZip([
    { name: 'docs/' },
    { name: 'docs/read me.md', text: '# Hello' },
    { name: 'plain.csv', text: 'other' },
  ])
  t.match({ status, body }, { status: 200, body: { data: { status: 'success' } } })
  const files = await agentList()
  t.match(files, [
    { name: 'plain.csv', size: 3, type: 'csv', lastModified: /^20/ },
    { name: 'docs/read me.md', size: 7, type: 'md' },
    { name: 'plain (1).csv', size: 5, type: 'csv' },
  ])
  t.same(onDisk('incoming'), [])
})

t.test('a ZIP that wants more than to be unpacked is refused whole', async (t) => {
  const before = await agentList()
  const good = { name: 'good.txt', text: 'good' }
  const link = { name: 'link', text: '/etc/passwd', unixMode: 0o120777 }
  const many = Array.from({ length: limits.folderFiles + 1 }, (_, i) => ({ name: `f${i}` }))
  const bomb = { name: 'bomb', text: '\0'.repeat(8 * MiB) }
  const huge = { ...bomb, claimedBytes: limits.zipUnpackedBytes + 1 }
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
  const cut = zipOf([good]).subarray(0, 40)
  t.equal((await post(agentFiles(), form(['file', new Blob([cut]), 'z.zip']))).status, 400)
  t.same(await agentList(), before)
  t.same(onDisk('incoming'), [])
})

function keyOf(tenant: string): string {
  const args = ['keys', 'create', '--tenant', tenant, '--name', 'test']
  const env = { ...process.env, DATA_DIR: service.dataDir }
  return spawnSync(process.execPath, [troupe, ...args], { env, encoding: 'utf8' }).stdout.trim()
}

t.test('unknown, foreign and ended', async (t) => {
  const none = 'ses_00000000000000000000000000'
  const { body } = await upload('kept.txt', 'kept')
  const file = `${uploads}/${body.data.id}`
  const paths = (id: string) =>
    ['uploads', 'downloads', 'agent/files'].map((path) => `/v1/sessions/${id}/${path}`)
  for (const path of [...paths(none), ...paths('x')]) {
    t.equal((await service.rest('GET', path)).status, 404, path)
    if (!path.endsWith('downloads')) t.equal((await upload('f', 'x', path)).status, 404, path)
  }
  for (const id of ['x', 'fil_00000000000000000000000000', '..%2f..%2fetc', '%00']) {
    t.equal((await service.rest('GET', `${uploads}/${id}`)).status, 404, id)
    t.equal((await service.rest('DELETE', `${downloads()}/${id}`)).status, 404, id)
  }
  const other = await createSession(service.rest)
  const elsewhere = file.replace(session.id, other.id)
  t.equal((await service.rest('GET', elsewhere)).status, 404, 'a file of another session')
  const stranger = { 'service-api-key': keyOf('other') }
  const asked = await fetch(service.baseUrl + file, { headers: stranger })
  t.equal(asked.status, 404, 'a session of another tenant')
  const foreign = form(['file', new Blob(['x']), 'f'])
  t.equal((await post(uploads, foreign, stranger)).status, 404)
  t.equal((await fetch(service.baseUrl + file)).status, 401)

  await service.rest('DELETE', `/v1/sessions/${session.id}`)
  await until('it has ended', async () => (await service.rest('GET', uploads)).status === 410)
  t.equal((await service.rest('GET', file)).status, 410)
  t.equal((await upload('late', 'x')).status, 410)
})
