/** MCP over Streamable HTTP, with web-standard requests and responses. */
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { LRUCache } from 'lru-cache'
import { defined } from '../../proto/defined.ts'
import { keyDefaultSession, type OpenedSession } from './tools/default-session.ts'
import { mcpServer } from './server.ts'
import { ServiceClient, type ServiceRequester } from './service.ts'
import { toolGroupsOf, type ToolGroup } from './tools/groups.ts'
import { taskServer, type TaskTools } from './task/task-server.ts'
import { mcpLimits } from './limits.ts'

export interface McpCaller {
  readonly keyId: string
  /** The text of the key, with which the tools call the service. */
  readonly key: string
  /** Names of groups of tools, besides those that every client gets. */
  readonly groups: string
}

/** An agent that works on a task. */
export interface McpTaskAgent {
  readonly keyId: string
  readonly tools: TaskTools
}

/** What the library hands on of a caller. */
interface AuthExtra {
  readonly tools?: TaskTools
  readonly groups?: readonly ToolGroup[]
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
  readonly #defaultSessions = new LRUCache<string, OpenedSession>({
    max: mcpLimits.mcpDefaultSessionsRemembered,
  })

  constructor({ version, call, onError }: McpOverHttpOptions) {
    this.#handler = createMcpHandler(
      ({ authInfo, requestInfo }) => {
        const { token, clientId, extra } = authInfo!
        const { tools, groups } = extra as AuthExtra
        if (tools) return taskServer(version, tools)
        const service = new ServiceClient(call(token, new URL(requestInfo!.url).host))
        const defaultSession = this.#defaultSessionOf(clientId, service)
        return mcpServer({ version, service, defaultSession, ...defined({ groups }) })
      },
      { keepAliveMs: mcpLimits.mcpKeepAliveMs, onerror: onError },
    )
  }

  /** Throws `bad_request` for a group of tools that there is not. */
  async fetch(
    request: Request,
    parsedBody: unknown,
    caller: McpCaller | McpTaskAgent,
  ): Promise<Response> {
    const clientId = caller.keyId
    const authInfo =
      'tools' in caller
        ? { token: '', clientId, scopes: [], extra: { tools: caller.tools } }
        : {
            token: caller.key,
            clientId,
            scopes: [],
            extra: { groups: toolGroupsOf(caller.groups) },
          }
    return this.#handler.fetch(request, { parsedBody, authInfo })
  }

  close(): Promise<void> {
    return this.#handler.close()
  }

  /** A home that was evicted from the cache is found again by the tag of its session. */
  #defaultSessionOf(keyId: string, service: ServiceClient): OpenedSession {
    const defaultSession = this.#defaultSessions.get(keyId) ?? keyDefaultSession(service, keyId)
    this.#defaultSessions.set(keyId, defaultSession)
    return defaultSession
  }
}
