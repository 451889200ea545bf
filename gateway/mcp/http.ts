/** MCP over Streamable HTTP, with web-standard requests and responses. */
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { LRUCache } from 'lru-cache'
import type { DefaultSession } from './tools/default-session.ts'
import {
  endHttpSession,
  httpDefaultSession,
  isInitialize,
  mcpSessionHeader,
  mcpSessionOf,
  newMcpSessionId,
} from './http-session.ts'
import { defined } from '../../proto/defined.ts'
import { mcpServer } from './server.ts'
import { ServiceClient, type ServiceRequester } from './service.ts'
import { toolGroupsOf, type ToolGroup } from './tools/groups.ts'
import { taskServer, type TaskTools } from './task/task-server.ts'
import { mcpLimits } from './limits.ts'

export interface McpCaller {
  readonly keyId: string
  /** The text of the key, with which the tools call the service. */
  readonly key: string
  /** Names of groups of tools, in addition to the tools that every client gets. */
  readonly groups: string
  readonly hasPageMarks: boolean
}

/** An agent that works on a task. */
export interface McpTaskAgent {
  readonly keyId: string
  readonly tools: TaskTools
}

/** The data about a caller that the library passes on. */
interface AuthExtra {
  readonly tools?: TaskTools
  readonly groups?: readonly ToolGroup[]
  readonly hasPageMarks?: boolean
}

export interface McpOverHttpOptions {
  readonly version: string
  /** Returns a client of the service for the holder of `key` who used the address `host`. */
  readonly call: (key: string, host: string) => ServiceRequester
  /** Called for requests that are not MCP. */
  readonly onError: (error: Error) => void
}

export class McpOverHttp {
  readonly #handler: McpHttpHandler
  readonly #call: McpOverHttpOptions['call']
  readonly #defaultSessions = new LRUCache<string, DefaultSession>({
    max: mcpLimits.mcpDefaultSessionsRemembered,
  })

  constructor({ version, call, onError }: McpOverHttpOptions) {
    this.#call = call
    this.#handler = createMcpHandler(
      ({ authInfo, requestInfo }) => {
        const { token, clientId, extra } = authInfo!
        const { tools, groups, hasPageMarks } = extra as AuthExtra
        if (tools) return taskServer(version, tools)
        const service = new ServiceClient(call(token, new URL(requestInfo!.url).host))
        const defaultSession = this.#defaultSessionOf(clientId, requestInfo!, service)
        const chosen = defined({ groups, hasPageMarks })
        return mcpServer({ version, service, defaultSession, ...chosen })
      },
      { keepAliveMs: mcpLimits.mcpKeepAliveMs, onerror: onError },
    )
  }

  /** Throws `bad_request` for an unknown group of tools. */
  async fetch(
    request: Request,
    parsedBody: unknown,
    caller: McpCaller | McpTaskAgent,
  ): Promise<Response> {
    const clientId = caller.keyId
    if ('tools' in caller) {
      const authInfo = { token: '', clientId, scopes: [], extra: { tools: caller.tools } }
      return this.#handler.fetch(request, { parsedBody, authInfo })
    }
    const { hasPageMarks } = caller
    const extra = { groups: toolGroupsOf(caller.groups), hasPageMarks }
    const authInfo = { token: caller.key, clientId, scopes: [], extra }
    const response = await this.#handler.fetch(request, { parsedBody, authInfo })
    if (!response.ok || !isInitialize(parsedBody)) return response
    const headers = new Headers(response.headers)
    headers.set(mcpSessionHeader, newMcpSessionId())
    return new Response(response.body, { status: response.status, headers })
  }

  /**
   * Called when a client says that it leaves: its default session is then ended, instead of when it
   * is idle.
   */
  async leave(request: Request, { keyId, key }: Pick<McpCaller, 'keyId' | 'key'>): Promise<void> {
    const mcpSession = mcpSessionOf(request)
    const service = new ServiceClient(this.#call(key, new URL(request.url).host))
    const isEnded = mcpSession !== undefined && (await endHttpSession(service, keyId, mcpSession))
    if (isEnded) this.#defaultSessions.delete(`${keyId}:${mcpSession}`)
  }

  close(): Promise<void> {
    return this.#handler.close()
  }

  /** A session that was evicted from the cache is found again by its tag. */
  #defaultSessionOf(keyId: string, request: Request, service: ServiceClient): DefaultSession {
    const mcpSession = mcpSessionOf(request)
    const name = `${keyId}:${mcpSession ?? ''}`
    const known = this.#defaultSessions.get(name)
    const defaultSession = known ?? httpDefaultSession(service, keyId, mcpSession)
    this.#defaultSessions.set(name, defaultSession)
    return defaultSession
  }
}
