/**
 * The programs that people and processes start; no other code names their files. The build bundles
 * each, since reading a thousand modules would be most of its start.
 */
import { builtPath } from '../lib/package.ts'
import type { Role } from '../../proto/ids.ts'

/** What each program is bundled from, in `dist`. */
export const bundledPrograms = {
  troupe: 'runtime/cli/main.js',
  /** Runs for each step of an agent, so it is one file. */
  'troupe-browser': 'runtime/cli/browser/main.js',
  gateway: 'gateway/main.js',
  actors: 'actors/main.js',
  'node-agent': 'node-agent/main.js',
  /** Carries the connections of the browsers of a node agent, which starts it. */
  egress: 'node-agent/egress/main.js',
  /** The service as an MCP server over stdio. */
  'troupe-mcp': 'gateway/troupe-mcp.js',
  /** Prints which server library a gateway would use; its argument is SERVER_ENGINE. */
  'server-engine': 'gateway/server/engine-program.js',
  /** A thread; stands beside the module that starts it, bundled or not. */
  'thread-program': 'runtime/lib/schemas/thread-program.js',
} as const

/** Programs that share no file with others: they start faster. */
export const singleFilePrograms: readonly BundledProgram[] = ['troupe-browser']

export type BundledProgram = keyof typeof bundledPrograms

/** The path of a program. Throws if the package is not built. */
export const programPath = (program: BundledProgram): string => builtPath(`${program}.js`)

/** Arguments of Node for a role. Traces name the files and lines of the sources. */
export const roleArguments = (role: Role): readonly [string, ...string[]] => [
  '--enable-source-maps',
  programPath(role),
]
