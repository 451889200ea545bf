/** MCP over Streamable HTTP, between web-standard requests and responses. */
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { LRUCache } from 'lru-cache'
import { limits } from '../../proto/limits.ts'
import { homeOfKey, type OwnHome } from './home.ts'
import { mcpServer } from './server.ts'
import { Service, type Call } from './service.ts'
import { taskServer, type TaskTools } from './task-server.ts'

export interface McpCaller {
  readonly keyId: string
  /** Its text, which opens the service to the tools. */
  readonly key: string
}

/** An agent at work on a task. */
export interface McpTaskAgent {
  readonly keyId: string
  readonly tools: TaskTools
}

export interface McpOverHttpOptions {
  readonly version: string
  /** The service, to the holder of a key who came by that host. */
  readonly call: (key: string, host: string) => Call
  /** Told of requests that are no MCP. */
  readonly onError: (error: Error) => void
}

export class McpOverHttp {
  readonly #handler: McpHttpHandler
  readonly #homes = new LRUCache<string, OwnHome>({ max: limits.mcpHomesRemembered })

  constructor({ version, call, onError }: McpOverHttpOptions) {
    this.#handler = createMcpHandler(
      ({ authInfo, requestInfo }) => {
        const { token, clientId, extra } = authInfo!
        if (extra) return taskServer(version, extra['tools'] as TaskTools)
        const service = new Service(call(token, new URL(requestInfo!.url).host))
        const home = this.#homeOf(clientId, service)
        return mcpServer({ version, service, home })
      },
      { keepAliveMs: limits.mcpKeepAliveMs, onerror: onError },
    )
  }

  fetch(
    request: Request,
    parsedBody: unknown,
    caller: McpCaller | McpTaskAgent,
  ): Promise<Response> {
    const clientId = caller.keyId
    const authInfo =
      'tools' in caller
        ? { token: '', clientId, scopes: [], extra: { tools: caller.tools } }
        : { token: caller.key, clientId, scopes: [] }
    return this.#handler.fetch(request, { parsedBody, authInfo })
  }

  close(): Promise<void> {
    return this.#handler.close()
  }

  /** What is forgotten is found again by its tag. */
  #homeOf(keyId: string, service: Service): OwnHome {
    const home = this.#homes.get(keyId) ?? homeOfKey(service, keyId)
    this.#homes.set(keyId, home)
    return home
  }
}
