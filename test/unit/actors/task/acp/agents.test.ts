/**
 * Goal: a command-line agent is used like any model, gets the tools of its task and no more, and
 * leaves nothing behind. Method: a scripted ACP agent as a real process, a real gateway for its MCP
 * client; the task that asks it is played.
 */
import { existsSync } from 'node:fs'
import t from 'tap'
import { AcpAgents } from '../../../../../actors/task/acp/agents.ts'
import { mcpAccessFor } from '../../../../../actors/task/acp/mcp-access.ts'
import { agentSpecs } from '../../../../../actors/task/acp/registry.ts'
import { AgentSession } from '../../../../../actors/task/acp/session/agent-session.ts'
import type { ModelRequest } from '../../../../../actors/task/models/model.ts'
import type { HostRecord } from '../../../../../proto/host.ts'
import { newId } from '../../../../../proto/ids.ts'
import { taskToken } from '../../../../../proto/task/task-token.ts'
import { systemClock, type Clock } from '../../../../../runtime/lib/clock.ts'
import { secret } from '../../../../helpers/gateway/gateway.ts'
import { overHttp, type ToolAnswer } from '../../../../helpers/browser/mcp.ts'
import { isRunning } from '../../../../helpers/lib/processes.ts'
import {
  agentDeps,
  closeGateway,
  failure,
  gateway,
  newTask,
  startTestSession,
} from '../../../../helpers/agents/agent-session.ts'
import { until } from '../../../../helpers/lib/until.ts'
import { taskRunLimits } from '../../../../../actors/task/limits.ts'

t.setTimeout(240_000)

t.teardown(closeGateway)
const { url } = gateway

const click = {
  name: 'click',
  description: 'Click.',
  parameters: { type: 'object', properties: { target: { type: 'string' } } },
}
const ask = { name: 'ask_human', description: 'Ask.', parameters: { type: 'object' } }

/** Waits less for the agent to ask for its tools than a slow agent may need. */
const hurried: Clock = {
  ...systemClock,
  timer: (ms, ring) => systemClock.timer(ms === taskRunLimits.agentToolsMs ? 500 : ms, ring),
}

const request = (question: string, news = '', more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'Rules.',
  user: [{ type: 'text', text: '# Goal\nClick it.' }],
  tools: [click],
  outputTokensMax: 1_000,
  question,
  news,
  page: `page at ${question}`,
  ...more,
})

