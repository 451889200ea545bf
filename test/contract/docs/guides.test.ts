/**
 * Goal: what the guides say works as it stands. Method: every block marked `run` is run as a reader
 * would paste it, against one service and a page in place of example.com. A client generated from
 * `/openapi.json` is compiled and calls the same service.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { textOfHtml } from '../../../gateway/docs/html-text.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { guides, type GuideBlock } from '../../helpers/pages/guide-blocks.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { startService, troupe } from '../../helpers/service/service.ts'

const page = `<!doctype html><title>Example</title><h1>Example</h1>
<p><label>Name <input id="name"></label> <input type="file" aria-label="File">
<button onclick="this.textContent = 'Hello'">Say hello</button>
<a download="report.csv" href="/report.csv">Download</a>`

const site = await serveWebPage(page)
t.teardown(() => site.close())
const service = await startService({
  env: { POOL_HEADLESS: '1', POOL_HEADFUL: '1', MAX_SESSIONS: '8' },
})
t.teardown(() => service.stop())
/** Programs find packages as in a clone, and write their files here. */
const folder = mkdtempSync(join(tmpdir(), 'troupe-guides-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'))
/** As where the program is installed. */
mkdirSync(join(folder, 'bin'))
writeFileSync(join(folder, 'bin/troupe'), `#!/bin/sh\nexec node ${troupe} "$@"\n`, { mode: 0o755 })
writeFileSync(join(folder, '.curlrc'), 'fail-with-body\n')
t.afterEach(() => service.rest('DELETE', '/v1/sessions/all'))

interface Ran {
  readonly code: number
  readonly output: string
}

function run(program: string, args: readonly string[]): Promise<Ran> {
  const env = { PATH: `${folder}/bin:${process.env['PATH']}`, HOME: folder, CURL_HOME: folder }
  return new Promise((done) => {
    execFile(program, [...args], { cwd: folder, env }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : 1, output: `${stdout}${stderr}` })
    })
  })
}

const here = (text: string) =>
  text
    .replaceAll('http://127.0.0.1:8080', service.baseUrl)
    .replaceAll('https://example.com', site.url.replace(/\/$/, ''))

async function works(t: Test, what: string, ran: Promise<Ran>): Promise<void> {
  const { code, output } = await ran
  t.equal(code, 0, `${what}\n${output}`)
}
const starts: Readonly<Record<GuideBlock['language'], (text: string) => Promise<Ran>>> = {
  sh: (text) => run('bash', ['--norc', '-euo', 'pipefail', '-c', text]),
  js: (text) => run(process.execPath, ['--input-type=module', '-e', text]),
  python: (text) => run('python3', ['-c', text]),
}

for (const { name, runs } of guides.filter((guide) => guide.runs.length > 0)) {
  t.test(`the lines of ${name}`, async (t) => {
    // A reader pastes the blocks of a shell one after the other into the same one.
    const shell = runs.filter(({ language }) => language === 'sh')
    const text = shell.map((block) => block.text).join('\n')
    if (text !== '') await works(t, 'sh', starts.sh(here(text)))
    for (const { language, text } of runs.filter((block) => block.language !== 'sh')) {
      await works(t, text, starts[language](here(text)))
    }
  })
}

t.test('the lines of the start page', async (t) => {
  const page = await (await fetch(service.baseUrl)).text()
  const codes = [...page.matchAll(/<code id="code-([a-z]+)">(.*?)<\/code>/gs)]
  const lines = new Map(codes.map(([, name = '', code = '']) => [name, textOfHtml(code, '')]))
  t.same([...lines.keys()], ['curl', 'playwright', 'puppeteer', 'python', 'mcp', 'shell', 'task'])
  for (const name of ['curl', 'shell']) {
    const text = lines.get(name)!.replaceAll('npm run troupe --', 'troupe')
    await works(t, name, starts.sh(text))
  }
  for (const name of ['playwright', 'puppeteer']) {
    const ran = starts.js(lines.get(name)!)
    await works(t, name, ran)
    t.match((await ran).output, 'Troupe demo page', name)
  }
  await works(
    t,
    'python',
    run('python3', ['-c', 'import sys; compile(sys.argv[1], "-", "exec")', lines.get('python')!]),
  )
  t.match(lines.get('mcp'), `${service.baseUrl}/mcp`)
  t.match(lines.get('task'), `${service.baseUrl}/v1/tools/perform-web-task`)
})

