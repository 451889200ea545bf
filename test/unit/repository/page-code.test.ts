// Goal: what is sent to pages needs nothing that is not sent with it. Method: what is made of each
// module of page code is run in an empty realm, and oxlint looks for names that neither it nor the
// DOM declares.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { pageFunctions, pageScopeOf } from '../../../runtime/browser-host/page-functions.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'

const rooms = ['node-agent/in-page', 'actors/access/job/seo/in-page']

type Module = Readonly<Record<string, () => unknown>>

/** Compiled, as they are sent. */
async function modulesOf(room: string): Promise<readonly (readonly [string, Module])[]> {
  const folder = join(packageRoot, 'dist', room)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.js'))
  return Promise.all(
    files.map(async (name) => [name, (await import(join(folder, name))) as Module] as const),
  )
}

const modules = (await Promise.all(rooms.map(modulesOf))).flat()

async function namesMissingIn(dir: string): Promise<string> {
  const config = join(dir, 'oxlint.json')
  const env = { browser: true, es2024: true }
  const rules = { 'no-undef': 'error' }
  writeFileSync(config, JSON.stringify({ categories: { correctness: 'off' }, env, rules }))
  const oxlint = join(packageRoot, 'node_modules/.bin/oxlint')
  return promisify(execFile)(oxlint, ['-c', config, '--format=unix', '.'], {
    cwd: dir,
  }).then(
    ({ stdout }) => stdout.trim(),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
  )
}

t.test('what a module exports can be declared where there is nothing else', async (t) => {
  t.ok(modules.length > 10)
  for (const [name, page] of modules) {
    const scope = pageScopeOf(page)
    t.doesNotThrow(() => runInNewContext(`'use strict'\n${scope}`), name)
    const [first] = Object.values(pageFunctions(page))
    if (first) t.type(runInNewContext(`(${first.source})`), 'function', name)
  }
})

t.test('no function uses a name that is not sent with it', async (t) => {
  // Not below the repository, where oxlint leaves out what git ignores.
  const dir = mkdtempSync(join(tmpdir(), 'troupe-page-code-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  for (const [name, page] of modules) {
    writeFileSync(join(dir, name.replaceAll('/', '-')), pageScopeOf(page))
  }
  t.equal(await namesMissingIn(dir), '')
  writeFileSync(join(dir, 'wrong.js'), 'const one = () => two()')
  t.match(await namesMissingIn(dir), /'two' is not defined/)
})

t.test('arguments are values, and never part of the text', async (t) => {
  const { greet } = pageFunctions({ greet: (name: string) => `Hello ${name}` })
  const called = runInNewContext(`(${greet.source})`) as (name: string) => string
  t.equal(called('`${1}`'), 'Hello `${1}`')
})

t.test('a class follows the one that it extends', async (t) => {
  class Base {
    readonly name = 'base'
  }
  class Above extends Base {}
  const text = `${pageScopeOf({ Above, Base })}\n;new Above().name`
  t.equal(runInNewContext(text), 'base')
})

t.test('texts, patterns, sets and lists are sent as they are', async (t) => {
  const page = {
    words: new Set(['a', 'b']),
    pattern: /x\/y/gi,
    table: { one: [1, null], two: 'zwei' },
    show: () => 0,
  }
  const text = `${pageScopeOf(page)}\n;[[...words], String(pattern), table]`
  t.same(runInNewContext(text), [['a', 'b'], '/x\\/y/gi', { one: [1, null], two: 'zwei' }])
})