t.test('its calls are answers, and their results come with the next question', async (t) => {
  const { agent, ask } = await startTestSession(t, {
    turns: [
      [
        { think: 'A button ' },
        { think: 'is there.' },
        { say: 'I click it.' },
        { usage: { used: 1_000, usd: 0.5 } },
        { call: 'click', input: { target: 'e1' } },
        { usage: { used: 1_200, usd: 0.75 } },
        { call: 'snapshot' },
        { call: 'done', input: { success: true, answer: 'Clicked.' } },
      ],
    ],
  })
  const first = await ask(request('q1'))
  t.equal(first.text, 'A button is there.\nI click it.')
  t.match(first.calls, [{ name: 'click', arguments: '{"target":"e1"}' }])
  t.match(first.usage, { inputTokens: 1_000, costUsd: 0.5, estimated: true })
  const again = await ask(request('q1'))
  t.same(again.calls, first.calls, 'asked again, it answers the same')

  const next = await ask(request('q2', 'click → done: + text "Hello"'))
  t.match(next.calls, [{ name: 'done', arguments: '{"success":true,"answer":"Clicked."}' }])
  t.match(next.usage, { inputTokens: 200, costUsd: 0.25 })
  const [clicked, seen] = agent.all<ToolAnswer>('answer')
  t.match(clicked, { isError: false, text: 'click → done: + text "Hello"' })
  t.equal(seen!.text, 'page at q2', 'the page is what was read after the act')
  const [prompt] = agent.all<{ text: string }[]>('prompt')
  t.match(prompt![0]!.text, /MCP server troupe[\s\S]*Rules\.[\s\S]*# Goal\nClick it\./)
})

t.test('it is offered the tools of its task, annotated for the page, and no more', async (t) => {
  const { agent, ask } = await startTestSession(t, { turns: [[{ call: 'click' }]] })
  await ask(request('q1'))
  const tools = await agent.first<{ name: string; annotations: object }[]>('tools')
  t.same(
    tools.map(({ name }) => name),
    ['click', 'snapshot'],
  )
  t.match(tools[0], { title: 'Click', annotations: { readOnlyHint: false } })
})

t.test('a client that only supports stdio is served by a program of ours', async (t) => {
  const steps = [{ call: 'click', input: { target: 'e1' } }, { call: 'done' }]
  const { agent, ask } = await startTestSession(t, { speaksHttp: false, turns: [steps] })
  t.match((await ask(request('q1'))).calls, [{ name: 'click' }])
  await ask(request('q2', 'done so'))
  t.equal(agent.all<ToolAnswer>('answer')[0]!.text, 'done so')
  t.match(agent.all('server')[0], { args: [/troupe-mcp\.js$/] })
})

t.test('our tools are allowed, everything else is refused', async (t) => {
  const { agent, ask } = await startTestSession(t, {
    modes: ['yolo', 'plan', 'default'],
    turns: [
      [
        { permit: { title: 'x', _meta: { toolName: 'mcp__troupe__click' } } },
        { permit: { name: 'mcp__troupe__click', title: 'anything' } },
        { permit: { title: 'click (troupe MCP Server)' } },
        { begin: { toolCallId: 'c7', title: 'mcp.troupe.click' } },
        { permit: { toolCallId: 'c7', kind: 'execute' } },
        { begin: { toolCallId: 'c8', title: 'cat mcp.troupe.click' } },
        { permit: { toolCallId: 'c8', kind: 'execute' } },
        { permit: { toolCallId: 'c7', name: 'bash' } },
        { permit: { title: 'ls', _meta: { toolName: 'run_shell_command' } } },
        { permit: { title: 'mcp__troupe__click; rm -rf ~', kind: 'execute' } },
        { permit: { name: 'bash', title: 'mcp__troupe__click' } },
        { permit: { name: 'mcp__other__click' } },
        { permit: { name: 'mcp__troupe__evaluate' } },
        { reach: 'fs/read_text_file' },
        { reach: 'terminal/create' },
        { ask: 'May I?' },
        { call: 'done' },
      ],
    ],
  })
  await ask(request('q1'))
  const outcomes = agent.all<{ outcome: { optionId: string } }>('permission')
  t.same(
    outcomes.map(({ outcome }) => outcome.optionId),
    [...Array(4).fill('allow_once'), ...Array(7).fill('reject_once')],
  )
  for (const reached of agent.all('reached')) t.match(reached, { error: /not found/i })
  t.match(agent.all('elicited'), [{ action: 'decline' }], 'nobody is there to be asked')
  t.same(agent.all('mode'), ['default'])
  t.match(agent.all('capabilities'), [
    { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  ])
})

interface Started {
  readonly env: Record<string, string>
  readonly cwd: string
  readonly files: readonly string[]
}

t.test('it has its login in its environment and nothing of ours', async (t) => {
  process.env['NATS_PASSWORD'] = 'not for agents'
  process.env['OPENAI_API_KEY'] = 'not for agents'
  t.teardown(() => {
    delete process.env['NATS_PASSWORD']
    delete process.env['OPENAI_API_KEY']
  })
  const { agent, ask } = await startTestSession(t, { turns: [[{ call: 'done' }]] })
  await ask(request('q1'))
  const { env, cwd, files } = await agent.first<Started>('started')
  t.equal(env['HOME'], process.env['HOME'])
  t.notMatch(JSON.stringify(env), /not for agents/)
  t.match(cwd, /troupe-agent-/)
  t.same(files, [])
})

t.test('a question of the agent is the task’s question', async (t) => {
  const { agent, ask: put } = await startTestSession(t, {
    turns: [[{ ask: 'Which one?' }, { call: 'done' }]],
  })
  const tools = [click, ask]
  const { calls } = await put(request('q1', '', { tools }))
  t.match(calls, [{ name: 'ask_human', arguments: '{"question":"Which one?"}' }])
  await put(request('q2', 'The person answers: the red one', { tools }))
  t.match(agent.all('elicited'), [
    { action: 'accept', content: { answer: 'The person answers: the red one' } },
  ])
})

t.test(
  'a turn without a call is an answer without one; the next prompt starts another turn',
  async (t) => {
    const { agent, ask } = await startTestSession(t, {
      turns: [[{ say: 'All done!' }], [{ call: 'done' }]],
    })
    const { text, calls } = await ask(request('q1'))
    t.same({ text, calls }, { text: 'All done!', calls: [] })
    t.match((await ask(request('q2', 'Answer with a tool call.'))).calls, [{ name: 'done' }])
    const prompts = agent.all<{ text: string }[]>('prompt').map(([first]) => first!.text)
    t.equal(prompts[1], 'Answer with a tool call.')
  },
)

t.test('the model is set where the agent offers it, otherwise the task fails', async (t) => {
  const script = { models: ['small', 'large'], turns: [[{ call: 'done' }]] }
  const chosen = await startTestSession(t, script, { model: 'large' })
  t.equal((await chosen.ask(request('q1'))).model, 'large')
  const unknown = await startTestSession(t, script, { model: 'huge' })
  t.match(await failure(unknown.ask(request('q1'))), { kind: 'not_found', message: /huge/ })
  const none = await startTestSession(t, { turns: [] }, { model: 'large' })
  t.match(await failure(none.ask(request('q1'))), {
    kind: 'not_found',
    message: /does not let you choose a model/,
  })
})

t.test(
  'an agent that dies is replaced by another, told everything; one that keeps dying is given up',
  async (t) => {
    const { agent, ask } = await startTestSession(t, {
      complaint: 'panic: out of ideas',
      turns: [[{ call: 'click' }, { die: 3 }]],
    })
    await ask(request('q1'))
    t.match(await failure(ask(request('q2', 'clicked'))), {
      kind: 'network',
      message: /panic: out of ideas/,
    })
    t.match((await ask(request('q3', 'clicked'))).calls, [{ name: 'click' }])
    t.equal(agent.all('prompt').length, 2)
    await failure(ask(request('q4')))
    await ask(request('q5'))
    t.match(await failure(ask(request('q6'))), {
      kind: 'rejected',
      message: /panic: out of ideas.*3 times/,
    })
  },
)

t.test('the reason why an agent cannot work is reported', async (t) => {
  const loggedOut = await startTestSession(t, { isLoggedOut: true, turns: [] })
  t.match(await failure(loggedOut.ask(request('q1'))), { kind: 'auth', message: /log in/ })
  const specs = agentSpecs(['missing', 'codex'], { missing: { command: 'no-such-agent' } })
  const agents = new AcpAgents({ ...agentDeps, specs })
  const { task } = loggedOut
  const open = (provider: string) => failure(agents.open({ tenant: 'default', provider, task }))
  t.match(await open('acp:missing'), { kind: 'not_found', message: /no-such-agent was not found/ })
  t.match(await open('acp:claude'), { kind: 'not_found', message: /ACP_AGENTS/ })
  t.throws(() => agentSpecs(['nobody'], {}), { message: /ACP_COMMANDS/ })
  t.throws(() => agentSpecs(['constructor'], {}), { message: /ACP_COMMANDS/ })
})

t.test('one that never asks for its tools is not prompted, and that is reported', async (t) => {
  const { agent, ask } = await startTestSession(t, { isDeaf: true, turns: [] }, { clock: hurried })
  t.match(await failure(ask(request('q1'))), {
    kind: 'rejected',
    message: /asking for its tools within/,
  })
  t.same(agent.all('prompt'), [])
  const { pid } = await agent.first<{ pid: number }>('started')
  t.notOk(isRunning(pid))
})

t.test('a line without an end is not buffered', async (t) => {
  const { agent, ask } = await startTestSession(t, {
    turns: [[{ flood: taskRunLimits.agentLineBytes + 1 }, { hang: true }]],
  })
  t.match(await failure(ask(request('q1'))), { kind: 'network', message: /limit/ })
  const { pid } = await agent.first<{ pid: number }>('started')
  t.notOk(isRunning(pid))
})

t.test('its tools are served by a gateway on its own machine, if possible', async (t) => {
  const far = { ...gateway, machine: 'there', publicUrl: 'https://browsers.example.com' }
  const door = (...hosts: HostRecord[]) =>
    mcpAccessFor(newTask(), { ...agentDeps, membership: { available: () => hosts } }).base
  t.equal(door(far, gateway), url)
  t.equal(door({ ...gateway, machine: 'elsewhere' }, far), far.publicUrl)
  t.throws(() => door({ ...gateway, machine: 'there' }), {
    kind: 'overloaded',
    message: /PUBLIC_URL/,
  })
})

t.test('invalid lines among its output do no harm', async (t) => {
  const { ask } = await startTestSession(t, {
    turns: [[{ garbage: 'Welcome to the agent!' }, { garbage: '[1,2]' }, { call: 'done' }]],
  })
  t.match((await ask(request('q1'))).calls, [{ name: 'done' }])
})

t.test('after the task nothing of it is left, and its token is void', async (t) => {
  const { agent, ask, leave, task } = await startTestSession(t, {
    hasChild: true,
    turns: [[{ call: 'click' }, { hang: true }]],
  })
  await ask(request('q1'))
  const token = taskToken(secret, { ...task, taskId: task.id })
  const headers = { authorization: `Bearer ${token}` }
  const client = await overHttp('legacy', url, headers)
  t.equal((await client.tools()).length, 2, 'while it is at work, its token opens its tools')
  await client.close()
  const { pid, cwd } = await agent.first<{ pid: number; cwd: string }>('started')
  const child = await agent.first<number>('child')
  const asking = ask(request('q2', 'clicked'))
  await agent.first('answer')
  const left = leave()
  await t.rejects(asking)
  await left
  t.notOk(isRunning(pid))
  await until('its child is gone', () => !isRunning(child), 1_000)
  t.notOk(existsSync(cwd))
  t.same(agent.all('cancelled'), [true])
  await t.rejects(overHttp('legacy', url, headers), /401|over/)
})

t.test('once left, the agent session starts nothing any more', async (t) => {
  const left = new AgentSession(newTask(), systemClock)
  await left.close()
  let starts = 0
  const start = () => Promise.reject(new Error(`start ${++starts}`))
  await t.rejects(left.ask(request('q1'), start, new AbortController().signal))
  t.equal(starts, 0)
})

t.test('a token is for one task, session, epoch and time, and no other route', async (t) => {
  const { ask, task } = await startTestSession(t, { turns: [[{ call: 'click' }]] })
  await ask(request('q1'))
  const grant = { taskId: task.id, ...task }
  const status = async (token: string, path = '/mcp', headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method: path === '/mcp' ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      ...(path === '/mcp' && {
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      }),
    })
    return response.status
  }
  const good = taskToken(secret, grant)
  t.equal(await status(good), 200)
  for (const change of [
    { taskId: newId('tsk') },
    { sessionId: newId('ses') },
    { epoch: 2 },
    { epoch: 4 },
    { expiresAtMs: Date.now() - 1 },
  ]) {
    t.equal(await status(taskToken(secret, { ...grant, ...change })), 401, JSON.stringify(change))
  }
  t.equal(await status(taskToken('another secret', grant)), 401)
  const wrongEnd = good.endsWith('A') ? 'B' : 'A'
  t.equal(await status(`${good.slice(0, -1)}${wrongEnd}`), 401)
  t.equal(await status(good, '/v1/sessions', { 'service-api-key': good }), 401)
  t.equal(await status(good, '/v1/sessions'), 401)
})
