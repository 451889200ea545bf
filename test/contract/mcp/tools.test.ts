/**
 * Goal: any MCP client can use the browser as tools, over both transports and in both eras of the
 * protocol, and the browser outlives the client. Method: one service, two independent client
 * libraries, the real `troupe-mcp`.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import {
  eras,
  overHttp,
  overStdio,
  troupeMcp,
  type McpClient,
  type ToolAnswer,
} from '../../helpers/browser/mcp.ts'
import { createSession, startService, type SessionAnswer } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { member, serveLoginSite } from '../../helpers/sites/login-site.ts'

const service = await startService()
t.teardown(() => service.stop())
const site = await serveWebPage(`<title>Form</title>
  <label>Name <input id=who autofocus></label>
  <button onclick="document.querySelector('output').textContent = 'Hello ' + who.value">Greet</button>
  <button onclick="document.querySelector('output').textContent = confirm('Sure?')">Ask</button>
  <output></output>
  <select id=pet><option>Cat<option>Dog</select>
  <input type=file id=file>`)
t.teardown(() => site.close())
const { baseUrl, key, rest } = service
const logins = await serveLoginSite()
t.teardown(() => logins.close())
await rest('POST', '/v1/logins', { origin: logins.origin, ...member })

const stdioEnv = { SVC_BASE: baseUrl, SVC_API_KEY: key }
const bearer = { authorization: `Bearer ${key}` }

const statusOf = async (id: string) =>
  (await rest('GET', `/v1/sessions/${id}`)).body.data.status as string
const end = (id: string) => rest('DELETE', `/v1/sessions/${id}`)
const isOver = async (id: string) => (await statusOf(id)) === 'completed'

/** The tools that the requirements name, by their exact names. */
const named = [
  ...['browser_navigate', 'snapshot', 'click', 'type', 'screenshot', 'hover', 'select_option'],
  ...['wait_for', 'tab_list', 'tab_new', 'tab_select', 'tab_close'],
]

/** Every combination of library and transport. */
const ways = eras.flatMap((era) => [
  { name: `${era} over stdio`, open: () => overStdio(era, stdioEnv) },
  { name: `${era} over HTTP`, open: () => overHttp(era, baseUrl, bearer) },
])

/** For tests in which it does not matter who opened the session, and each begins with its own page. */
const { id: common } = await createSession(rest)

