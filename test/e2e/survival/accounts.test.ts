// Goal: accounts survive a restart, the command line and REST see the same ones, and no secret
// appears in the log, in the data folder or in a process that does not need it. Method: the whole
// service at debug level, killed and started again on the same folder.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { bytesAsText, filesBelow } from '../../helpers/files/files-below.ts'
import { processesNaming } from '../../helpers/lib/processes.ts'
import { startService, troupe, type Service } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const secrets = {
  environment: 'sk-of-the-environment-0011',
  rest: 'gsk_of-a-tenant-2233',
  terminal: 'xai-of-everybody-4455',
}
const env = { OPENAI_API_KEY: secrets.environment, LOG_LEVEL: 'debug', POOL_HEADLESS: '1' }
const printed: string[] = []

const first = await startService({ env })
const { dataDir } = first
t.teardown(() => first.stop())

/** Finds the service, and the key of its secrets, by the folder alone. */
async function credentials(...args: readonly string[]): Promise<string> {
  const command = [troupe, 'credentials', ...args]
  const running = promisify(execFile)(process.execPath, command, {
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
  })
  running.child.stdin!.end(secrets.terminal)
  const { stdout, stderr } = await running
  printed.push(stdout, stderr)
  return stdout
}

async function listed({ rest }: Service) {
  const { body } = await rest<{ data: object }>('GET', '/v1/credentials')
  printed.push(JSON.stringify(body))
  return body.data
}

const all = {
  credentials: [{ provider: 'groq', kind: 'api_key', hint: '2233' }],
  shared: ['openai', 'xai'],
  default: 'groq',
}

await t.test('they are set by REST and at the terminal, and listed in both', async (t) => {
  const set = await first.rest('PUT', '/v1/credentials/groq', { api_key: secrets.rest })
  t.equal(set.status, 200)
  t.match(await credentials('set', 'xai', '--no-check'), 'set xai (…4455) for everybody')
  t.match(await listed(first), all)
  const table = await credentials('list')
  t.match(table, /xai +everybody +key …4455/)
  t.match(table, /groq +tenant default +key …2233/)
})

await t.test('only the processes that ask models have the keys', async (t) => {
  const environOf = (role: 'gateway' | 'actors' | 'node-agent' | 'nats-server') =>
    readFileSync(`/proc/${first.pidOf(role)}/environ`, 'latin1')
  for (const role of ['gateway', 'actors'] as const) t.match(environOf(role), secrets.environment)
  for (const role of ['node-agent', 'nats-server'] as const) {
    t.notMatch(environOf(role), secrets.environment)
  }
})

await t.test('their key is changed while the service runs', async (t) => {
  const file = join(dataDir, 'seal.key')
  const before = readFileSync(file, 'utf8')
  const made = await credentials('reseal', '--new-key')
  t.match(made, /created key [\w-]{8}, now the first in .*seal\.key\n/)
  t.match(made, /re-sealed groq of tenant default\n/)
  t.match(
    made,
    /2 re-sealed .*\nre-sealed the secret of the service\nNo longer needed: [\w-]{8}\. Remove them from .*seal\.key/,
  )
  const [next = '', ...old] = readFileSync(file, 'utf8').trim().split('\n')
  t.same(old, [before.trim()])
  writeFileSync(file, `${next}\n`)
  await first.rest('PUT', '/v1/credentials/groq', { api_key: secrets.rest })
  t.match(await credentials('reseal'), /0 re-sealed .*2 already were.*\nNo other key is needed/)
})

await t.test('they are kept when the service is killed', async (t) => {
  process.kill(first.pid, 'SIGKILL')
  await until('everything is gone', () => processesNaming(dataDir).length === 0)
  const second = await startService({ env, dataDir })
  t.teardown(() => process.kill(second.pid, 'SIGKILL'))
  t.match(await listed(second), all)
  t.match(await credentials('remove', 'xai'), 'removed')
  t.match(await listed(second), { ...all, shared: ['openai'] })
  printed.push(first.output(), second.output())
})

await t.test('no secret was printed, logged or written to disk', async (t) => {
  await until('everything is gone', () => processesNaming(dataDir).length === 0)
  const files = filesBelow(dataDir).map(bytesAsText)
  const places = { files: files.join('\n'), printed: printed.join('\n') }
  t.match(places.files, 'KV_credentials')
  t.match(places.printed, '/v1/credentials/{provider}', 'the log is among it')
  const sealKey = readFileSync(join(dataDir, 'seal.key'), 'utf8').trim()
  t.notOk(places.printed.includes(sealKey))
  for (const [name, secret] of Object.entries(secrets)) {
    for (const [place, text] of Object.entries(places)) {
      t.notOk(text.includes(secret), `${name} in ${place}`)
    }
  }
})
