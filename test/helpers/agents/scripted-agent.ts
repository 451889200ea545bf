/**
 * An ACP agent as a program that follows the script in its first argument: it connects to the given
 * MCP endpoint, lists and calls tools, speaks, asks, and misbehaves where the script says so. It
 * writes what it learns to the script's `diary`, one line each.
 */
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import {
  agent,
  methods,
  ndJsonStream,
  RequestError,
  type AgentContext,
} from '@agentclientprotocol/sdk'
import type { McpServer, RequestPermissionRequest } from '@agentclientprotocol/sdk'
import { overHttp, overStdio, type McpClient } from '../browser/mcp.ts'

type Usage = { readonly used: number; readonly usd: number }

export type ScriptStep =
  | { readonly think: string }
  | { readonly say: string }
  | { readonly usage: Usage }
  | { readonly call: string; readonly input?: object }
  /** Asks for permission, with these fields of the call; the answers it may get are its own. */
  | { readonly permit: object; readonly options?: RequestPermissionRequest['options'] }
  /** Reports this as a real agent did. */
  | { readonly update: object }
  /** Announces a tool call. */
  | { readonly begin: object }
  | { readonly ask: string }
  /** Requests its user's files or terminal, which are not offered. */
  | { readonly reach: 'fs/read_text_file' | 'terminal/create' }
  | { readonly garbage: string }
  /** Sends one line of that many bytes. */
  | { readonly flood: number }
  | { readonly die: number }
  /** Ignores everything until it is killed. */
  | { readonly hang: true }

type Turn = readonly ScriptStep[]

export interface AgentScript {
  readonly diary: string
  /** One list for each turn; the last one is used for all later turns. */
  readonly turns: readonly Turn[]
  /** The turns of an agent that is not the first to follow this script. */
  readonly turnsOfHeirs?: readonly Turn[]
  readonly speaksHttp?: boolean
  readonly isLoggedOut?: boolean
  /** Never asks for its tools. */
  readonly isDeaf?: boolean
  readonly modes?: readonly string[]
  readonly models?: readonly string[]
  /** Leaves behind a process of its own that only SIGKILL ends. */
  readonly hasChild?: boolean
  readonly complaint?: string
}

const script = JSON.parse(process.argv[2] ?? '{}') as AgentScript

function note(what: string, value: unknown = true): void {
  appendFileSync(script.diary, `${JSON.stringify({ [what]: value })}\n`)
}

const isHeir = existsSync(script.diary)
const turns = (isHeir ? script.turnsOfHeirs : undefined) ?? script.turns
let mcp: McpClient | undefined
let turn = 0
let cancelled = new AbortController()

async function connect(server: McpServer): Promise<void> {
  if (script.isDeaf) return
  if ('command' in server) {
    mcp = await overStdio('legacy', Object.fromEntries(server.env.map((e) => [e.name, e.value])))
    note('server', { command: server.command, args: server.args })
  } else {
    const headers = Object.fromEntries(server.headers.map((each) => [each.name, each.value]))
    mcp = await overHttp('legacy', new URL(server.url).origin, headers)
    note('server', { url: server.url, headers })
  }
  note('tools', await mcp.tools())
}

/** The result, or the error of a call that may be refused. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: Error) => ({ error: error.message }))
}

async function perform(step: ScriptStep, sessionId: string, user: AgentContext): Promise<void> {
  const tell = (update: object) =>
    user.notify(methods.client.session.update, { sessionId, update } as never)
  if ('think' in step || 'say' in step) {
    const [kind, text] = 'think' in step ? ['thought', step.think] : ['message', step.say]
    await tell({ sessionUpdate: `agent_${kind}_chunk`, content: { type: 'text', text } })
  } else if ('usage' in step) {
    const { used, usd } = step.usage
    const cost = { amount: usd, currency: 'USD' }
    await tell({ sessionUpdate: 'usage_update', used, size: 200_000, cost })
  } else if ('call' in step) note('answer', await outcome(mcp!.call(step.call, step.input)))
  else if ('begin' in step) await tell({ sessionUpdate: 'tool_call', ...step.begin })
  else if ('update' in step) await tell(step.update)
  else if ('permit' in step) {
    const usual = (['allow_always', 'allow_once', 'reject_once'] as const).map((kind) => {
      return { optionId: kind, name: kind, kind }
    })
    const options = step.options ?? usual
    const toolCall = { toolCallId: 'c1', ...step.permit } as RequestPermissionRequest['toolCall']
    const asked = { sessionId, toolCall, options }
    note('permission', await user.request(methods.client.session.requestPermission, asked))
  } else if ('ask' in step) {
    const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } } } as const
    const form = { sessionId, mode: 'form', message: step.ask, requestedSchema } as const
    note('elicited', await outcome(user.request(methods.client.elicitation.create, form)))
  } else if ('reach' in step) {
    const params = { sessionId, path: '/etc/passwd', command: 'id' }
    note('reached', await outcome(user.request(step.reach, params)))
  } else if ('garbage' in step) process.stdout.write(`${step.garbage}\n`)
  else if ('flood' in step) process.stdout.write('x'.repeat(step.flood))
  else if ('die' in step) process.exit(step.die)
  else await new Promise(() => {})
}

if (script.complaint) process.stderr.write(`${script.complaint}\n`)
if (script.hasChild) {
  const child = spawn('/bin/sh', ['-c', "trap '' TERM HUP INT; while :; do sleep 1; done"])
  note('child', child.pid)
}
note('started', {
  pid: process.pid,
  cwd: process.cwd(),
  files: readdirSync('.'),
  env: process.env,
})

agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, ({ params }) => {
    note('capabilities', params.clientCapabilities)
    const mcpCapabilities = { http: script.speaksHttp ?? true, sse: false }
    const agentInfo = { name: 'scripted', version: '1' }
    return {
      protocolVersion: 1,
      agentCapabilities: { mcpCapabilities },
      agentInfo,
      authMethods: [],
    }
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (script.isLoggedOut) throw RequestError.authRequired()
    // Like real agents: the session is ready before its MCP servers are.
    void outcome(connect(params.mcpServers[0]!)).then((end) => end && note('lost', end))
    const modes = script.modes?.map((id) => ({ id, name: id }))
    const options = script.models?.map((value) => ({ value, name: value }))
    return {
      sessionId: 'only',
      ...(modes && { modes: { currentModeId: modes[0]!.id, availableModes: modes } }),
      ...(options && {
        configOptions: [
          {
            id: 'm',
            name: 'Model',
            type: 'select' as const,
            category: 'model',
            currentValue: options[0]!.value,
            options,
          },
        ],
      }),
    }
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    note('mode', params.modeId)
    return {}
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    if (!script.models?.includes(String(params.value))) throw new Error('no such model')
    note('model', params.value)
    return { configOptions: [] }
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client: user }) => {
    note('prompt', params.prompt)
    cancelled = new AbortController()
    const { signal } = cancelled
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
    const steps = turns[Math.min(turn++, turns.length - 1)] ?? []
    for (const step of steps) {
      const done = perform(step, params.sessionId, user)
      await ('hang' in step ? done : Promise.race([done, stopped]))
      if (signal.aborted) return { stopReason: 'cancelled' as const }
    }
    return { stopReason: 'end_turn' as const }
  })
  .onNotification(methods.agent.session.cancel, () => {
    note('cancelled')
    cancelled.abort()
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  )
