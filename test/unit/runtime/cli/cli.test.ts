// Goal: `troupe` explains itself, and refuses unknown input with exit code 2 and a hint.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { accessCommandGroup } from '../../../../runtime/cli/access/access.ts'
import { commandHelp } from '../../../../runtime/cli/command-help.ts'
import { isCommandGroup } from '../../../../runtime/cli/command.ts'
import { table } from '../../../../runtime/cli/table.ts'
import { version } from '../../../../runtime/lib/package.ts'
import { runTroupe as run } from '../../../helpers/service/run-troupe.ts'
import { troupe } from '../../../helpers/service/service.ts'

// Side by side, because each test waits for a process that shares nothing with the others.
t.jobs = availableParallelism()
const aside = { buffered: true }

const accessCommands = Object.keys(accessCommandGroup.commands)

const commands = [
  'up',
  'gateway',
  'actors',
  'node-agent',
  'keys create',
  'keys list',
  'keys revoke',
  'credentials set',
  'credentials login',
  'credentials list',
  'credentials remove',
  ...accessCommands.map((name) => `access ${name}`),
  ...['list', 'show', 'open', 'state', 'save', 'share', 'end'].map((verb) => `sessions ${verb}`),
  ...['list', 'show', 'save', 'restore', 'copy', 'rename', 'load', 'state', 'remove'].map(
    (verb) => `profiles ${verb}`,
  ),
  ...['list', 'add', 'change', 'remove'].map((verb) => `logins ${verb}`),
  ...['list', 'add', 'remove'].map((verb) => `extensions ${verb}`),
  ...['run', 'list', 'show', 'watch', 'cancel'].map((verb) => `tasks ${verb}`),
  'hosts list',
  'hosts drain',
  'hosts undrain',
  'usage',
  'status',
  'completion',
  'webhooks add',
  'webhooks list',
  'webhooks verify',
  'webhooks deliveries',
  'audit verify',
  'audit export',
  'records import',
  'records export',
  'watch',
  'config',
  'doctor',
  'support',
  'version',
]

t.test('help names every command', async (t) => {
  const { code, stdout } = await run(['--help'])
  t.equal(code, 0)
  for (const command of commands) t.match(stdout, new RegExp(`^  ${command.split(' ')[0]} `, 'm'))
})

t.test('what npm runs is called by npm in its usages and examples', async (t) => {
  const env = { npm_lifecycle_event: 'troupe' }
  const { stdout } = await run(['config', '--help'], env)
  t.match(stdout, /^Usage: npm run troupe -- config/m)
  t.match(stdout, /^ {2}PORT=9000 npm run troupe -- config$/m)
  t.match(stdout, /^ {2}npm run -s troupe -- config \| grep NATS$/m)
  t.match((await run(['upp'], env)).stderr, 'See `npm run troupe -- --help`.')
  const { stdout: restore } = await run(['restore', '--help'], env)
  t.match(restore, /^ {2}DATA_DIR=\/var\/lib\/troupe npm run troupe -- restore \/var\/backups/m)
})

t.test('a command that does not exist is answered with the one that was meant', async (t) => {
  const errorOf = async (...line: string[]) => (await run(line)).stderr
  t.match(await errorOf('sesions'), /no command "sesions"; did you mean sessions\?/)
  t.match(await errorOf('hosts', 'darin'), /"darin" is not one of .*; did you mean drain\?/)
  t.notMatch(await errorOf('juggle'), /did you mean/)
})

t.test('without a command the help is shown, and the exit code is that of a mistake', async (t) => {
  const { code, stdout } = await run([])
  t.equal(code, 2)
  t.match(stdout, 'Usage: troupe')
})

for (const command of ['up', 'keys create', 'access demo', 'doctor']) {
  t.test(`troupe ${command} --help shows its usage`, aside, async (t) => {
    const { code, stdout, stderr } = await run([...command.split(' '), '--help'])
    t.equal(code, 0)
    t.match(stdout, `Usage: troupe ${command}`)
    t.equal(stderr, '')
  })
}

t.test('every command has a help with its usage', async (t) => {
  for (const command of commands) {
    const [first = '', second = ''] = command.split(' ')
    const row = await table[first]?.load()
    const found = row && isCommandGroup(row) ? row.commands[second] : row
    if (!found) throw new Error(`there is no command ${command}`)
    t.match(commandHelp(command, found), `Usage: troupe ${command}`)
  }
})

const request = 'access request --need nd_1 --scope scp_1 --for x --why y'

