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
  nats: /^(runtime\/store\/nats\/(connection|nats-bus|buckets|streams|server\/nkey)\.ts|test\/)/,
  // Loaded by the path of its binary, so that it is not needed for the build.
  'uWebSockets.js': /^gateway\/server\/uws\//,
  ws: /^(gateway\/server\/node\/|runtime\/browser-host\/channel\/web-socket\.ts$|test\/)/,
  // Of it, proto imports the list of devices alone.
  'puppeteer-core': /^(node-agent|test)\/|^proto\/session\/setup\/devices\.ts$/,
  x11: /^(node-agent|test)\//,
  '@simplewebauthn/server': /^gateway\/access\/passkeys\/passkeys\.ts$/,
  // It compiles users' schemas, which happens in a thread only.
  ajv: /^(runtime\/lib\/schemas\/validate\.ts|test\/)/,
  // Loaded only where an endpoint for traces is set.
  '@opentelemetry': /^runtime\/tracing\/open-telemetry\.ts$/,
  // Only its JSX, which turns pages into text.
  hono: /^gateway\/html\//,
}

/** The rooms of the runtime from the ground up: each imports itself and those before it. */
const runtimeRooms = [
  'lib',
  'config',
  'tracing',
  'store',
  'cluster',
  'actor',
  'browser-host',
  'accounts',
  'blobs',
  'profiles',
  'extensions',
  'site-logins',
  'access',
  'usage',
  'service-audit',
  'webhooks',
  'process',
  'cli',
] as const

/** These know no session, no task and no browser: of proto they import its loose files alone. */
const plainRooms = ['lib', 'store', 'cluster', 'actor']

/** Imports that break a rule of rooms, each with its reason. */
const roomExceptions: ReadonlySet<string> = new Set([
  // The table of all settings imports what reads those of others.
  'runtime/config/config.ts → runtime/accounts/credentials/settings.ts',
  'runtime/config/config.ts → runtime/accounts/seal/seal-keys.ts',
  'runtime/config/config.ts → runtime/webhooks/settings.ts',
  // For how long a stream keeps what it has.
  'runtime/store/nats/stream-plan.ts → proto/access/limits.ts',
  'runtime/store/nats/stream-plan.ts → proto/access/webhooks/webhook-limits.ts',
])

/** Files of sources beside each other: a folder with more is more than one idea. */
const looseMax = 12

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

/** The room of a file: the folder below its top folder, or that folder itself for a loose file. */
const roomOf = (path: string) => path.split('/').slice(0, -1).slice(0, 2).join('/')

t.test('no two rooms import each other', async (t) => {
  const arrows = new Set(
    sources
      .filter(({ folder }) => folder !== 'test')
      .flatMap((source) =>
        targets(source)
          // A limit that several rooms of a role need lies above them.
          .filter((to) => !isException(source, to) && !to.endsWith('/limits.ts'))
          .map((to) => `${roomOf(source.path)} → ${roomOf(to)}`),
      ),
  )
  const isBack = (arrow: string) => {
    const [from, to] = arrow.split(' → ')
    return from !== to && from!.includes('/') && arrows.has(`${to} → ${from}`)
  }
  t.same([...arrows].filter(isBack), [])
})

t.test('only one file knows where the programs of other folders are', async (t) => {
  const found = breaches((source) => {
    if (source.folder === 'test' || source.path === 'runtime/process/programs.ts') return []
    const urls = [...source.text.matchAll(/new URL\(\s*['"`](\.[^'"`]+)['"`]/g)].map((m) => m[1]!)
    return urls.filter((url) => target(source, url).split('/')[0] !== source.folder)
  })
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

/** What a source imports of ours, as paths from the top of the tree. */
const targets = (source: Source): readonly string[] =>
  source.imports.filter(isOurs).map((name) => target(source, name))

/** Rooms of `proto` that know what the service is about. */
const knowsMore = /^proto\/(?!json\/)[^/]+\//

const isException = (source: Source, to: string) => roomExceptions.has(`${source.path} → ${to}`)

t.test('a room of the runtime imports only those below it', async (t) => {
  const level = (path: string) => {
    const [top, room] = path.split('/')
    return top === 'runtime' ? runtimeRooms.findIndex((name) => name === room) : -1
  }
  const runtime = sources.filter(({ folder }) => folder === 'runtime')
  t.same(
    runtime.filter(({ path }) => level(path) < 0).map(({ path }) => path),
    [],
    'each file is in a room',
  )
  const found = breaches((source) =>
    source.folder === 'runtime'
      ? targets(source).filter((to) => level(to) > level(source.path) && !isException(source, to))
      : [],
  )
  t.same(found, [])
})

t.test('the effects of a task, and its rules, know its state but not its machine', async (t) => {
  const task = 'actors/task/'
  const found = breaches((source) => {
    const isInside = source.path.startsWith(task) && source.path.slice(task.length).includes('/')
    const isMachine = source.path.startsWith(`${task}machine/`)
    return targets(source).filter((to) => {
      if (isMachine) return to.startsWith(`${task}step/`) || to.startsWith(`${task}effects/`)
      return isInside && to.startsWith(`${task}machine/`)
    })
  })
  t.same(found, [])
})

t.test(`${plainRooms.join(', ')} know no session, no task and no browser`, async (t) => {
  const found = breaches((source) => {
    const [top, room] = source.path.split('/')
    if (top !== 'runtime' || !plainRooms.includes(room!)) return []
    return targets(source).filter((to) => knowsMore.test(to) && !isException(source, to))
  })
  t.same(found, [])
})

t.test('the server of the gateway knows no session', async (t) => {
  const found = breaches((source) =>
    source.path.startsWith('gateway/server/')
      ? targets(source).filter((to) =>
          to.startsWith('gateway/') ? !to.startsWith('gateway/server/') : knowsMore.test(to),
        )
      : [],
  )
  t.same(found, [])
})

t.test('no files import each other in a circle, for types neither', async (t) => {
  const imports = new Map(sources.map((source) => [source.path, targets(source)]))
  t.same(circles(imports), [])
})

t.test(`no folder has more than ${looseMax} sources beside each other`, async (t) => {
  const counts = new Map<string, number>()
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  const found = [...counts].filter(([, count]) => count > looseMax)
  t.same(found, [])
})

/** One circle for each way back that a walk in depth finds. */
function circles(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>()
  const way: string[] = []
  const found: string[] = []
  const walk = (path: string) => {
    way.push(path)
    for (const to of imports.get(path) ?? []) {
      const since = way.indexOf(to)
      if (since >= 0) found.push([...way.slice(since), to].join(' → '))
      else if (!done.has(to)) walk(to)
    }
    way.pop()
    done.add(path)
  }
  for (const path of imports.keys()) if (!done.has(path)) walk(path)
  return found
}
