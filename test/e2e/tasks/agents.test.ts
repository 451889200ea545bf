// Goal: a command-line agent drives a real browser through a task, step by step like a model; it
// can be cancelled, and another one continues after its host was killed. Method: the whole service,
// a scripted agent as its operator would configure it, a page on loopback.
import { existsSync } from 'node:fs'
import t from 'tap'
import type { StepRecord, TaskQuestion } from '../../../proto/task/task.ts'
import { Scripted } from '../../helpers/agents/agent-script.ts'
import type { ToolAnswer } from '../../helpers/browser/mcp.ts'
import { isRunning } from '../../helpers/lib/processes.ts'
import { headless, startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'

const page = await serveWebPage(`<title>Greeter</title><h1>Greeter</h1>
  <label>Name <input id=who></label>
  <button onclick="said.textContent = 'Hello ' + who.value; greeted++">Greet</button>
  <output id=said></output><script>greeted = 0</script>`)

const type = (text: string) => ({
  call: 'type',
  input: { target: 'textbox "Name"', text, note: 'The name goes first.' },
})
const greet = { call: 'click', input: { target: 'button "Greet"' } }
const done = { call: 'done', input: { success: true, answer: 'Greeted.' } }

const agents = {
  solver: new Scripted({
    turns: [
      [
        { think: 'A form with a name.' },
        type('<secret>name</secret>'),
        { say: 'Now the button.' },
        { usage: { used: 5_000, usd: 0.02 } },
        greet,
        { call: 'snapshot' },
        { call: 'evaluate', input: { expression: 'greeted' } },
        done,
      ],
    ],
  }),
  asker: new Scripted({
    turns: [
      [{ call: 'ask_human', input: { question: 'Whom shall I greet?' } }, { ask: 'Sure?' }, done],
    ],
  }),
  deaf: new Scripted({ hasChild: true, turns: [[greet, { hang: true }]] }),
  heir: new Scripted({ hasChild: true, turns: [[greet, { hang: true }]], turnsOfHeirs: [[done]] }),
  quitter: new Scripted({ complaint: 'Error: no more credits', turns: [[{ die: 1 }]] }),
}

const service = await startService({
  env: {
    ACP_AGENTS: [...Object.keys(agents), 'codex'].join(','),
    ACP_COMMANDS: JSON.stringify({
      ...Object.fromEntries(Object.entries(agents).map(([name, each]) => [name, each.command])),
      codex: { command: 'codex-that-is-not-here' },
    }),
    SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
  },
})
t.teardown(async () => {
  await service.stop()
  await page.close()
  for (const each of Object.values(agents)) each.forget()
})

const path = '/v1/tools/perform-web-task'

interface Task {
  readonly data: {
    readonly id: string
    readonly status: string
    readonly steps: number
    readonly result?: object
    readonly reason?: string
    readonly error?: string
    readonly usage: { readonly cost_usd?: number }
    readonly question?: TaskQuestion
  }
  readonly error?: { readonly message: string }
}

const order = async (provider: string, more: object = {}) => {
  const { body } = await service.rest<Task>('POST', path, {
    prompt: 'Greet somebody.',
    url: page.url,
    provider: `acp:${provider}`,
    session_options: headless,
    allow_private_network: true,
    async: true,
    ...more,
  })
  if (body.error) throw new Error(body.error.message)
  return body.data.id
}
const taskOf = async (id: string) => (await service.rest<Task>('GET', `${path}/${id}`)).body.data
const ended = (id: string) =>
  until(
    'the task has ended',
    async () => {
      const task = await taskOf(id)
      return task.status !== 'RUNNING' && task
    },
    60_000,
  )
const stepsOf = async (id: string) => {
  const { body } = await service.rest<{ data: { steps: StepRecord[] } }>(
    'GET',
    `${path}/${id}/steps`,
  )
  return body.data.steps
}

t.test('its calls are the steps of the task, and secrets are masked for it', async (t) => {
  const secret = 'Ada-of-the-Engines'
  const id = await order('solver', { secret_values: { name: secret } })
  t.match(await ended(id), { status: 'COMPLETED', result: { success: true, result: 'Greeted.' } })
  const steps = await stepsOf(id)
  t.match(steps, [
    {
      n: 1,
      reason: /The name goes first\./,
      actions: [{ tool: 'type', outcome: 'done', input: { text: '<secret>name</secret>' } }],
      page: { title: 'Greeter' },
    },
    { n: 2, reason: /Now the button\./, actions: [{ tool: 'click', outcome: 'done' }] },
  ])
  t.match(steps.at(-1)?.provider, 'acp:solver')
  const listed = agents.solver.all<{ name: string }[]>('tools')[0]!.map(({ name }) => name)
  for (const name of ['browser_navigate', 'click', 'mouse_click', 'snapshot', 'done']) {
    t.ok(listed.includes(name), name)
  }
  for (const name of ['evaluate', 'session_create', 'ask_human']) t.notOk(listed.includes(name))
  const task = await taskOf(id)
  t.equal(task.usage.cost_usd, 0.02)
  const answers = agents.solver.all<ToolAnswer>('answer').map(({ text }) => text)
  t.match(answers[1], /Hello <secret>name<\/secret>/, 'what the page made of it')
  t.match(answers[2], /# Page[\s\S]*Greeter/, 'the page, when it looks')
  t.match(answers[3], /evaluate/, 'what is no tool of a task is refused')
  t.notMatch(JSON.stringify([steps, agents.solver.all('answer')]), secret)
  const [started] = agents.solver.all<{ env: object; pid: number }>('started')
  t.notMatch(JSON.stringify(started!.env), /NATS|SEAL_KEY/)
  await until('the agent is gone', () => !isRunning(started!.pid), 10_000)
})

t.test('a person answers it, by the ask tool and by its own permission request', async (t) => {
  const id = await order('asker', { human_intervention: true })
  for (const [text, answer] of [
    ['Whom shall I greet?', 'The Queen.'],
    ['Sure?', 'Quite.'],
  ] as const) {
    const { question } = await until(
      'it is asked',
      async () => {
        const task = await taskOf(id)
        return task.question?.text === text && task
      },
      60_000,
    )
    const given = { question_id: question!.id, text: answer }
    t.equal((await service.rest('POST', `${path}/${id}/answer`, given)).status, 200)
  }
  t.match(await ended(id), { status: 'COMPLETED' })
  t.match(agents.asker.all<ToolAnswer>('answer')[0]!.text, /The Queen\./)
  t.match(agents.asker.all('elicited'), [{ action: 'accept', content: { answer: /Quite\./ } }])
})

t.test('a cancel ends an unresponsive agent with all that it started', async (t) => {
  const id = await order('deaf')
  await agents.deaf.first('answer')
  const { pid } = await agents.deaf.first<{ pid: number }>('started')
  const child = await agents.deaf.first<number>('child')
  const startedMs = performance.now()
  await service.rest('POST', `${path}/${id}/cancel`)
  t.match(await ended(id), { status: 'CANCELLED' })
  t.ok(performance.now() - startedMs < 2_000, 'the task does not wait for it')
  await until('it is gone', () => !isRunning(pid) && !isRunning(child), 10_000)
})

t.test('kill -9 of its host leaves nothing of it, and another agent continues', async (t) => {
  const id = await order('heir')
  await agents.heir.first('answer')
  const { pid, cwd } = await agents.heir.first<{ pid: number; cwd: string }>('started')
  const child = await agents.heir.first<number>('child')
  process.kill(service.pidOf('actors'), 'SIGKILL')
  await until('it is gone', () => !isRunning(pid) && !isRunning(child), 10_000)
  t.match(await ended(id), { status: 'COMPLETED' })
  const [, whole] = agents.heir.all<{ text: string }[]>('prompt')
  t.match(whole![0]!.text, /# So far[\s\S]*click[\s\S]*→ done/, 'it is told what was done')
  const steps = await stepsOf(id)
  t.equal(steps.flatMap(({ actions }) => actions).filter(({ tool }) => tool === 'click').length, 1)
  await until('its folder is gone', () => !existsSync(cwd), 10_000)
})

t.test('the reason why an agent cannot work is the reason of the task', async (t) => {
  const reasons = {
    quitter: /no more credits/,
    codex: /codex-that-is-not-here was not found/,
  }
  for (const [name, reason] of Object.entries(reasons)) {
    const task = await ended(await order(name))
    t.match(task, { status: 'FAILED', reason: 'agent_failed' }, name)
    t.match(task.error, reason)
  }
  await t.rejects(order('gemini'), /provider must be one of/, 'nobody has allowed that one')
})