const mistakes: readonly (readonly [string, RegExp])[] = [
  ['upp', /no command "upp"/],
  ['constructor', /no command/],
  ['up --fast', /--fast/],
  ['up now', /"now"/],
  ['keys', /create, list, revoke/],
  ['keys destroy', /"destroy" is not one of/],
  ['keys create --name ci', /--tenant T is required/],
  ['keys create --tenant a.b --name ci', /--tenant takes/],
  ['keys create --tenant a --name ci --max-sessions 0', /--max-sessions takes/],
  ['keys create --tenant a --name ci --expires yesterday', /--expires takes/],
  ['keys create --tenant a --name ci --expires 2001-01-01', /--expires takes/],
  ['keys revoke', /keys revoke ID/],
  ['keys revoke a b', /unexpected argument "b"/],
  ['sessions end', /ID or --all/],
  ['sessions save picture ses_1', /video, trace or har/],
  ['sessions share ses_1 --minutes 1441', /from 1 to 1440/],
  ['sessions state ses_1 --load a.json --indexed-db', /--indexed-db/],
  ['access sign-in ada', /"ada" is not an e-mail address/],
  ['access show ses_1', /"ses_1" is not an id; ids are cli_…/],
  ['access review acr_1 maybe --reason because', /"maybe" is not one of approve, deny/],
  ['access review acr_1 approve', /--reason TEXT is required/],
  ['access token gr_1 --name x', /created from a grant/],
  ['access revoke cli_00000000000000000000000000', /a grant \(gr_…\) or a token/],
  ['access close-need gr_00000000000000000000000000 --reason x', /takes the id of a need/],
  [`${request} --access contacts --until 30d`, /area:action/],
  [`${request} --access cakes:read --until 30d`, /there is no area "cakes"/],
  [`${request} --access contacts:read --until yesterday`, /--until takes/],
  ['sessions end ses_1 --all', /ID or --all/],
]
for (const [line, expected] of mistakes) {
  t.test(`troupe ${line}: exit code 2 and one line with a hint`, aside, async (t) => {
    const { code, stdout, stderr } = await run(line.split(' '))
    t.equal(code, 2)
    t.equal(stdout, '')
    t.match(stderr, expected)
    t.match(stderr, /^troupe: [^\n]+ See `troupe [^\n]*--help`\.\n$/)
  })
}

const refusals: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['up', { PORT: 'http' }, /PORT="http" is not usable/],
  ['config', { LOG_LEVEL: 'loud' }, /LOG_LEVEL="loud" is not usable/],
  ['gateway', {}, /set NATS_URL/],
  [
    'up',
    { PORT: '0', CHROMIUM_BIN: '/nowhere/chromium' },
    /CHROMIUM_BIN="\/nowhere\/chromium" does not run/,
  ],
  ['up', { PORT: '0', DATA_DIR: '/proc/x' }, /DATA_DIR="\/proc\/x" is not usable/],
  ['up', { PORT: '0', NATS_URL: 'nat://one:4222' }, /NATS_URL="nat:\/\/one:4222" is not usable/],
  ['keys list', { DATA_DIR: '/nowhere/data' }, /no service runs on \/nowhere\/data/],
  ['access whoami', { DATA_DIR: '/nowhere/data' }, /you are not signed in/],
  ['access why', {}, /set TROUPE_TOKEN/],
  ['access change /dev/null', {}, /\/dev\/null is not JSON/],
  ['access demo', { DATA_DIR: '/nowhere/data' }, /no service runs on/],
  ['sessions list', { SVC_BASE: 'http://127.0.0.1:9' }, /127.0.0.1:9 does not answer/],
]
for (const [line, env, expected] of refusals) {
  t.test(
    `troupe ${line} with ${JSON.stringify(env)}: exit code 1 and one line`,
    aside,
    async (t) => {
      const { code, stderr } = await run(line.split(' '), env)
      t.equal(code, 1)
      t.match(stderr, expected)
      t.match(stderr, /^troupe: [^\n]+\n$/)
    },
  )
}

t.test('a port in use is said once, with the process that has it', aside, async (t) => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const PORT = String((server.address() as AddressInfo).port)
  for (const [command, env] of [
    ['up', { DATA_DIR: t.testdir() }],
    ['gateway', { NATS_URL: 'nats://127.0.0.1:9' }],
  ] as const) {
    const { code, stderr } = await run([command], { PORT, ...env })
    t.equal(code, 1)
    t.match(
      stderr,
      new RegExp(`^troupe: 127.0.0.1:${PORT} is in use by pid ${process.pid} [^\n]+\n$`),
    )
  }
})

t.test('a NATS that does not answer is said at once, before it is waited for', aside, async (t) => {
  const { code, stderr } = await run(['keys', 'list'], { NATS_URL: 'nats://127.0.0.1:9' })
  t.equal(code, 1)
  const [first, second] = stderr.split('\n')
  t.match(first, /^troupe: NATS at \S+ refuses connections.* Waiting for it, 3 s at most\.$/)
  t.match(second, /^troupe: NATS at \S+ refuses connections/)
})

t.test('a misspelt setting is named with the one that it resembles', aside, async (t) => {
  const { stderr } = await run(['config'], { POOL_HEADLES: '3' })
  t.equal(stderr, 'troupe: there is no setting POOL_HEADLES; did you mean POOL_HEADLESS?\n')
})

t.test('a reader that closes the pipe early ends a command without an error', async (t) => {
  const child = spawn(process.execPath, [troupe, 'doctor'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  t.same({ code, stderr }, { code: 0, stderr: '' })
})

t.test('the version is that of the package', async (t) => {
  t.equal((await run(['version'])).stdout.trim(), version)
  t.equal((await run(['--version'])).stdout.trim(), version)
})

t.test('config shows the settings in force and never a secret', async (t) => {
  const { stdout } = await run(['config'], { PORT: '9000', NATS_PASSWORD: 'hunter2' })
  t.match(stdout, /^PORT +9000 +\(default: 8080\)$/m)
  t.match(stdout, /^NATS_PASSWORD +set/m)
  t.notMatch(stdout, 'hunter2')
})
