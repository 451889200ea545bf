// Goal: each program is one file and the chunks that it shares, with nothing left to look up but
// what has to be, and a place in it leads back to the line of the source. Method: the bundles of
// the last build are read, and one is made again.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin, SourceMap, type SourceMapPayload } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { bundleFolder, packageRoot } from '../../../../runtime/lib/package.ts'
import {
  bundledPrograms,
  programPath,
  type BundledProgram,
} from '../../../../runtime/process/programs.ts'

const files = readdirSync(bundleFolder).filter((name) => name.endsWith('.js'))
const textOf = (name: string) => readFileSync(join(bundleFolder, name), 'utf8')
const imported = /^(?:import|export)\b[^'"`;]*?\bfrom "([^"]+)";$|^import "([^"]+)";$/gm

/** A native package looks for files beside its own. */
const native = ['lmdb']

t.test('a bundle imports chunks, native packages and what is built in', async (t) => {
  for (const name of files) {
    for (const [, from, bare] of textOf(name).matchAll(imported)) {
      const path = from ?? bare!
      if (isBuiltin(path) || native.includes(path)) continue
      t.match(path, /^\.\/chunk-\w+\.js$/, name)
      t.ok(existsSync(join(bundleFolder, path)), `${name}: ${path}`)
    }
  }
})

t.test('a class keeps its name, by which packages tell errors apart', async (t) => {
  const renamed = files.flatMap((file) => {
    const text = textOf(file)
    const names = [...text.matchAll(/= class _(\w+)/g)].map(([, name]) => name!)
    t.same(
      names.filter((name) => !text.includes(`__name(this, "${name}")`)),
      [],
      file,
    )
    return names
  })
  t.ok(renamed.includes('RequestError'), 'of the proxy, which answers 500 for others')
})

t.test('no chunk of an earlier build is left', async (t) => {
  const programs = Object.keys(bundledPrograms).map((name) => `${name}.js`)
  const texts = files.map(textOf)
  for (const name of files.filter((file) => !programs.includes(file))) {
    t.ok(
      texts.some((text) => text.includes(`./${name}`)),
      name,
    )
  }
})

t.test('a place in a bundle leads to the line of its source', async (t) => {
  const places: readonly (readonly [BundledProgram, string])[] = [
    ['gateway', 'async function openGateway('],
    ['node-agent', 'async function openNodeAgent('],
    ['actors', 'function actorKinds('],
  ]
  for (const [program, text] of places) {
    const lines = readFileSync(programPath(program), 'utf8').split('\n')
    const line = lines.findIndex((one) => one.includes(text))
    const map = new SourceMap(
      JSON.parse(readFileSync(`${programPath(program)}.map`, 'utf8')) as SourceMapPayload,
    )
    const entry = map.findEntry(line, 0)
    t.ok('originalSource' in entry, `${program}: ${text} is mapped`)
    if (!('originalSource' in entry)) continue
    const source = readFileSync(join(bundleFolder, entry.originalSource), 'utf8').split('\n')
    t.match(source[entry.originalLine], text, entry.originalSource)
  }
})

t.test('the same sources make the same bundles', async (t) => {
  // In two folders of equal depth, since maps name their sources from there.
  const [one = '', other = ''] = ['one', 'other'].map((name) => {
    const folder = join(t.testdirName, name)
    execFileSync(process.execPath, [join(packageRoot, 'runtime/deploy/bundle.js'), folder])
    return folder
  })
  const namesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(js|map)$/.test(name),
    )
  const names = namesIn(one)
  t.same(namesIn(other), names)
  t.ok(names.includes('page/page.js'))
  for (const name of names) {
    t.ok(readFileSync(join(one, name)).equals(readFileSync(join(other, name))), name)
  }
})
