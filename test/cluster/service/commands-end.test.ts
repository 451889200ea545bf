// Goal: a command that is documented ends on SIGTERM, and everything that it started with it.
// Method: started as the documents say, by npm in the folder of the package, with a real nats-server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { descendantsOf, isRunning } from '../../helpers/lib/processes.ts'
import { until } from '../../helpers/lib/until.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { isolationHere } from '../../helpers/service/isolation-here.ts'

const nats = await startNats(t)
const dir = mkdtempSync(join(tmpdir(), 'troupe-commands-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))

const env = {
  ...{ PATH: process.env['PATH'] ?? '', ...nats.env, ...isolationHere },
  ...{ HOME: dir, DATA_DIR: join(dir, 'data'), LOG_LEVEL: 'info', NODE_ID: 'here' },
  ...{ PORT: '0', POOL_HEADLESS: '0', POOL_HEADFUL: '0' },
}

// Actor hosts come first, because they create the streams for which gateways wait.
for (const [command, sign] of [
  ['actors', /"msg":"ready"/],
  ['gateway', /"msg":"(ready|.*wait.*)"/],
  ['node-agent', /"msg":"ready"/],
  ['up', /Troupe is up/],
] as const) {
  t.test(`npm run troupe -- ${command} ends with its processes`, async (t) => {
    const line = `exec npm run troupe -- ${command}`
    const child = spawn('/bin/sh', ['-c', line], { cwd: packageRoot, env, stdio: 'pipe' })
    const exited = once(child, 'exit')
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    }
    await until(`${command} runs`, () => {
      if (child.exitCode !== null) throw new Error(output)
      return sign.test(output)
    })
    const started = descendantsOf(child.pid!)
    t.ok(started.length > 0)
    child.kill('SIGTERM')
    await exited
    await until('all of them have ended', () => !started.some(({ pid }) => isRunning(pid)))
    t.pass(`it took ${started.length} processes with it`)
  })
}

t.test('a command that does not run on ends with the same exit code', async (t) => {
  const line = 'exec npm run -s troupe -- upp'
  const child = spawn('/bin/sh', ['-c', line], { cwd: packageRoot, env, stdio: 'pipe' })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number]
  t.equal(code, 2)
  t.match(said, 'See `npm run troupe -- --help`.')
})
