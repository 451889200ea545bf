/** Paths of the compiled programs that processes start or load; no other code names these files. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Role } from '../../proto/ids.ts'

const files = {
  gateway: 'gateway/main.js',
  actors: 'actors/main.js',
  'node-agent': 'node-agent/main.js',
  /** `troupe-mcp`: the service as an MCP server over stdio. */
  mcp: 'gateway/troupe-mcp.js',
  /** Prints which server library a gateway would use; its argument is SERVER_ENGINE. */
  'server-engine': 'gateway/server/engine-program.js',
} as const satisfies Readonly<Record<Role | 'mcp' | 'server-engine', string>>

/** The path of a compiled program. Throws if the package is not built. */
export function programPath(program: keyof typeof files): string {
  const path = fileURLToPath(new URL(`../../${files[program]}`, import.meta.url))
  if (!existsSync(path)) throw new Error(`${path} is missing: build with \`npm run build\``)
  return path
}
