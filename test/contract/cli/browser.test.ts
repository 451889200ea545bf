/**
 * Goal: an agent with a shell drives a browser by `troupe browser`: a folder has one, each act prints
 * what changed and nothing else, what is long or no text is a file, and nothing stays after `close`.
 * Method: the whole service, a page of loopback, and each line in a process of its own.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { filesBelow } from '../../helpers/files/files-below.ts'
import { pngSize } from '../../helpers/files/png.ts'
import { freePorts } from '../../helpers/lib/free-ports.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { startService } from '../../helpers/service/service.ts'

const shop = `<!doctype html><title>Shop</title><h1>Shop</h1>
<label>Name <input id=name></label>
<button onclick="document.body.append('Hello ' + document.getElementById('name').value)">Greet</button>
<button onclick="this.textContent = confirm('Sure?') ? 'Yes' : 'No'">Ask</button>
<label>Colour <select><option>red<option>green</select></label>
<input type=file multiple aria-label=Files>
<a href="/report">Report</a> <a href="/long">Long</a>`

const long = `<title>Long</title>${`<p>One of very many lines of this page${', and on'.repeat(8)}.</p>`.repeat(500)}`

const site = createServer((request, response) => {
  if (request.url === '/report') {
    const name = '../../../.profile; touch x'
    response.setHeader('content-disposition', `attachment; filename="${name}"`)
    response.setHeader('content-type', 'text/csv').end('item,price\n')
    return
  }
  if (request.url === '/bytes') {
    response.setHeader('content-type', 'application/octet-stream').end(Buffer.from([0, 255, 1]))
    return
  }
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(request.url === '/long' ? long : shop)
})
const url = `http://127.0.0.1:${await listenOnLoopback(site)}/`
t.teardown(() => closeServer(site))
const service = await startService({ env: { POOL_HEADLESS: '1', POOL_HEADFUL: '0' } })
t.teardown(() => service.stop())
t.afterEach(() => service.rest('DELETE', '/v1/sessions/all'))

/** A folder of a project, with a home of its own beside it. */
function project(t: Test) {
  const top = mkdtempSync(join(tmpdir(), 'troupe-shell-'))
  t.teardown(() => rmSync(top, { recursive: true, force: true }))
  const [home, folder] = [join(top, 'home'), join(top, 'work')]
  mkdirSync(home)
  mkdirSync(folder)
  const env = { HOME: home, SVC_BASE: service.baseUrl, SVC_API_KEY: service.key }
  const ran = (args: readonly string[], { cwd = folder, input = '', more = {} } = {}) =>
    runTroupe(['browser', ...args], { ...env, ...more }, input, cwd)
  /** The output of a line that succeeds. */
  const out = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await ran(args)
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
    t.equal(stderr, '')
    return stdout
  }
  return { home, folder, ran, out }
}

const sessionIn = (text: string) => /ses_\w+/.exec(text)![0]