async function during<T>(opening: Promise<McpClient>, work: (client: McpClient) => Promise<T>) {
  const client = await opening
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

t.test('every client and transport gets the same tools, texts and browser', async (t) => {
  const lists: unknown[] = []
  for (const { name, open } of ways) {
    await during(open(), async (client) => {
      t.equal(client.protocol, name.startsWith('legacy') ? '2025-11-25' : '2026-07-28', name)
      t.match(client.instructions, /snapshot/, name)
      lists.push(await client.tools())
      const { structured, image } = await client.call('screenshot', { session: common })
      t.equal(structured['session'], common, name)
      const bytes = Buffer.from(image?.data ?? '', 'base64')
      t.equal(bytes.subarray(8, 12).toString(), 'WEBP', name)
    })
  }
  for (const list of lists.slice(1)) t.same(list, lists[0])
})

t.test('a task is done with tools alone: look, act, read what changed', async (t) => {
  for (const { name, open } of ways) {
    await during(open(), async (client) => {
      const call = async (tool: string, input: object) => {
        const answer = await client.call(tool, { session: common, ...input })
        t.notOk(answer.isError, `${name}: ${tool} ${answer.text}`)
        t.equal(answer.structured['session'], common)
        return answer.text
      }
      t.match(await call('browser_navigate', { url: site.url }), /button "Greet"/)
      const page = await call('snapshot', {})
      const ref = (thing: RegExp) => new RegExp(`(e\\d+) ${thing.source}`).exec(page)?.[1]
      t.match(await call('type', { target: ref(/textbox "Name"/), text: 'Ada' }), /Ada/)
      t.match(await call('click', { target: ref(/button "Greet"/) }), /\+.*Hello Ada/)
      t.match(
        await call('click', { target: 'button "Ask"' }),
        /dialog: confirm: Sure\?[^]*handle_dialog/,
      )
      t.match(await call('handle_dialog', { accept: true }), /true/)
    })
  }
})

t.test('every tool answers by its schema, which both libraries check', async (t) => {
  for (const era of eras) {
    await during(overHttp(era, baseUrl, bearer), async (client) => {
      const untried = new Set((await client.tools()).map(({ name }) => name))
      const { session, cdp_url } = (await client.call('session_create')).structured
      t.equal(new URL(String(cdp_url)).host, new URL(baseUrl).host, 'by the name the client used')
      const call = async (name: string, input: object = {}) => {
        untried.delete(name)
        const answer = await client.call(name, name === 'session_list' ? {} : { session, ...input })
        t.notOk(answer.isError, `${era}: ${name} ${answer.text}`)
        return answer.structured
      }
      await call('browser_navigate', { url: site.url })
      await call('snapshot', { target: 'select', urls: true })
      t.match(await call('find', { text: 'Greet' }), { text: /button "Greet"/ })
      await call('screenshot', { full_page: true })
      await call('click', { target: '#who', double: true })
      // As some clients send it.
      await call('type', { target: '#who', text: 'Ada', append: 'true', submit: null })
      await call('press_key', { key: 'Control+a' })
      await call('hover', { x: 1, y: 1 })
      await call('select_option', { target: '#pet', values: ['Dog'] })
      await call('drag', { from: '#pet', to: '#who' })
      await call('drag', { from: '#pet', from_offset: [2, 2], by: { dx: 9, dy: 0 } })
      await call('select_text', { from: 'Greet', to: 'Ask' })
      await call('scroll', { pages: 1 })
      await call('upload', { target: '#file', name: 'a.txt', content: 'A' })
      await call('wait_for', { selector: '#pet', text: 'Dog' })
      await call('os_click', { x: 1, y: 1 })
      await call('os_type', { text: 'A' })
      await call('os_shortcut', { keys: ['Shift', 'Tab'] })
      const asked = await call('click', { target: 'button "Ask"' })
      t.match(asked['dialog'], 'Sure?')
      await call('handle_dialog', { accept: false })
      const { id } = await call('tab_new', { url: site.url })
      const { tabs } = await call('tab_list')
      const [first] = tabs as { id: string }[]
      await call('tab_select', { tab: first!.id })
      await call('tab_close', { tab: id })
      await call('browser_navigate', { url: `${logins.origin}/` })
      t.match(await call('fill_login'), { filled: ['username', 'password'] })
      await call('session_list')
      await call('session_end')
      t.same([...untried], ['session_create'], 'and all were tried')
    })
  }
})

t.test('a wait reports progress, and another client can end it', async (t) => {
  await during(overHttp('modern', baseUrl, bearer), async (other) => {
    for (const { name, open } of ways) {
      await during(open(), async (client) => {
        await client.call('browser_navigate', { session: common, url: site.url })
        const greet = () => other.call('click', { session: common, target: 'button "Greet"' })
        let greeted: Promise<ToolAnswer> | undefined
        const wait = { session: common, text: 'Hello' }
        const waited = await client.call('wait_for', wait, (seconds) => {
          t.ok(seconds > 0, `${name}: ${seconds} s`)
          greeted ??= greet()
        })
        t.same([waited.isError, (await greeted)?.isError], [false, false], name)
      })
    }
  })
})

t.test('pictures are small enough for a model, of the page or of one element', async (t) => {
  await during(overStdio('modern', stdioEnv), async (client) => {
    const shoot = (more: object) => client.call('screenshot', { session: common, ...more })
    await client.call('browser_navigate', { session: common, url: site.url })
    const whole = await shoot({})
    const one = await shoot({ target: '#who' })
    t.same([whole.image?.mimeType, one.image?.mimeType], ['image/webp', 'image/webp'])
    t.ok(one.image!.data.length < whole.image!.data.length)
    t.match(whole.structured, { type: 'image/webp', left: 0, top: 0, scale: 1 })
    const desktop = await shoot({ source: 'desktop' })
    t.match(desktop.text, /^bad_request: A headless session has no desktop/)
  })
})

t.test('each tool is described in full, and all of them together briefly', async (t) => {
  const tools = await during(overHttp('modern', baseUrl, bearer), (client) => client.tools())
  for (const { name, title, description, annotations, outputSchema } of tools) {
    t.ok(title && description, name)
    t.match(annotations, { readOnlyHint: Boolean }, name)
    t.match(outputSchema, { type: 'object' }, name)
  }
  const names = tools.map(({ name }) => name)
  t.same(
    named.filter((name) => !names.includes(name)),
    [],
  )
  const tokens = countTokens(JSON.stringify({ tools }))
  t.ok(tokens <= 3_700, `${tools.length} tools in ${tokens} tokens`)
})

t.test('a process has its own session from its first call, which ends with it', async (t) => {
  const client = await overStdio('legacy', stdioEnv)
  await client.tools()
  const first = await client.call('screenshot')
  const second = await client.call('screenshot')
  const id = String(first.structured['session'])
  t.match(first.text, `Session ${id} was opened.`)
  t.equal(second.structured['session'], id)
  t.notMatch(second.text, id)
  await client.close()
  await until('the session has ended', () => isOver(id))
})

t.test('a session is kept when configured, and a given one is never ended', async (t) => {
  const open = (env: object) => overStdio('modern', { ...stdioEnv, ...env })
  const id = await during(open({ SVC_KEEP_SESSION: '1' }), async (client) =>
    String((await client.call('screenshot')).structured['session']),
  )
  await during(open({ SVC_SESSION_ID: id }), async (client) => {
    t.equal((await client.call('screenshot')).structured['session'], id)
  })
  t.equal(await statusOf(id), 'running')
  await end(id)
})

t.test('a killed client loses nothing: the next one continues in its session', async (t) => {
  const killed = await overStdio('modern', stdioEnv)
  const { structured } = await killed.call('screenshot')
  const id = String(structured['session'])
  process.kill(killed.pid, 'SIGKILL')
  await killed.close()
  await during(overHttp('legacy', baseUrl, bearer), async (client) => {
    const { text } = await client.call('session_list')
    t.match(text, id)
    t.equal((await client.call('screenshot', { session: id })).structured['session'], id)
    t.notOk((await client.call('session_end', { session: id })).isError)
  })
  await until('the session has ended', () => isOver(id))
})

t.test('over HTTP, clients without an MCP session share one with their key', async (t) => {
  const ids: unknown[] = []
  for (const header of [{ 'service-api-key': key }, bearer]) {
    await during(overHttp('modern', baseUrl, header), async (client) => {
      const { structured, text } = await client.call('screenshot')
      ids.push(structured['session'])
      t.match(text, /shared by all clients with your key/, 'each answer says so')
    })
  }
  t.equal(ids[0], ids[1])
  const gateway = service.pidOf('gateway')
  process.kill(gateway, 'SIGKILL')
  await until('another gateway answers', async () => {
    const again = await rest('GET', '/health/ready').catch(() => undefined)
    return again?.status === 200 && service.pidOf('gateway') !== gateway
  })
  await during(overHttp('modern', baseUrl, bearer), async (client) => {
    const { structured } = await client.call('screenshot')
    t.equal(structured['session'], ids[0], 'also through a gateway that has just started')
  })
  await end(String(ids[0]))
})

t.test('playwright works beside it in one session', async (t) => {
  await during(overStdio('modern', stdioEnv), async (client) => {
    const { structured } = await client.call('session_create', { url: site.url })
    const session = String(structured['session'])
    const browser = await connectPlaywright(String(structured['cdp_url']))
    const page = browser.contexts()[0]!.pages()[0]!
    await page.waitForSelector('#who:focus')
    t.notOk((await client.call('os_type', { session, text: 'Ada' })).isError)
    t.equal(await page.inputValue('#who'), 'Ada')
    await browser.close()
    await client.call('session_end', { session })
  })
})

t.test('an ended session of its own is replaced, a given one is reported', async (t) => {
  await during(overStdio('modern', stdioEnv), async (client) => {
    const call = (name: string, input?: object) => client.call(name, input)
    const idOf = async () => String((await call('screenshot')).structured['session'])
    const first = await idOf()
    await end(first)
    const looked = await call('screenshot')
    const second = String(looked.structured['session'])
    t.not(second, first)
    t.match(looked.text, `Session ${first} has ended`)
    t.match(looked.text, second)

    await end(second)
    const typed = await call('os_type', { text: 'lost' })
    t.ok(typed.isError, 'what makes no sense on an empty page is not done there')
    t.match(typed.text, /^session_ended: .* replaces it/)
    t.notOk((await call('screenshot')).isError)

    const named = await call('screenshot', { session: first })
    t.ok(named.isError)
    t.match(named.text, /^session_ended: /)
  })
  const given = await createSession(rest)
  await end(given.id)
  await during(overStdio('legacy', { ...stdioEnv, SVC_SESSION_ID: given.id }), async (client) => {
    t.match((await client.call('screenshot')).text, /^session_ended: /)
  })
})

t.test('the model is told what is wrong with a call', async (t) => {
  await during(overHttp('legacy', baseUrl, bearer), async (client) => {
    const wrong = async (name: string, input: object, text: RegExp) => {
      const answer = await client.call(name, input)
      t.ok(answer.isError, String(text))
      t.match(answer.text, text)
    }
    await wrong('os_click', { x: 1 }, /^bad_request: os_click requires y/)
    await wrong('os_click', { x: 1, y: 1, buton: 'left' }, /has no parameter buton.*button/)
    await wrong('os_click', { x: 'here', y: 1 }, /^bad_request: x must be/)
    await wrong('screenshot', { session: ['ses_1'] }, /^bad_request: session must be/)
    await wrong('screenshot', { session: 'ses_unknown' }, /^not_found: /)
    await wrong('screenshot', { session: '../../health' }, /^not_found: /)
    await t.rejects(client.call('teleport'), { message: /no tool teleport/ })
  })
})

t.test('without a service or a key it still starts, and says what to set', async (t) => {
  const cases = [
    { env: { SVC_BASE: 'http://127.0.0.1:1' }, says: /^unavailable: .*SVC_BASE/ },
    { env: { SVC_BASE: 'nowhere' }, says: /^bad_request: SVC_BASE=nowhere/ },
    { env: { SVC_BASE: 'https://192.0.2.1' }, says: /^unauthorized: SVC_API_KEY is not set/ },
    { env: { ...stdioEnv, SVC_API_KEY: 'trp_wrong' }, says: /^unauthorized: .*Set SVC_API_KEY/ },
  ]
  for (const { env, says } of cases) {
    await during(overStdio('legacy', env), async (client) => {
      t.ok((await client.tools()).length > 0)
      const answer = await client.call('session_list')
      t.ok(answer.isError)
      t.match(answer.text, says)
    })
  }
  await during(overStdio('legacy', { SVC_BASE: baseUrl }), async (client) => {
    t.notOk((await client.call('session_list')).isError, 'the development key needs no setting')
  })
})

t.test('over HTTP a key is needed, and foreign origins are refused', async (t) => {
  const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const post = (headers: object) =>
    fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(listTools),
    })
  /** Sends a header that the libraries do not send. */
  const statusWith = async (line: string) => {
    const body = JSON.stringify(listTools)
    const socket = connect(service.port, '127.0.0.1')
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\nservice-api-key: ${key}\r\n${line}\r\n` +
        'accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n' +
        `connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    const [answer] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    return Number(String(answer).split(' ')[1])
  }
  const told = async (headers: object) => {
    const answer = await post(headers)
    const { error } = (await answer.json()) as Pick<SessionAnswer, 'error'>
    return [answer.status, error.type]
  }
  t.equal((await post(bearer)).status, 200)
  t.same(await told({}), [401, 'unauthorized'])
  t.same(await told({ authorization: 'Bearer wrong' }), [401, 'unauthorized'])
  t.same(await told({ ...bearer, origin: 'https://evil.example' }), [403, 'origin_not_allowed'])
  t.equal(await statusWith('x-odd: ✓'), 200, 'what does not concern it may be anything')
  t.equal(
    await statusWith('mcp-protocol-version: ✓'),
    400,
    'and a version that is none is not ours',
  )
  const answer = await fetch(`${baseUrl}/mcp`, { headers: bearer })
  t.same([answer.status, answer.headers.get('allow')], [405, 'DELETE, POST, OPTIONS'])
})

t.test('the program prints its usage', async (t) => {
  const run = (...args: string[]) => spawnSync(process.execPath, [troupeMcp, ...args])
  t.match(String(run('--help').stdout), /SVC_BASE[^]*SVC_API_KEY[^]*SVC_SESSION_ID/)
  t.match(String(run('--version').stdout), /^\d+\.\d+\.\d+\n$/)
  const { status, stderr } = run('--port', '1')
  t.same([status, /--help/.test(String(stderr))], [2, true])
})
