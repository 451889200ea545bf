/**
 * Goal: no error of a connection, a stream or a child ends a process of the service. Method: in every
 * source, what makes one is wrapped in `contained`, `containedChild` or `containedServer`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'

/** By module: the functions that make something with an event `error`. */
const makers: Readonly<Record<string, readonly string[]>> = {
  'node:net': ['connect', 'createConnection', 'createServer'],
  'node:tls': ['connect', 'createServer'],
  'node:http': ['request', 'get', 'createServer', 'ServerResponse'],
  'node:https': ['request', 'get', 'createServer'],
  'node:child_process': ['spawn', 'fork'],
  'node:fs': ['createReadStream', 'createWriteStream'],
  ws: ['WebSocket'],
}

const imported = /^import (?!type)([^']+?) from '([^']+)'$/gm

/** The names by which a source calls makers: as imported, renamed, or chosen between two of them. */
function namesIn(source: string): string[] {
  const names: string[] = []
  for (const [, what = '', module = ''] of source.matchAll(imported)) {
    for (const part of what.replace(/[{}\s]+/g, ' ').split(',')) {
      const [name = '', own = name] = part.trim().split(' as ')
      if (makers[module]?.includes(name)) names.push(own)
    }
  }
  for (const [, chosen = '', from = ''] of source.matchAll(/const (\w+) = [^\n]*\? (\w+) :/g)) {
    if (names.includes(from)) names.push(chosen)
  }
  return names
}

function uncontained(source: string): string[] {
  return namesIn(source).flatMap((name) => {
    const bare = new RegExp(
      `(?<!\\bcontained(?:Child|Server)?\\(\\s*(?:new )?)(?<!(?:[.#\\w]|function )|new )\\b(?:new )?${name}\\(`,
      'g',
    )
    return [...source.matchAll(bare)].map(([call]) => call)
  })
}

t.test('what is not wrapped is found', async (t) => {
  const net = "import { connect, createServer as serve } from 'node:net'\n"
  const http = "import { request } from 'node:http'\n"
  t.same(uncontained(`${net}const one = connect({ port })`), ['connect('])
  t.same(uncontained(`${net}const one = serve().listen(0)`), ['serve('])
  t.same(uncontained(`import WebSocket from 'ws'\nopen(new WebSocket(url))`), ['new WebSocket('])
  t.same(uncontained(`${http}const start = isPlain ? request : other\nstart(url)`), ['start('])
  for (const source of [
    `${net}const one = contained(connect({ port }))`,
    `${net}const one = contained(\n  connect({ port }),\n)`,
    `${net}const one = containedServer(serve(answer)).listen(0)`,
    `${net}class Client { #connect() {} }\nclient.connect()`,
    `${net}contained(new WebSocket(url))`,
    'connect({ port })',
  ]) {
    t.same(uncontained(source), [], source)
  }
})

t.test('every connection, stream and child is wrapped where it is made', async (t) => {
  const own = 'runtime/lib/network/contained.ts'
  const paths = ['runtime', 'gateway', 'node-agent', 'actors'].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  )
  t.ok(paths.includes(own), 'the sources are found')
  const found = paths.flatMap((path) =>
    uncontained(readFileSync(join(packageRoot, path), 'utf8')).map((call) => `${path}: ${call}`),
  )
  t.same(found, [], `wrap it in a function of ${own}`)
})
