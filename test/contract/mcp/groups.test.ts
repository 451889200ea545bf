/**
 * Goal: an MCP client gets web tasks as tools when it asks for them, and pictures and downloads as
 * resources; what a page says is between marks. Method: one service with a scripted model, two client libraries, both transports.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { createServer } from 'node:http'
import t from 'tap'
import { eras, overHttp, overStdio, type McpClient } from '../../helpers/browser/mcp.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { call } from '../../helpers/models/answers.ts'
import { obeying } from '../../helpers/models/obeying.ts'
import { createSession } from '../../helpers/service/service.ts'
import { startTaskService } from '../../helpers/tasks/service.ts'

const page = `<title>Shop</title><p>Tea costs 3 €</p>
  <a download href="/prices.csv">Prices</a> <a download href="/photo.bin">Photo</a>`
const site = createServer(({ url }, response) => {
  if (url === '/') return void response.setHeader('content-type', 'text/html').end(page)
  response.setHeader('content-type', 'application/octet-stream')
  response.end(url === '/prices.csv' ? 'tea,3\n' : Buffer.from([0, 255, 1]))
})
const url = `http://127.0.0.1:${await listenOnLoopback(site)}/`
t.teardown(() => closeServer(site))
const { model, service } = await startTaskService(t)
const { baseUrl, key } = service

const bearer = { authorization: `Bearer ${key}` }
const stdioEnv = { SVC_BASE: baseUrl, SVC_API_KEY: key }
const taskNames = ['task_start', 'task_wait', 'task_answer', 'task_cancel']
const namesOf = async (client: McpClient) => (await client.tools()).map(({ name }) => name)

/** Every library and transport, with and without the group. */
const ways = eras.flatMap((era) => [
  {
    name: `${era} over stdio`,
    open: (tools: string) => overStdio(era, { ...stdioEnv, SVC_TOOLS: tools }),
  },
  {
    name: `${era} over HTTP`,
    open: (tools: string) => overHttp(era, baseUrl, bearer, `/mcp?tools=${tools}`),
  },
])

