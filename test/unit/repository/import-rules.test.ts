// Goal: the shape of the tree stays what design says it is. Method: read every import of every
// source file.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'

const folders = ['proto', 'runtime', 'actors', 'gateway', 'node-agent', 'test'] as const
type Folder = (typeof folders)[number]

/**
 * The folders of ours that a folder may import, besides itself. The roles never import each other.
 */
const mayImport: Readonly<Record<Folder, readonly Folder[]>> = {
  proto: [],
  runtime: ['proto'],
  actors: ['proto', 'runtime'],
  gateway: ['proto', 'runtime'],
  'node-agent': ['proto', 'runtime'],
  test: folders,
}

/**
 * Packages that only one place imports: other code uses that place. Tests use their own clients.
 */
const doors: Readonly<Record<string, RegExp>> = {
  nats: /^(runtime\/store\/nats\/(connection|buckets|streams|server\/nkey)\.ts|test\/)/,
  // Loaded by the path of its binary, so that it is not needed for the build.
  'uWebSockets.js': /^gateway\/server\/uws\//,
  ws: /^(gateway\/server\/node\/|runtime\/browser-host\/channel\/web-socket\.ts$|test\/)/,
  'puppeteer-core': /^(node-agent|test)\//,
  x11: /^(node-agent|test)\//,
  '@simplewebauthn/server': /^gateway\/access\/passkeys\/passkeys\.ts$/,
  // It compiles users' schemas, which happens in a thread only.
  ajv: /^(runtime\/lib\/schemas\/validate\.ts|test\/)/,
  // Only its JSX, which turns pages into text.
  hono: /^gateway\/html\//,
}

const linesMax = 400

interface Source {
  readonly path: string
  readonly folder: Folder
  readonly text: string
  readonly imports: readonly string[]
}

const importPattern =
  /^\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm

function read(folder: Folder): Source[] {
  return readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => {
      const path = join(folder, name)
      const text = readFileSync(join(packageRoot, path), 'utf8')
      const imports = [...text.matchAll(importPattern)].map((m) => (m[1] ?? m[2] ?? m[3])!)
      return { path, folder, text, imports }
    })
}

const sources = folders.flatMap(read)

/** The file that a relative import names, from the root of the tree. */
const target = (source: Source, name: string) => normalize(join(dirname(source.path), name))
const isOurs = (name: string) => name.startsWith('.')

function breaches(rule: (source: Source) => readonly string[]): string[] {
  return sources.flatMap((source) => rule(source).map((what) => `${source.path}: ${what}`))
}

t.test('sources are found and their imports are read', async (t) => {
  const self = sources.find((source) => source.path === 'test/unit/repository/import-rules.test.ts')
  t.ok(self?.imports.includes('../../../runtime/lib/package.ts'))
  t.ok(sources.some((source) => source.path === 'proto/subjects.ts'))
})

t.test('a folder imports only folders below it, and roles never import each other', async (t) => {
  const found = breaches((source) =>
    source.imports.filter(isOurs).filter((name) => {
      const folder = target(source, name).split('/')[0] as Folder
      return folder !== source.folder && !mayImport[source.folder].includes(folder)
    }),
  )
  t.same(found, [])
})

t.test('gateway/mcp uses HTTP and imports only proto of our code', async (t) => {
  const found = breaches((source) =>
    source.path.startsWith('gateway/mcp/') && !source.path.startsWith('gateway/mcp/endpoint/')
      ? source.imports
          .filter(isOurs)
          .filter((name) => !/^(proto|gateway\/mcp)\//.test(target(source, name)))
      : [],
  )
  t.same(found, [])
})

t.test('restricted packages are imported only by their one place', async (t) => {
  const found = breaches((source) =>
    source.imports.filter((name) => {
      const door = doors[name.split('/')[0]!]
      return door !== undefined && !door.test(source.path)
    }),
  )
  t.same(found, [])
})

t.test('imports of our files name the .ts or .tsx file', async (t) => {
  const found = breaches((source) =>
    source.imports.filter(isOurs).filter((name) => !/\.(tsx?|json)$/.test(name)),
  )
  t.same(found, [])
})

t.test('nothing is exported as default', async (t) => {
  t.same(
    breaches((source) => source.text.match(/^export (default\b|\{[^}]*\bas default\b)/gm) ?? []),
    [],
  )
})

t.test(`no file is longer than ${linesMax} lines`, async (t) => {
  const found = breaches((source) => {
    const lines = source.text.split('\n').length - 1
    return lines > linesMax ? [`${lines} lines`] : []
  })
  t.same(found, [])
})
