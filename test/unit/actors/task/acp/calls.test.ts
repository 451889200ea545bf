// Goal: an agent's calls are handled in order and once, whether it repeats a call, gives up, or
// sends many. Method: the calls alone.
import t from 'tap'
import { AgentCalls } from '../../../../../actors/task/acp/session/calls.ts'
import { agentEnvironment } from '../../../../../actors/task/acp/environment.ts'
import { ToolPermissions } from '../../../../../actors/task/acp/session/permission.ts'
import { taskRunLimits } from '../../../../../actors/task/limits.ts'

const call = (id: string) => ({ id, tool: 'click', input: {} })
const done = (text: string) => ({ text, isError: false })

t.test('each is handled once, in order; a repeat waits for the same outcome', async (t) => {
  let rings = 0
  const calls = new AgentCalls(() => rings++)
  const [first, again, second] = [call('a'), call('a'), call('b')].map((each) => calls.make(each))
  t.equal(rings, 2)
  t.match([calls.take(), calls.take(), calls.take()], [{ id: 'a' }, { id: 'b' }, undefined])
  calls.answer('b', done('B'))
  calls.answer('a', done('A'))
  t.same(await Promise.all([first, again, second]), [done('A'), done('A'), done('B')])
  t.same(await calls.make(call('a')), done('A'), 'asked for once more')
  t.equal(calls.take(), undefined)
})

t.test('an abandoned call is not done, unless it was started', async (t) => {
  const calls = new AgentCalls(() => {})
  const [taken, waiting] = [calls.make(call('a')), calls.make(call('b'))]
  calls.take()
  calls.drop('a')
  calls.drop('b')
  t.match(await waiting, { isError: true })
  t.equal(calls.take(), undefined)
  calls.answer('a', done('A'))
  t.same(await taken, done('A'))
})

t.test('too many calls are refused, and old outcomes are forgotten', async (t) => {
  const calls = new AgentCalls(() => {})
  for (let i = 0; i < taskRunLimits.agentCallsWaiting; i++) void calls.make(call(`w${i}`))
  t.throws(() => calls.make(call('more')), { message: /Too many calls/ })
  calls.close('The task is over.')
  t.match(await calls.make(call('late')), { isError: true, text: 'The task is over.' })

  const long = new AgentCalls(() => {})
  for (let i = 0; i < taskRunLimits.agentCallsKnown + 1; i++) {
    void long.make(call(`c${i}`))
    long.take()
    long.answer(`c${i}`, done(''))
  }
  void long.make(call('c0'))
  t.match(long.take(), { id: 'c0' }, 'the oldest is not known any more')
})

t.test('abandoned calls are forgotten, however many there are', async (t) => {
  const calls = new AgentCalls(() => {})
  const taken = calls.make(call('taken'))
  calls.take()
  for (let i = 0; i < 3 * taskRunLimits.agentCallsKnown; i++) {
    const given = calls.make(call(`g${i}`))
    calls.drop(`g${i}`)
    t.match(await given, { isError: true })
  }
  t.equal(calls.size, 1)
  calls.answer('taken', done('A'))
  t.same(await taken, done('A'))
})

t.test('of an agent’s reports on its calls, names are kept, and nothing long', async (t) => {
  const permissions = new ToolPermissions(new Set(['click']))
  const options = [
    { kind: 'allow_once', name: 'Yes', optionId: 'yes' },
    { kind: 'reject_once', name: 'No', optionId: 'no' },
  ] as const
  const asked = (toolCall: Parameters<ToolPermissions['answer']>[0]['toolCall']) =>
    permissions.answer({ toolCall, options: [...options] }).outcome
  const hear = (toolCallId: string, more: object) =>
    permissions.observe({ sessionUpdate: 'tool_call', toolCallId, title: 'Click', ...more })
  const ours = 'mcp__troupe__click'
  const long = 'x'.repeat(2 ** 20)
  hear('c1', { name: ours, _meta: { toolName: ours, more: long } })
  t.match(asked({ toolCallId: 'c1' }), { optionId: 'yes' })
  hear('c2', { name: long, _meta: { toolName: ours } })
  t.match(asked({ toolCallId: 'c2' }), { optionId: 'no' }, 'a name too long is another one')
  hear(long, { name: ours })
  t.match(asked({ toolCallId: long }), { optionId: 'no' }, 'a call of such an id is not known')
  t.match(asked({ toolCallId: `${ours}-1` }), { optionId: 'yes' })
})

t.test('an agent gets the environment it needs to log in and for its network', async (t) => {
  const ours = {
    HOME: '/home/me',
    PATH: '/bin',
    LC_ALL: 'C',
    HTTPS_PROXY: 'http://proxy:3128',
    NO_PROXY: 'intranet',
    NATS_PASSWORD: 'x',
    SEAL_KEY: 'x',
    OPENAI_API_KEY: 'x',
    ACP_COMMANDS: 'x',
    NODE_OPTIONS: '--require /x',
  }
  const direct = 'intranet,127.0.0.1,localhost,::1'
  t.same(agentEnvironment(ours, { CODEX_HOME: '/codex' }), {
    HOME: '/home/me',
    PATH: '/bin',
    LC_ALL: 'C',
    HTTPS_PROXY: 'http://proxy:3128',
    NO_PROXY: direct,
    no_proxy: direct,
    CODEX_HOME: '/codex',
  })
})
