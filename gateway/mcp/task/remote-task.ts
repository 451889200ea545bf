/**
 * A task's tools over HTTP, for an agent whose MCP client only supports stdio: requests to this
 * process are forwarded to the service's `/mcp` with the task's token.
 */
import type { AgentCallOutcome, AgentTool } from '../../../proto/task/agent-calls.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { withReconnect } from '../reconnect.ts'
import type { TaskTools } from './task-server.ts'

/** In this protocol version a single request needs no initialisation before it. */
const protocolVersion = '2025-11-25'

interface Listed {
  readonly tools: readonly { name: string; description: string; inputSchema: object }[]
}

interface Called {
  readonly content: readonly {
    readonly type: string
    readonly text?: string
    readonly data?: string
    readonly mimeType?: string
  }[]
  readonly isError?: boolean
}

export function remoteTask(base: string, token: string): TaskTools {
  const service = base.replace(/\/+$/, '')
  const ask = <T>(method: string, params: object, signal?: AbortSignal) =>
    withReconnect({ base: service, isRepeatable: method === 'tools/list', signal }, () =>
      rpc<T>(`${service}/mcp`, token, { jsonrpc: '2.0', id: 1, method, params }, signal),
    )
  return {
    async list() {
      const { tools } = await ask<Listed>('tools/list', {})
      return tools.map(({ name, description, inputSchema }): AgentTool => {
        return { name, description, parameters: { ...inputSchema } }
      })
    },
    async call(name, input, signal): Promise<AgentCallOutcome> {
      return outcomeOf(await ask<Called>('tools/call', { name, arguments: input }, signal))
    },
  }
}

function outcomeOf({ content, isError = false }: Called): AgentCallOutcome {
  const text = content.flatMap((part) => part.text ?? []).join('\n')
  const { data: base64, mimeType } = content.find(({ type }) => type === 'image') ?? {}
  return { text, isError, ...(base64 && mimeType && { picture: { mimeType, base64 } }) }
}

async function rpc<T>(
  url: string,
  token: string,
  message: object,
  signal: AbortSignal | undefined,
): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
    },
    body: JSON.stringify(message),
    ...(signal && { signal }),
  })
  const text = await response.text()
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const answer = JSON.parse(isEvents ? lastEvent(text) : text) as {
    readonly result?: T
    readonly error?: { readonly message: string }
  }
  if (answer.result !== undefined) return answer.result
  const words = answer.error?.message ?? `The service answered ${response.status}.`
  throw new ServiceError(response.status === 401 ? 'unauthorized' : 'unavailable', words)
}

/** The result is the last event of the stream; comments and notifications may precede it. */
function lastEvent(text: string): string {
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return data.at(-1)?.slice('data:'.length) ?? '{}'
}
