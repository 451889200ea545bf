/**
 * MCP over Streamable HTTP. The tools call the gateway's own routes with the caller's key; the
 * calls of a task's agent go to that task.
 */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { z } from 'zod'
import type { ServiceUrls } from '../../routing/service-urls.ts'
import { parseJson } from '../../server/body.ts'
import type { HttpReply } from '../../server/http.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'
import { rawRoute, type Route } from '../../routing/route.ts'
import type { TaskAgents } from './task-agents.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

export interface McpRouteDeps {
  readonly mcp: McpEndpoint
  readonly addresses: ServiceUrls
  readonly agents: TaskAgents
}

const message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
})

/** GET and DELETE, which older clients try, are answered with 405 as the protocol specifies. */
export function mcpRoutes({ mcp, addresses, agents }: McpRouteDeps): readonly Route[] {
  return [
    rawRoute({
      method: 'POST',
      path: '/mcp',
      summary: 'The browser as MCP tools, over Streamable HTTP.',
      description:
        'JSON-RPC of the Model Context Protocol; use an MCP client. The answer is JSON or an ' +
        'event stream, as `Accept` asks.',
      auth: 'bearer',
      scope: 'any',
      query: z.object({
        tools: z.string().optional().describe('Groups of further tools, comma-separated: tasks.'),
      }),
      ownBody: message,
      example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
      contentType: ['application/json', 'text/event-stream'],
      async handler({ caller, query, request }) {
        const bytes = await request.body(commandLimits.commandBodyBytes)
        const body = parseJson(bytes, request.headers.get('content-type')) ?? null
        const web = new Request(`${addresses.http(request)}/mcp`, {
          method: 'POST',
          headers: [...request.headers],
          signal: request.gone,
        })
        if (!('grant' in caller))
          return replyOf(await mcp.fetch(web, body, { ...caller, groups: query.tools ?? '' }))
        await agents.greet(caller.grant)
        const tools = agents.toolsOf(caller.grant)
        return replyOf(await mcp.fetch(web, body, { keyId: caller.keyId, tools }))
      },
    }),
  ]
}

/** Event streams are sent as they are produced; other bodies are complete already. */
async function replyOf(response: Response): Promise<HttpReply> {
  const { status, body } = response
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    ...Object.fromEntries(response.headers),
  }
  const isEvents = headers['content-type']?.startsWith('text/event-stream') ?? false
  if (!isEvents || body === null) return { status, headers, body: await response.text() }
  return { status, headers, body: { stream: Readable.fromWeb(body as ReadableStream) } }
}