t.test('a page is opened, read and acted on, and each act prints what changed alone', async (t) => {
  const { out } = project(t)
  const opened = await out('open', url)
  t.match(opened, /^Opened ses_\w+; to watch: http\S+\nDone\. On Shop \(/)
  t.match(opened, /e\d+ textbox "Name"/)
  t.equal(await out('type', 'textbox "Name"', 'Ada'), '~ e1 textbox "Name" focused: Ada\n')
  const greeted = await out('click', 'e2')
  t.match(greeted, /^\+ Hello Ada$/m)
  t.notMatch(greeted, /Done|http/)
  t.match(await out('select', 'combobox "Colour"', 'green'), /^~ e4 combobox "Colour": green/m)
  t.match(await out('snapshot'), /^Shop \(http\S+\)\n# Shop\n/)
  t.match(await out('find', 'hello'), /Hello Ada/)
  t.equal(await out('eval', 'document.title'), 'Shop\n')
  t.equal(await out('eval', '({ two: [1, 2] })'), '{\n  "two": [\n    1,\n    2\n  ]\n}\n')
  const { changes, session } = JSON.parse(await out('press', 'End', '--json')) as Record<
    string,
    string
  >
  t.same([typeof changes, session], ['string', sessionIn(opened)])
  t.match(await out('status'), new RegExp(`^Session +${session}$`, 'm'))
})

t.test('a dialog, a script from stdin, tabs, and keeping a login', async (t) => {
  const { folder, ran, out } = project(t)
  await out('open', url)
  t.match(await out('click', 'button "Ask"'), /A dialog is open.*Sure\?/)
  t.match((await ran(['click', 'button "Greet"'])).stderr, /^troupe: dialog_open: /)
  t.match(await out('dialog-accept'), /button "Yes"/)
  const code = 'async ({ page, args }) => (await page.title()) + args.mark'
  const args = ['script', '-', '--arguments', '{"mark": "!"}']
  t.match((await ran(args, { input: code })).stdout, /^Value: "Shop!"$/m)
  t.match(await out('tab-new', `${url}long`), /Long|long/)
  const { tabs } = JSON.parse(await out('tabs', '--json')) as {
    tabs: { id: string; url: string }[]
  }
  t.equal(tabs.length, 2)
  await out('tab-close', tabs.find((tab) => tab.url.endsWith('/long'))!.id)
  await out('eval', 'document.cookie = "login=ada"')
  await out('state-save', 'login.json')
  t.match(readFileSync(join(folder, 'login.json'), 'utf8'), /"name": "login"/)
  await out('eval', 'document.cookie = "login=; max-age=0"')
  await out('state-load', 'login.json')
  t.equal(await out('eval', 'document.cookie'), 'login=ada\n')
})

t.test('pictures and long texts are files of the session, or where they are wanted', async (t) => {
  const { home, folder, out } = project(t)
  await out('open', `${url}long`)
  const picture = (await out('screenshot')).trim()
  t.ok(picture.startsWith(home), picture)
  t.ok(pngSize(readFileSync(picture)).width > 0)
  t.equal(await out('screenshot', 'page.png'), 'page.png\n')
  t.match(
    await out('screenshot', 'page.png', '--full-page', '--format', 'jpeg'),
    /\nIt is cut off: /,
  )
  t.equal(await out('pdf', 'page.pdf', '--print-background'), 'page.pdf\n')
  t.match(readFileSync(join(folder, 'page.pdf'), 'latin1'), /^%PDF-/)
  const text = await out('text')
  const [, more, path] = /^… (\d+) more characters; all of it: (.*)$/m.exec(text) ?? []
  t.ok(text.length < 6_000, `${text.length} characters`)
  const whole = readFileSync(path!, 'utf8')
  t.equal(whole.split('of very many').length - 1, 500)
  t.ok(Math.abs(whole.length - text.length - Number(more)) < 300)
  t.same(readdirSync(folder).toSorted(), ['page.pdf', 'page.png'])
  t.match(await out('close'), /^Closed ses_\w+\.$/m)
  t.same(await filesBelow(home), [])
})

t.test('the console and the network, with what was answered', async (t) => {
  const { home, out } = project(t)
  await out('open', url)
  await out('console')
  await out('network', '--bodies')
  await out(
    'eval',
    'console.warn("careful"), fetch("/bytes").then(() => fetch("/long")).then(() => 1)',
  )
  t.match(await out('console'), /^- at: .*, level: warn, text: careful/m)
  const { requests } = JSON.parse(await out('network', '--json')) as {
    requests: { id: string; url: string }[]
  }
  const idOf = (path: string) => requests.find((request) => request.url.endsWith(path))!.id
  const path = (await out('body', idOf('/bytes'))).trim()
  t.ok(path.startsWith(home), path)
  t.same([...readFileSync(path)], [0, 255, 1])
  t.match(
    await out('body', idOf('/long')),
    /^<title>Long<\/title><p>One of very many[^]*; all of it: /,
  )
})

t.test('requests are answered by routes', async (t) => {
  const { out } = project(t)
  await out('open', url)
  t.match(await out('route', '*/cart', '--body', '{"items": []}'), /answer: 200/)
  t.equal(await out('eval', 'fetch("/cart").then((answer) => answer.text())'), '{"items": []}\n')
  t.match(await out('routes'), /url: \*\/cart, answer: 200, requests: 1/)
  await out('route', '*', '--abort', 'internetdisconnected', '--method', 'POST')
  const posted = 'fetch("/cart", { method: "POST" }).then(() => "answered", () => "failed")'
  t.equal(await out('eval', posted), 'failed\n')
  const left = JSON.parse(await out('unroute', '--json')) as { routes: unknown[] }
  t.same(left.routes, [])
})

t.test('files go up by their names, and come down into the folder and nowhere else', async (t) => {
  const { home, folder, out, ran } = project(t)
  await out('open', url)
  writeFileSync(join(folder, 'a.txt'), 'one')
  writeFileSync(join(folder, 'b.txt'), 'two')
  t.match(await out('upload', 'input[type=file]', 'a.txt', 'b.txt'), /a\.txt, b\.txt/)
  const most = 6 * 2 ** 20
  writeFileSync(join(folder, 'ä "long".bin'), Buffer.alloc(most, 7))
  await out('upload', 'input[type=file]', 'a.txt', 'ä "long".bin')
  const held = `Promise.all([...document.querySelector('input[type=file]').files].map(async (one) => [one.name, (await one.bytes()).filter((byte) => byte === 7).length]))`
  t.same(JSON.parse(await out('eval', held, '--json')).value, [
    ['a.txt', 0],
    ['ä _long_.bin', most],
  ])
  writeFileSync(join(folder, 'too-long.bin'), Buffer.alloc(101 * 2 ** 20))
  t.match((await ran(['upload', 'input[type=file]', 'too-long.bin'])).stderr, /at most 104857600/)
  for (const name of ['ä "long".bin', 'too-long.bin']) rmSync(join(folder, name))
  t.match(
    (await ran(['upload', 'input[type=file]', 'none.txt'])).stderr,
    /none\.txt cannot be read/,
  )
  t.match(await out('click', 'link "Report"'), /A download began/)
  const { downloads } = JSON.parse(await out('downloads', '--json')) as {
    downloads: { id: string; suggested_file_name: string }[]
  }
  const saved = (await out('download', downloads[0]!.id)).trim()
  t.notMatch(saved, /\/|^\./)
  t.equal(readFileSync(join(folder, saved), 'utf8'), 'item,price\n')
  const again = (await out('download', downloads[0]!.id)).trim()
  t.not(again, saved, 'it replaces no file')
  t.same(readdirSync(folder).toSorted(), ['a.txt', 'b.txt', saved, again].toSorted())
  t.match(
    (await ran(['download', 'other.csv'])).stderr,
    /there is no download other\.csv; there are: /,
  )
  t.same((await filesBelow(home)).length, 1)
})

t.test('each folder has its own session, and folders below use it', async (t) => {
  const [one, other] = [project(t), project(t)]
  const first = sessionIn(await one.out('open', url))
  const second = sessionIn(await other.out('open', url))
  t.not(first, second)
  mkdirSync(join(one.folder, 'src'))
  const below = await one.ran(['status'], { cwd: join(one.folder, 'src') })
  t.match(below.stdout, first)
  t.match(await other.out('status'), second)
  t.match(await one.out('status', '--session', second), second)
  t.match((await one.ran(['status'], { more: { SVC_SESSION_ID: second } })).stdout, second)
  t.match(await one.out('open'), `${first} is open.`)
  const { code, stderr } = await one.ran(['open', url, '--desktop'])
  t.equal(code, 2)
  t.match(stderr, `${first} is open already`)
})

t.test('two that open at once get one session', async (t) => {
  const { out } = project(t)
  const both = await Promise.all([out('open', url), out('open', url)])
  t.equal(both.filter((text) => text.startsWith('Opened')).length, 1)
  type List = { data: { sessions: readonly { id: string }[] } }
  const { body } = await service.rest<List>('GET', '/v1/sessions?status=running')
  t.same(
    body.data.sessions.map(({ id }) => id),
    [sessionIn(await out('status'))],
  )
})

t.test('a session that has ended is forgotten, and the next open is a new one', async (t) => {
  const { out, ran, home } = project(t)
  const first = sessionIn(await out('open', url))
  await service.rest('DELETE', `/v1/sessions/${first}`)
  const { code, stderr } = await ran(['snapshot'])
  t.equal(code, 1)
  t.match(stderr, /^troupe: session_ended: .* Open another: troupe browser open URL\n$/)
  t.same(await filesBelow(home), [])
  t.match(
    (await ran(['click', 'e1'])).stderr,
    /no browser is open for .*; open one: troupe browser/,
  )
  const second = sessionIn(await out('open', url))
  t.not(second, first)
  await service.rest('DELETE', `/v1/sessions/${second}`)
  t.not(sessionIn(await out('open', url)), second, 'open itself sees it too')
  t.match(await out('close'), /^Closed/)
  t.match(await out('close'), /^No browser is open/)
})

t.test('a service that starts again between two lines is waited for', async (t) => {
  const { ran, out } = project(t)
  const session = sessionIn(await out('open', url))
  const [port] = await freePorts(1)
  const more = { SVC_BASE: `http://127.0.0.1:${port}`, SVC_SESSION_ID: session }
  const typed = ran(['type', 'textbox "Name"', 'Eve'], { more })
  // By then the program has found nobody there, or is about to start, if the machine is busy.
  await delay(1_000)
  const back = createTcpServer((near) => {
    const far = connect(service.port, '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => socket.destroy())
    near.pipe(far).pipe(near)
  })
  back.listen(port, '127.0.0.1')
  t.teardown(() => void back.close())
  const { code, stdout, stderr } = await typed
  t.equal(code, 0, stderr)
  t.match(stdout, /Eve/)
})

t.test('what is wrong is said in one line, with an exit code', async (t) => {
  const { ran, folder } = project(t)
  const errorOf = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const { code, stdout, stderr } = await ran(args, { more })
    t.equal(stdout, '')
    t.match(stderr, /^troupe: [^\n]+\n$/)
    return `${code} ${stderr}`
  }
  t.match(await errorOf(['open', url], { SVC_API_KEY: 'wrong' }), /^1 .*unauthorized: /)
  const away = { SVC_BASE: 'https://browsers.example', SVC_API_KEY: '' }
  t.match(await errorOf(['open', url], away), /^1 .*SVC_API_KEY is not set/)
  t.match(await errorOf(['open'], { SVC_BASE: 'http://127.0.0.1:9' }), /^1 .*No service answers/)
  t.match(await errorOf(['open'], { SVC_BASE: 'nonsense' }), /^1 .*is not a URL/)
  t.match(await errorOf(['clik', 'e1']), /^2 .*did you mean click\?/)
  t.match(await errorOf(['click']), /^2 .*usage: troupe browser click TARGET/)
  t.match(await errorOf(['click', 'e1', '--duble']), /^2 .*--duble/)
  writeFileSync(join(folder, 'body.json'), '[]')
  t.match(await errorOf(['open', '--body', 'body.json']), /^1 .*has no JSON object/)
  writeFileSync(join(folder, 'body.json'), '{"browser": {"colour": "red"}}')
  t.match(await errorOf(['open', '--body', 'body.json']), /^1 .*colour/)
  const { body } = await service.rest<{ data: { total: number } }>(
    'GET',
    '/v1/sessions?status=running',
  )
  t.equal(body.data.total, 0)
})

t.test('a session is set up as its options say', async (t) => {
  const { out, folder } = project(t)
  writeFileSync(
    join(folder, 'body.json'),
    '{"browser": {"locale": "de-DE"}, "session": {"tags": ["x"]}}',
  )
  const opened = await out('open', url, '--device', 'iPhone 15', '--body', 'body.json', '--json')
  t.match((JSON.parse(opened) as { live_view_url: string }).live_view_url, /^http/)
  t.match(await out('eval', 'navigator.userAgent'), /iPhone/)
  t.equal(await out('eval', 'navigator.language'), 'de-DE\n')
})
