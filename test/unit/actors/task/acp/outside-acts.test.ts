/**
 * Goal: what an agent does besides calling the tools of its task is bounded by the task's budgets
 * and in time, and the reason is told. Method: a scripted ACP agent as a real process, whose
 * messages are those that real agents sent.
 */
import t from 'tap'
import { AcpAgents } from '../../../../../actors/task/acp/agents.ts'
import { agentSpecs } from '../../../../../actors/task/acp/registry.ts'
import type { ModelRequest } from '../../../../../actors/task/models/model.ts'
import { taskRunLimits } from '../../../../../actors/task/limits.ts'
import { systemClock, type Clock } from '../../../../../runtime/lib/clock.ts'
import {
  agentDeps,
  closeGateway,
  failure,
  newTask,
  startTestSession,
} from '../../../../helpers/agents/agent-session.ts'

t.setTimeout(120_000)
t.teardown(closeGateway)

const tool = (name: string) => ({ name, description: name, parameters: { type: 'object' } })
const request = (question: string): ModelRequest => ({
  system: 'Rules.',
  user: [{ type: 'text', text: '# Goal\nClick it.' }],
  tools: [tool('click'), tool('done')],
  outputTokensMax: 1_000,
  question,
  news: 'clicked',
  page: 'page',
})

/** The options with which Qwen Code asks for a tool of this name. */
const qwenOptions = (tool: string) =>
  [
    { optionId: 'all_p', name: `Always Allow in project: ${tool}`, kind: 'allow_always' as const },
    { optionId: 'all_u', name: `Always Allow for user: ${tool}`, kind: 'allow_always' as const },
    { optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' as const },
    { optionId: 'cancel', name: 'Reject', kind: 'reject_once' as const },
  ] as const

/** A permission request of Qwen Code 0.15: only its options name the tool. */
const qwenAsks = (tool: string, more: object = {}) => ({
  permit: {
    toolCallId: 'call_2_1',
    status: 'pending',
    title: '{"target":"e1"}',
    content: [],
    locations: [],
    kind: 'other',
    rawInput: { target: 'e1' },
    ...more,
  },
  options: [...qwenOptions(tool)],
})

/** Qwen Code's report of a model call. */
const modelCall = {
  update: {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: '' },
    _meta: {
      usage: { inputTokens: 100, outputTokens: 10, totalTokens: 110, cachedReadTokens: 40 },
    },
  },
}

t.test('a permission request with the input as its title is understood', async (t) => {
  const asked = [
    qwenAsks('click'),
    qwenAsks('done', { rawInput: undefined }),
    { permit: { toolCallId: 'call_9a_click', title: '{"target":"e1"}' } },
    { permit: { title: 'click (troupe MCP Server): {"target":"e1"}' } },
    qwenAsks('evaluate'),
    qwenAsks('click', { kind: 'execute' }),
    qwenAsks('click', { title: '{"target":"e2"}' }),
    qwenAsks('click', { title: 'rm -rf ~; {"target":"e1"}' }),
    qwenAsks('click', { _meta: { toolName: 'mcp__other__click' } }),
    { permit: { title: 'click (other MCP Server): {"target":"e1"}' } },
    { permit: { toolCallId: 'call_9a_other', title: '{"target":"e1"}' } },
  ]
  const { agent, ask } = await startTestSession(t, { turns: [[...asked, { call: 'done' }]] })
  t.match((await ask(request('q1'))).calls, [{ name: 'done' }])
  const outcomes = agent
    .all<{ outcome: { optionId: string } }>('permission')
    .map(({ outcome }) => outcome.optionId)
  t.same(outcomes.slice(0, 4), ['proceed_once', 'proceed_once', 'allow_once', 'allow_once'])
  for (const refused of outcomes.slice(4)) t.match(refused, /cancel|reject_once/)
  t.equal(outcomes.length, asked.length)
})

t.test('an agent that is refused again and again ends its task with the cause', async (t) => {
  const refused = { permit: { title: 'cat /etc/passwd', kind: 'execute' } }
  const turn = [...Array<typeof refused>(taskRunLimits.agentRefusals).fill(refused)]
  const { agent, ask } = await startTestSession(t, { turns: [[...turn, { hang: true }]] })
  t.match(await failure(ask(request('q1'))), {
    kind: 'rejected',
    message: /^scripted was refused 10 times in a row.*cat \/etc\/passwd$/,
  })
  // It is ended with the last refusal, whose answer it may no longer read.
  const answered = agent.all('permission').length
  t.ok([0, 1].includes(taskRunLimits.agentRefusals - answered), String(answered))
})

