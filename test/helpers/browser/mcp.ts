/**
 * MCP clients as users have them: the library of the older protocol and its successor, each over
 * stdio and HTTP.
 */
import { Client as Modern } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client as Legacy } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { programPath } from '../../../runtime/process/programs.ts'

export const troupeMcp = programPath('troupe-mcp')

export interface ToolAnswer {
  readonly isError: boolean
  /** The first text of the result. */
  readonly text: string
  readonly image: { readonly data: string; readonly mimeType: string } | undefined
  readonly structured: Readonly<Record<string, unknown>>
}

export interface McpTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly annotations?: object | undefined
  readonly inputSchema: object
  readonly outputSchema?: object | undefined
}

export interface McpResource {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string | undefined
  readonly size?: number | undefined
}

export interface McpContents {
  readonly mimeType?: string | undefined
  readonly text?: string
  readonly blob?: string
}

export interface McpClient {
  readonly protocol: string
  readonly instructions: string
  /** The pid of the server's process, over stdio. */
  readonly pid: number
  tools(): Promise<readonly McpTool[]>
  resources(): Promise<readonly McpResource[]>
  templates(): Promise<readonly { readonly uriTemplate: string }[]>
  read(uri: string): Promise<McpContents>
  call(name: string, input?: object, onProgress?: (seconds: number) => void): Promise<ToolAnswer>
  close(): Promise<void>
}

export type Era = 'legacy' | 'modern'
export const eras: readonly Era[] = ['legacy', 'modern']

/** `program` is another `troupe-mcp` than that of this folder. */
export function overStdio(
  era: Era,
  env: Readonly<Record<string, string>>,
  program = troupeMcp,
): Promise<McpClient> {
  const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/root' }
  const start = {
    command: process.execPath,
    args: [program],
    env: { ...inherited, ...env },
    stderr: 'ignore' as const,
  }
  return era === 'legacy' ? legacy(new LegacyStdio(start)) : modern(new ModernStdio(start))
}

export function overHttp(
  era: Era,
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  path = '/mcp',
): Promise<McpClient> {
  const url = new URL(path, baseUrl)
  const options = { requestInit: { headers } }
  if (era === 'modern') return modern(new ModernHttp(url, options))
  // The library's types do not fit exactOptionalPropertyTypes, although its transport is a valid
  // one.
  return legacy(new LegacyHttp(url, options) as Transport)
}

const info = { name: 'troupe-test', version: '1' }

async function legacy(transport: Transport): Promise<McpClient> {
  const client = new Legacy(info)
  await client.connect(transport)
  const { protocolVersion = '2025-11-25' } = transport as { protocolVersion?: string }
  const call: Call = (asked, options) => client.callTool(asked, undefined, options)
  return wrapped(client, protocolVersion, pidOf(transport), call)
}

async function modern(transport: ModernStdio | ModernHttp): Promise<McpClient> {
  const client = new Modern(info, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  const call: Call = (asked, options) => client.callTool(asked, options)
  return wrapped(client, client.getNegotiatedProtocolVersion() ?? '', pidOf(transport), call)
}

type Call = (
  asked: { readonly name: string; readonly arguments: Record<string, unknown> },
  options?: { readonly onprogress: (told: { readonly progress: number }) => void },
) => Promise<object>

function wrapped(client: Legacy | Modern, protocol: string, pid: number, ask: Call): McpClient {
  return {
    protocol,
    pid,
    instructions: client.getInstructions() ?? '',
    tools: async () => (await client.listTools()).tools,
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => (await client.readResource({ uri })).contents[0] as McpContents,
    async call(name, input = {}, onProgress) {
      const asked = { name, arguments: { ...input } }
      if (!onProgress) return answerOf(await ask(asked))
      return answerOf(await ask(asked, { onprogress: ({ progress }) => onProgress(progress) }))
    },
    close: () => client.close(),
  }
}

const pidOf = (transport: object) => (transport as { pid?: number | null }).pid ?? 0

interface Part {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly mimeType?: string
}

function answerOf(result: object): ToolAnswer {
  const { content, isError, structuredContent } = result as {
    readonly content: readonly Part[]
    readonly isError?: boolean
    readonly structuredContent?: Readonly<Record<string, unknown>>
  }
  const image = content.find(({ type }) => type === 'image')
  return {
    isError: isError ?? false,
    text: content.find(({ type }) => type === 'text')?.text ?? '',
    image: image && { data: image.data!, mimeType: image.mimeType! },
    structured: structuredContent ?? {},
  }
}
