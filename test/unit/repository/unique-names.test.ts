/**
 * Goal: a name means one thing. Method: read what every file outside test/ exports, and compare the
 * names between rooms, which are the folders of the second level.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'

const folders = ['proto', 'runtime', 'actors', 'gateway', 'node-agent']

/** Names that several rooms may export, each with the reason. There is no need of one so far. */
const allowed: Readonly<Record<string, string>> = {}

interface Export {
  readonly name: string
  readonly path: string
}

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let|enum) ([\w$]+)/gm
const listed = /^export (?:type )?\{([^}]*)\}(?! from)/gm
const imported = /^import (?:type )?\{([^}]*)\} from/gm

const itemsOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)]
    .flatMap((match) => match[1]!.split(','))
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '')

/** What a file imports and passes on under the same name is no second meaning of it. */
function exportsOf(path: string): Export[] {
  const text = readFileSync(join(packageRoot, path), 'utf8')
  const declared = [...text.matchAll(declaration)].map((match) => match[1]!)
  const passedOn = new Set(itemsOf(text, imported))
  const others = itemsOf(text, listed).filter((item) => !passedOn.has(item))
  const names = [...declared, ...others.map((item) => item.split(/\s+/).at(-1)!)]
  return [...new Set(names)].map((name) => ({ name, path }))
}

function sourcesIn(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
}

/** `runtime/store/nats/streams.ts` is in the room `runtime/store/store`. */
const roomOf = (path: string) => dirname(path).split('/').slice(0, 2).join('/')

const exported = folders.flatMap(sourcesIn).flatMap(exportsOf)

t.test('exports are found', async (t) => {
  const found = new Set(exported.map(({ name, path }) => `${path} ${name}`))
  t.ok(found.has('proto/codec.ts encode'))
  t.ok(found.has('runtime/config/config.ts Config') || found.has('runtime/config/config.ts Config'))
})

t.test('an exported name has one meaning in all rooms', async (t) => {
  const paths = new Map<string, string[]>()
  for (const { name, path } of exported) paths.set(name, [...(paths.get(name) ?? []), path])
  const shared = [...paths].filter(([, files]) => new Set(files.map(roomOf)).size > 1)
  const breaches = shared.filter(([name]) => !Object.hasOwn(allowed, name))
  t.same(
    breaches.map(([name, files]) => `${name}: ${files.join(', ')}`),
    [],
    'rename all but one of them after what it is, or allow the name above with a reason',
  )
})

t.test('names that are allowed twice are names that occur', async (t) => {
  const names = new Set(exported.map(({ name }) => name))
  t.same(
    Object.keys(allowed).filter((name) => !names.has(name)),
    [],
  )
})
