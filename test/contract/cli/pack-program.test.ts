/**
 * Goal: `troupe-mcp` and `troupe browser` install from the tarballs that `npm run pack-mcp` and
 * `npm run pack-browser` make, without a network and without this folder. Method: npm installs them in
 * an empty folder with a registry that does not answer; an MCP client starts the one program from
 * there, and the other opens a page, against a real service.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { packageRoot, version } from '../../../runtime/lib/package.ts'
import { overStdio } from '../../helpers/browser/mcp.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { startService } from '../../helpers/service/service.ts'

const run = promisify(execFile)
const nowhere = 'http://127.0.0.1:9'

const site = await serveWebPage('<title>Packed</title><button>Send</button>')
t.teardown(() => site.close())
const service = await startService()
t.teardown(() => service.stop())
const folder = mkdtempSync(join(tmpdir(), 'troupe-packed-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
/** Neither settings of npm nor modules of the caller. */
const env = { PATH: process.env['PATH'] ?? '', HOME: folder, npm_config_registry: nowhere }

/** Returns the path of the command. */
async function install(t: Test, name: string, bin: string): Promise<string> {
  const pack = join(packageRoot, 'runtime/deploy/pack-program.js')
  const { stdout } = await run(process.execPath, [pack, name, folder], { env, cwd: folder })
  const tarball = stdout.trim()
  t.equal(tarball, join(folder, `${name}-${version}.tgz`))
  const prefix = join(folder, `of-${name}`)
  mkdirSync(prefix)
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', prefix]
  await run('npm', ['install', ...options, tarball], { env, cwd: folder })
  t.same(readdirSync(join(prefix, 'node_modules', '.bin')), [bin])
  const program = join(prefix, 'node_modules/.bin', bin)
  t.equal((await run(program, ['--version'], { env, cwd: folder })).stdout, `${version}\n`)
  return program
}

t.test('an MCP client drives a browser through troupe-mcp', async (t) => {
  const program = await install(t, 'troupe-mcp', 'troupe-mcp')
  const settings = { SVC_BASE: service.baseUrl, SVC_API_KEY: service.key, HOME: folder }
  const client = await overStdio('legacy', settings, program)
  t.teardown(() => client.close())
  const { isError, text } = await client.call('browser_navigate', { url: site.url })
  t.notOk(isError, text)
  t.match(text, /e\d+ button "Send"/)
})

t.test('troupe-browser opens a page and closes it', async (t) => {
  const program = await install(t, 'troupe-browser', 'troupe')
  const settings = { ...env, SVC_BASE: service.baseUrl, SVC_API_KEY: service.key }
  const browser = (...args: readonly string[]) =>
    run(program, ['browser', ...args], { env: settings, cwd: folder })
  t.match((await browser('open', site.url)).stdout, /e\d+ button "Send"/)
  t.match((await browser('click', '--help')).stdout, /^Usage: troupe browser click TARGET/m)
  t.match((await browser('close')).stdout, /^Closed ses_/)
})
