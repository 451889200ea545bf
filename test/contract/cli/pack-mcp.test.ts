/**
 * Goal: `troupe-mcp` installs from the tarball that `npm run pack-mcp` makes, without a network and
 * without this folder. Method: npm installs it in an empty folder with a registry that does not
 * answer; an MCP client starts the program from there, against a real service.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
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

t.test('it installs in an empty folder, with npm alone', async (t) => {
  const pack = join(packageRoot, 'runtime/deploy/pack-mcp.js')
  const { stdout } = await run(process.execPath, [pack, folder], { env, cwd: folder })
  const tarball = stdout.trim()
  t.equal(tarball, join(folder, `troupe-mcp-${version}.tgz`))
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
  await run('npm', ['install', ...options, tarball], { env, cwd: folder })
  t.same(readdirSync(join(folder, 'node_modules', '.bin')), ['troupe-mcp'])
  const program = join(folder, 'node_modules/.bin/troupe-mcp')
  t.equal((await run(program, ['--version'], { env, cwd: folder })).stdout, `${version}\n`)
})

t.test('an MCP client drives a browser through it', async (t) => {
  const settings = { SVC_BASE: service.baseUrl, SVC_API_KEY: service.key, HOME: folder }
  const program = join(folder, 'node_modules/.bin/troupe-mcp')
  const client = await overStdio('legacy', settings, program)
  t.teardown(() => client.close())
  const { isError, text } = await client.call('browser_navigate', { url: site.url })
  t.notOk(isError, text)
  t.match(text, /e\d+ button "Send"/)
})