t.test('guides with lines for a shell or Node have some that are run', async (t) => {
  const without = guides
    .filter(({ languages, runs }) => languages.includes('js') && runs.length === 0)
    .map(({ name }) => name)
  t.same(without, [])
  t.ok(guides.flatMap(({ runs }) => runs).length > 20)
})

/**
 * openapi-typescript calls the JavaScript API of TypeScript 5, which TypeScript 7 does not have:
 * its imports lead to the one that tap brings along.
 */
function withOlderTypeScript(): readonly string[] {
  const tap = createRequire(createRequire(import.meta.url).resolve('@tapjs/test/package.json'))
  const typescript = pathToFileURL(tap.resolve('typescript')).href
  const hooks = `export const resolve = (name, context, next) =>
    name === 'typescript'
      ? { url: ${JSON.stringify(typescript)}, format: 'commonjs', shortCircuit: true }
      : next(name, context)`
  writeFileSync(join(folder, 'hooks.mjs'), hooks)
  const register = `import { register } from 'node:module'
register(${JSON.stringify(pathToFileURL(join(folder, 'hooks.mjs')).href)})`
  writeFileSync(join(folder, 'register.mjs'), register)
  return ['--import', pathToFileURL(join(folder, 'register.mjs')).href]
}

const client = `import createClient from 'openapi-fetch'
import type { paths } from './paths.ts'

const client = createClient<paths>({
  baseUrl: process.env['BASE'] ?? '',
  headers: { 'service-api-key': 'dev-local-key' },
})
const made = await client.POST('/v1/sessions', {
  params: {},
  body: { session: { tags: ['typed'] }, browser: { headless: { active: true } } },
})
if (!made.data) throw new Error(made.error.error.message)
const session_id: string = made.data.data.id
const { data: list } = await client.GET('/v1/sessions', { params: { query: { tags: 'typed' } } })
const count: number = list!.data.sessions.length
if (count !== 1) throw new Error('the list has ' + count)
const typed = await client.POST('/v1/sessions/{session_id}/goto', {
  params: { path: { session_id } },
  body: { url: 'about:blank' },
})
if (typed.data?.status !== 'success') throw new Error('not gone there')
const gone = await client.GET('/v1/sessions/{session_id}', {
  params: { path: { session_id: 'ses_unknown' } },
})
if (gone.error?.error.code !== 404) throw new Error('no error')
// @ts-expect-error Tags are a list.
const wrong = () => client.POST('/v1/sessions', { body: { session: { tags: 'none' } } })
// @ts-expect-error Nor does this path.
const nowhere = () => client.GET('/v1/nothing')
void wrong, nowhere
await client.DELETE('/v1/sessions/{session_id}', { params: { path: { session_id } } })
`

t.test('a client generated from /openapi.json compiles, and works', async (t) => {
  const require = createRequire(import.meta.url)
  const generator = join(dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js')
  const source = `${service.baseUrl}/openapi.json`
  const generated = [...withOlderTypeScript(), generator, source, '-o', 'paths.ts']
  await works(t, 'generate', run(process.execPath, generated))
  const types = ['--lib', 'es2023,dom', '--types', 'node', '--typeRoots', 'node_modules/@types']
  const options = [
    ...['--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', ...types],
    ...['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions', '--outDir', 'out'],
  ]
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(folder, 'client.ts'),
    client.replace("process.env['BASE'] ?? ''", JSON.stringify(service.baseUrl)),
  )
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')
  await works(t, 'compile', run(process.execPath, [compiler, ...options, 'client.ts']))
  await works(t, 'call', run(process.execPath, ['out/client.js']))
})