async function during<T>(opening: Promise<McpClient>, work: (client: McpClient) => Promise<T>) {
  const client = await opening
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

t.test('tools of tasks are there for those who ask, and for nobody else', async (t) => {
  for (const { name, open } of ways) {
    const plain = await during(open(''), namesOf)
    const more = await during(open('tasks'), namesOf)
    t.same(
      more.filter((each) => !plain.includes(each)),
      taskNames,
      name,
    )
    t.same(
      plain.filter((each) => !more.includes(each)),
      [],
      name,
    )
  }
})

t.test('what a page says is between marks, unless a client wants none', async (t) => {
  const answers = async (path: string, env: Readonly<Record<string, string>>) => {
    const overPipe = await overStdio('legacy', { ...stdioEnv, ...env })
    t.teardown(() => overPipe.close())
    const overSocket = await overHttp('legacy', baseUrl, bearer, path)
    t.teardown(() => overSocket.close())
    return Promise.all([overPipe, overSocket].map((client) => client.call('tab_list')))
  }
  for (const { text } of await answers('/mcp', {}))
    t.match(text, /<<<page-(\w{4})\ntabs:\n[^]*\npage-\1>>>/)
  const without = await answers('/mcp?page_marks=false', { SVC_PAGE_MARKS: '0' })
  for (const { text } of without) t.match(text, /^(Session .*\n\n)?tabs:\n/)
})

t.test('the group of permissions grants what a page asks for', async (t) => {
  await during(ways[0]!.open('permissions,scripts'), async (client) => {
    await client.call('browser_navigate', { url })
    const asked = async () => {
      const code = '({ page }) => page.evaluate(() => Notification.requestPermission())'
      return (await client.call('run_script', { code })).structured['value']
    }
    t.equal(await asked(), 'denied')
    const { text, structured } = await client.call('handle_permission', {
      permission: 'notifications',
    })
    t.match(text, /setting: granted/)
    t.match(structured, { origin: url.slice(0, -1), note: /ask again/ })
    t.equal(await asked(), 'granted')
    const wrong = await client.call('handle_permission', { permission: 'everything' })
    t.match([wrong.isError, wrong.text], [true, /bad_request: .*permission/])
  })
})

t.test('the group of routes answers requests of pages', async (t) => {
  for (const { name, open } of [ways[0]!, ways.at(-1)!]) {
    await during(open('routes'), async (client) => {
      const { text } = await client.call('route', {
        ...{ url: '*/prices*', body: '<h1>No prices</h1>', content_type: 'text/html', abort: null },
      })
      t.match(text, /answer: 200/, name)
      const page = await client.call('browser_navigate', { url: `${url}prices` })
      t.match(page.text, /No prices/, name)
      t.match((await client.call('unroute', {})).structured, { routes: [] }, name)
      const wrong = await client.call('route', { url: '*', abort: 'failed', status: 500 })
      t.match([wrong.isError, wrong.text], [true, /abort cannot be combined/], name)
    })
  }
})

t.test('the group of scripts runs a script, in the session of the other tools', async (t) => {
  for (const { name, open } of ways) {
    await during(open('scripts,tasks'), async (client) => {
      const names = await namesOf(client)
      t.ok(
        ['run_script', ...taskNames].every((each) => names.includes(each)),
        name,
      )
      const code = 'async ({ log }) => { log("adding"); return 2 + 3 }'
      const sum = await client.call('run_script', { code })
      t.notOk(sum.isError, `${name}: ${sum.text}`)
      t.match(sum.structured, { value: 5, logs: [/adding/] })
    })
  }
})

t.test('a group that there is not: refused over HTTP, told by the program', async (t) => {
  const post = await fetch(`${baseUrl}/mcp?tools=tasks,magic`, {
    method: 'POST',
    headers: {
      ...bearer,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  t.equal(post.status, 400)
  t.match(await post.json(), {
    error: { message: /no tool group magic\. Available groups: .*tasks/ },
  })
  const names = await during(overStdio('modern', { ...stdioEnv, SVC_TOOLS: 'magic' }), namesOf)
  t.ok(names.includes('snapshot'), 'it starts all the same')
})

t.test('the group costs little', async (t) => {
  const tools = await during(overHttp('modern', baseUrl, bearer, '/mcp?tools=tasks'), (client) =>
    client.tools(),
  )
  const tokens = countTokens(JSON.stringify(tools.filter(({ name }) => taskNames.includes(name))))
  t.ok(tokens <= 900, `${tokens} tokens`)
})

const order = { prompt: 'What does tea cost?', url, allow_private_network: true }
const look = call('find', { text: 'Tea', note: 'Where is the price?' })
const done = call('done', { success: true, answer: 'Tea costs 3 €' })

t.test('a task is started, awaited and read with tools alone', async (t) => {
  for (const { name, open } of ways) {
    model.answerWith(obeying(look, done))
    await during(open('tasks'), async (client) => {
      const started = await client.call('task_start', order)
      t.notOk(started.isError, `${name}: ${started.text}`)
      const task = String(started.structured['task'])
      const ended = await until('it is over', async () => {
        const seen = await client.call('task_wait', { task })
        return seen.structured['status'] !== 'RUNNING' && seen
      })
      t.match(
        ended.text,
        /^COMPLETED.*\n1\. .*Where is the price\?[^]*Result: .*Tea costs 3 €/,
        name,
      )
      t.match(ended.structured, { task, status: 'COMPLETED', session: /^ses_/, steps: [{ n: 1 }] })
      const later = await client.call('task_wait', { task, since: 1 })
      t.notMatch(later.text, /Where is the price/)
    })
  }
})

t.test('a task asks, is answered, and another is cancelled; errors are told', async (t) => {
  const asks = { ...order, human_intervention: true }
  const ask = call('ask_human', { question: 'Which tea?' })
  await during(overHttp('modern', baseUrl, bearer, '/mcp?tools=tasks'), async (client) => {
    const begin = async () => String((await client.call('task_start', asks)).structured['task'])
    const wait = (task: string) =>
      until('it asks or is over', async () => {
        const seen = await client.call('task_wait', { task })
        const { status, question } = seen.structured
        return (status !== 'RUNNING' || question !== undefined) && seen
      })
    model.answerWith(obeying(ask, done))
    const asking = await begin()
    t.match((await wait(asking)).text, /question; answer with task_answer\): Which tea\?/)
    t.match((await client.call('task_answer', { task: asking, text: 'Green' })).structured, {
      task: asking,
    })
    t.match((await wait(asking)).structured, { status: 'COMPLETED' })
    model.answerWith(obeying(ask))
    const other = await begin()
    t.match((await client.call('task_cancel', { task: other })).structured, { status: 'CANCELLED' })
    const never = await client.call('task_wait', { task: 'tsk_00000000000000000000000000' })
    t.ok(never.isError)
    t.match(never.text, /^not_found: /)
  })
})

t.test('pictures and finished downloads of sessions are resources', async (t) => {
  const { id } = await createSession(service.rest)
  const path = `/v1/sessions/${id}`
  await service.rest('POST', `${path}/goto`, { url })
  for (const link of ['Prices', 'Photo']) {
    await service.rest('POST', `${path}/commands/click`, { target: `link "${link}"` })
  }
  for (const { name, open } of ways) {
    await during(open(''), async (client) => {
      const files = await until('both are there', async () => {
        const all = (await client.resources()).filter(({ uri }) => uri.includes(id))
        return all.length === 3 && all
      })
      const uriOf = (file: string) => files.find((one) => one.name === file)?.uri ?? file
      t.match(files, [{ uri: `troupe://sessions/${id}/screenshot`, mimeType: 'image/webp' }], name)
      const csv = await client.read(uriOf('prices.csv'))
      t.match(csv, { mimeType: 'text/csv', text: 'tea,3\n' }, name)
      const photo = await client.read(uriOf('photo.bin'))
      t.match(photo, { mimeType: 'application/octet-stream', blob: 'AP8B' }, name)
      const picture = await client.read(`troupe://sessions/${id}/screenshot`)
      t.equal(Buffer.from(picture.blob!, 'base64').subarray(8, 12).toString(), 'WEBP', name)
      t.same(
        (await client.templates()).map(({ uriTemplate }) => uriTemplate),
        ['troupe://sessions/{session}/screenshot', 'troupe://sessions/{session}/downloads/{file}'],
      )
      const unknown = [
        `troupe://sessions/${id}/downloads/fil_0`,
        'troupe://sessions/ses_0/screenshot',
      ]
      for (const uri of [...unknown, 'file:///etc/passwd']) {
        await t.rejects(client.read(uri), { message: /not_found: / }, uri)
      }
    })
  }
})
