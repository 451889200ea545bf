/** The MCP servers of others, as their users run them: the benches compare ours with them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

export interface McpPeer {
  /** The text of a tool's answer. */
  call(tool: string, input: Readonly<Record<string, unknown>>): Promise<string>
  close(): Promise<void>
}

const { resolve } = createRequire(import.meta.url)
const chromium = '/usr/bin/chromium'

/** @playwright/mcp. */
export function startPlaywrightMcp(): Promise<McpPeer> {
  const program = join(dirname(resolve('@playwright/mcp/package.json')), 'cli.js')
  const flags = ['--headless', '--no-sandbox', '--isolated', '--executable-path', chromium]
  return startPeer((cwd) => [program, ...flags, '--output-dir', cwd])
}

/** chrome-devtools-mcp, which otherwise calls home. */
export function startChromeDevtoolsMcp(): Promise<McpPeer> {
  const program = join(
    dirname(resolve('chrome-devtools-mcp/package.json')),
    'build/src/bin/chrome-devtools-mcp.js',
  )
  const flags = ['--headless', '--isolated', '--executablePath', chromium]
  const quiet = ['--no-usage-statistics', '--no-performance-crux', '--no-page-id-routing']
  const size = ['--viewport', '1280x720', '--chromeArg=--no-sandbox']
  return startPeer(() => [program, ...flags, ...quiet, ...size])
}

async function startPeer(argsIn: (cwd: string) => readonly string[]): Promise<McpPeer> {
  // A folder of its own, because they write files in addition to their answers.
  const cwd = mkdtempSync(join(tmpdir(), 'troupe-peer-'))
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...argsIn(cwd)],
    cwd,
    stderr: 'ignore',
  })
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport)
  return {
    async call(name, input) {
      const result = await client.callTool({ name, arguments: input })
      const content = result.content as readonly { readonly text?: string }[]
      const text = content.map((part) => part.text ?? '').join('\n')
      if (result.isError) throw new Error(`${name}: ${text}`)
      return text
    },
    async close() {
      await client.close()
      rmSync(cwd, { recursive: true, force: true })
    },
  }
}
