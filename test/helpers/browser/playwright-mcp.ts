/** Playwright's own MCP server, as its users run it: the benches compare ours with it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

export interface PlaywrightMcp {
  /** The text of a tool's answer. */
  call(tool: string, input: Readonly<Record<string, unknown>>): Promise<string>
  close(): Promise<void>
}

const home = dirname(createRequire(import.meta.url).resolve('@playwright/mcp/package.json'))

export async function startPlaywrightMcp(chromium = '/usr/bin/chromium'): Promise<PlaywrightMcp> {
  const flags = ['--headless', '--no-sandbox', '--isolated', '--executable-path', chromium]
  // A folder of its own, because it writes files in addition to its answers.
  const cwd = mkdtempSync(join(tmpdir(), 'troupe-peer-'))
  const args = [join(home, 'cli.js'), ...flags, '--output-dir', cwd]
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
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
