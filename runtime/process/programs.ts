/**
 * The programs that people and processes start; no other code names their files. The build bundles
 * each, since reading a thousand modules would be most of its start.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../lib/package.ts'
import type { Role } from '../../proto/ids.ts'

/** What each program is bundled from, in `dist`. */
export const bundledPrograms = {
  troupe: 'runtime/cli/main.js',
  gateway: 'gateway/main.js',
  actors: 'actors/main.js',
  'node-agent': 'node-agent/main.js',
  /** The service as an MCP server over stdio. */
  'troupe-mcp': 'gateway/troupe-mcp.js',
  /** Prints which server library a gateway would use; its argument is SERVER_ENGINE. */
  'server-engine': 'gateway/server/engine-program.js',
  /** A thread; stands beside the module that starts it, bundled or not. */
  'thread-program': 'runtime/lib/schemas/thread-program.js',
} as const

export type BundledProgram = keyof typeof bundledPrograms

/** Bundles of code that runs in pages, and the module in `dist` that each is made of. */
export const pageBundles = {
  /** All that the agent calls in isolated worlds; installed once in each document. */
  page: 'node-agent/in-page/page.js',
  /** For the hidden page of a clipboard, where it is installed too. */
  clipboard: 'node-agent/in-page/clipboard.js',
  // The others are sent with each call, so each is small.
  'document-state': 'node-agent/in-page/document-state.js',
  frameworks: 'node-agent/in-page/snapshot/listeners/frameworks.js',
  itself: 'node-agent/in-page/itself.js',
  'page-audit': 'actors/access/job/seo/in-page/page-audit.js',
  marks: 'node-agent/in-page/marks.js',
  popups: 'node-agent/in-page/popups.js',
  scripting: 'node-agent/in-page/scripting.js',
} as const

export type PageBundle = keyof typeof pageBundles

export const bundleFolder = join(packageRoot, 'dist/bundle')

/** The path of a program. Throws if the package is not built. */
export const programPath = (program: BundledProgram): string => builtPath(`${program}.js`)

/** The path of a script that declares `page`, an object of functions; its map is beside it. */
export const pageBundlePath = (bundle: PageBundle): string => builtPath(`page/${bundle}.js`)

function builtPath(name: string): string {
  const path = join(bundleFolder, name)
  if (!existsSync(path)) throw new Error(`${path} is missing: build with \`npm run build\``)
  return path
}

/** Arguments of Node for a role. Traces name the files and lines of the sources. */
export const roleArguments = (role: Role): readonly [string, ...string[]] => [
  '--enable-source-maps',
  programPath(role),
]
