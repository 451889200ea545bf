/**
 * Which source files run others: by an import, or by starting them as a program. Types alone are no
 * reason, since they are gone when the code runs.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const rooms = ['proto', 'runtime', 'gateway', 'actors', 'node-agent', 'test']

const isSource = /\.tsx?$/
const names = String.raw`(?:\{[^}]*\}|\*(?: as \w+)?|\w+(?:,\s*\{[^}]*\})?)`
const loads = new RegExp(
  [
    String.raw`^(?:import|export)\s+(?!type\b)${names}\s+from\s+'(\.[^']+)'`,
    String.raw`^import '(\.[^']+)'`,
    String.raw`\bimport\(\s*'(\.[^']+)'`,
    String.raw`new URL\('(\.[^']+)', import\.meta\.url\)`,
    // A program's path from the root, as the list of them has it.
    String.raw`'((?:${rooms.join('|')})/[\w/-]+\.js)'`,
  ].join('|'),
  'gm',
)

/** Paths from the repository's root, with `/`. */
export interface SourceGraph {
  readonly files: readonly string[]
  /** How many steps away from `changed` each file is that reaches one of them; 0 is itself. */
  reaching(changed: readonly string[]): ReadonlyMap<string, number>
}

export function readSourceGraph(root: string): SourceGraph {
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => isSource.test(name) && !name.includes('node_modules'))
      .map((name) => posix.join(room, name)),
  )
  return graphOf(new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])))
}

export function graphOf(sources: ReadonlyMap<string, string>): SourceGraph {
  const usersOf = new Map<string, string[]>()
  for (const [file, text] of sources) {
    for (const used of loadedBy(file, text)) {
      const users = usersOf.get(used) ?? []
      users.push(file)
      usersOf.set(used, users)
    }
  }
  return {
    files: [...sources.keys()],
    reaching(changed) {
      const steps = new Map(changed.map((file) => [file, 0]))
      // A Map also yields what is added while it is read, so this is a breadth-first search.
      for (const [file, step] of steps) {
        for (const user of usersOf.get(file) ?? []) {
          if (!steps.has(user)) steps.set(user, step + 1)
        }
      }
      return steps
    },
  }
}

function* loadedBy(file: string, text: string): Iterable<string> {
  for (const match of text.matchAll(loads)) {
    const path = match.slice(1).find((group) => group !== undefined)!
    const used = path.startsWith('.') ? posix.join(posix.dirname(file), path) : path
    // A program is started by the name of what it was compiled to.
    yield used.replace(/\.js$/, '.ts')
  }
}