t.test('model calls and tools of its own are bounded by the steps that are left', async (t) => {
  const begin = { begin: { toolCallId: 'own', title: 'ToolSearch: select:click' } }
  for (const act of [modelCall, begin, { call: 'snapshot' }]) {
    const turn = [act, act, act, act, act]
    const script = { turns: [[...turn, { call: 'click' }, ...turn, act, { hang: true } as const]] }
    const { ask } = await startTestSession(t, script, { budget: { steps: 5 } })
    t.match((await ask(request('q1'))).calls, [{ name: 'click' }], 'five are as many as its steps')
    t.match(await failure(ask(request('q2'))), {
      kind: 'rejected',
      message: /did 6 things in a row without calling an acting tool of its task/,
    })
  }
})

t.test('what its model calls take is counted, and ends its turn when it is too much', async (t) => {
  const turn = [modelCall, modelCall, modelCall, { hang: true } as const]
  const { ask } = await startTestSession(
    t,
    { turns: [turn] },
    { budget: { steps: 50, tokens: 250 } },
  )
  const { calls, usage } = await ask(request('q1'))
  t.same(calls, [])
  t.same(usage, { inputTokens: 300, cachedTokens: 120, outputTokens: 30 })

  const costly = { usage: { used: 10, usd: 2 } }
  const { ask: put } = await startTestSession(
    t,
    { turns: [[costly, { hang: true } as const]] },
    { budget: { steps: 50, costUsd: 1.5 } },
  )
  t.match(await put(request('q1')), { calls: [], usage: { costUsd: 2 } })
})

/** Waits less for this limit. */
const hurried = (limitMs: number): Clock => ({
  ...systemClock,
  timer: (ms, ring) => systemClock.timer(ms === limitMs ? 700 : ms, ring),
})

t.test('an agent that stays silent is given up, with what it wrote to stderr', async (t) => {
  const { agentSilenceMs, agentToolsMs } = taskRunLimits
  const complaint = 'Warning: the model does not answer, trying again'
  const { ask } = await startTestSession(
    t,
    { complaint, turns: [[{ say: 'Hm.' }, { hang: true }]] },
    { clock: hurried(agentSilenceMs) },
  )
  t.match(await failure(ask(request('q1'))), {
    kind: 'rejected',
    message: new RegExp(`^scripted has been silent for 180 s\\. It said: ${complaint}$`),
  })
  const deaf = await startTestSession(
    t,
    { isDeaf: true, complaint: 'This folder is not trusted.', turns: [] },
    { clock: hurried(agentToolsMs) },
  )
  t.match(await failure(deaf.ask(request('q1'))), {
    kind: 'rejected',
    message: /asking for its tools within 90 s\. It said: This folder is not trusted\.$/,
  })
})

t.test('opencode and its descendants are not started without a named model', async (t) => {
  const command = { command: process.execPath }
  const specs = agentSpecs(['opencode', 'kilo'], { opencode: command, kilo: command })
  const agents = new AcpAgents({ ...agentDeps, specs })
  const open = (name: string, model?: string) => {
    const choice = { tenant: 'default', provider: `acp:${name}`, task: newTask() }
    return agents.open(model === undefined ? choice : { ...choice, model })
  }
  for (const name of ['opencode', 'kilo']) {
    const refusal = {
      kind: 'not_found',
      message: new RegExp(`${name} would choose a hosted model`),
    }
    t.match(await failure(open(name)), refusal)
    t.equal((await open(name, 'acme/large')).model, 'acme/large')
  }
})

t.test('Gemini CLI trusts our empty folder, also when it is started differently', (t) => {
  const own = { command: '/opt/gemini', args: ['--acp'], env: { GEMINI_API_KEY: 'k' } }
  t.same(agentSpecs(['gemini'], { gemini: own }).get('gemini')?.env, {
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_API_KEY: 'k',
  })
  for (const name of ['gemini', 'qwen']) {
    const args = ['--acp', '--allowed-mcp-server-names', 'troupe']
    t.same(agentSpecs([name], {}).get(name)?.args, args, 'no servers of its owner')
  }
  t.end()
})
