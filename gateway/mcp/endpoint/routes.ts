/**
 * MCP over Streamable HTTP. The tools call the gateway's own routes with the caller's key; the
 * calls of a task's agent go to that task.
 */
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { z } from 'zod'
import type { ServiceUrls } from '../../routing/service-urls.ts'
import { parseJson } from '../../server/body.ts'
import type { HttpReply, HttpRequest } from '../../server/http.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'
import { emptyRoute, rawRoute, type Route } from '../../routing/route.ts'
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

/** GET, which older clients try, is answered with 405 as the protocol specifies. */
export function mcpRoutes({ mcp, addresses, agents }: McpRouteDeps): readonly Route[] {
  const webRequest = (method: 'POST' | 'DELETE', request: HttpRequest) =>
    new Request(`${addresses.http(request)}/mcp`, {
      method,
      headers: [...request.headers],
      signal: request.gone,
    })
  return [
    emptyRoute({
      method: 'DELETE',
      path: '/mcp',
      summary: 'End an MCP session.',
      description:
        'Ends the default browser session of the client. MCP clients send this when they ' +
        'disconnect; otherwise the session ends when it is idle.',
      auth: 'bearer',
      scope: 'any',
      async handler({ caller, request }) {
        if (!('grant' in caller)) await mcp.leave(webRequest('DELETE', request), caller)
      },
    }),
    rawRoute({
      method: 'POST',
      path: '/mcp',
      summary: 'Use the browser as MCP tools, over Streamable HTTP.',
      description:
        'JSON-RPC of the Model Context Protocol; use an MCP client. The answer is JSON or an ' +
        'event stream, depending on `Accept`.',
      auth: 'bearer',
      scope: 'any',
      query: z.object({
        tools: z
          .string()
          .optional()
          .describe('Additional groups of tools, comma-separated: permissions, scripts, tasks.'),
        page_marks: z
          .enum(['true', 'false'])
          .default('true')
          .describe('false: what pages say stands without marks around it.'),
      }),
      ownBody: message,
      example: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
      contentType: ['application/json', 'text/event-stream'],
      async handler({ caller, query, request }) {
        const bytes = await request.body(commandLimits.commandBodyBytes)
        const body = parseJson(bytes, request.headers.get('content-type')) ?? null
        const web = webRequest('POST', request)
        if (!('grant' in caller)) {
          const { tools: groups = '', page_marks } = query
          const hasPageMarks = page_marks === 'true'
          return replyOf(await mcp.fetch(web, body, { ...caller, groups, hasPageMarks }))
        }
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
