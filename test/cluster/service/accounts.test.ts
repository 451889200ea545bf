// Goal: an operator sets, logs in to, lists and removes provider accounts from the command line;
// processes that share accounts renew each token once; and no secret can be read from the disk.
// Method: the CLI in its own processes, a real nats-server, an authorization server.
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { everyTenant } from '../../../proto/accounts/credential.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { openCredentials } from '../../../runtime/accounts/credentials/open.ts'
import { openSealer } from '../../../runtime/accounts/seal/seal.ts'
import { browse } from '../../helpers/lib/browse.ts'
import { bytesAsText, filesBelow } from '../../helpers/files/files-below.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { OAuthServer } from '../../helpers/accounts/oauth-server.ts'
import { troupe } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const nats = await startNats(t)
const server = await OAuthServer.start()
server.deviceSeconds = 0.05
t.teardown(() => server.close())

const env = {
  ...nats.env,
  SEAL_KEY: randomBytes(32).toString('base64'),
  OAUTH_PROVIDERS: JSON.stringify(server.settings),
}
const config = loadConfig(env)

/** Opens the accounts as another process of the service does. */
async function open() {
  const store = await nats.store()
  return openCredentials({ store, sealer: openSealer(config), clock: systemClock, config })
}
const { accounts, records } = await open()

const printed: string[] = []

interface Running {
  readonly child: ChildProcess
  readonly stderr: () => string
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

function start(args: readonly string[], overrides: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [troupe, 'credentials', ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env, ...overrides },
    stdio: 'pipe',
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ended = Promise.all([exited, text(child.stdout)]).then(([code, stdout]) => {
    printed.push(stdout, stderr)
    return { code, stdout, stderr }
  })
  return { child, stderr: () => stderr, ended }
}

/** Keys of real providers are not tried, because these are invented. */
async function run(args: readonly string[], stdin = '', overrides = {}) {
  const isTried = args[0] !== 'set' || args.includes('--base-url')
  const { child, ended } = start(isTried ? args : [...args, '--no-check'], overrides)
  child.stdin!.end(stdin)
  return ended
}

const openaiKey = 'sk-the-key-of-everybody-4242'
const groqKey = 'gsk-the-key-of-the-environment-1111'
const acmeKey = 'sk-the-key-of-acme-7777'

t.test('with no account the list prints a hint', async (t) => {
  t.match((await run(['list'])).stdout, 'npm run troupe -- credentials set PROVIDER')
})

t.test('a key is read from stdin, and is for everybody or for one tenant', async (t) => {
  t.match(await run(['set', 'openai', '--model', 'm-1'], `${openaiKey}\n`), {
    code: 0,
    stdout: 'set openai (…4242) for everybody\n',
  })
  const prices = ['--price-in', '0.5', '--price-out', '2']
  const own = await run(['set', 'openai', '--tenant', 'acme', ...prices], acmeKey)
  t.match(own, { code: 0, stdout: /for tenant acme/ })
  const acme = (await accounts.find('acme', 'openai'))!
  t.match(acme, { price: { inputPerMillionUsd: 0.5, outputPerMillionUsd: 2 } })
  t.equal(await acme.token(), acmeKey)
  const bolt = (await accounts.find('bolt', 'openai'))!
  t.match(bolt, { model: 'm-1', price: undefined })
  t.equal(await bolt.token(), openaiKey)
})

t.test(
  'the operator may set an internal address, without a key where the provider needs none',
  async (t) => {
    const ollama = ['set', 'ollama', '--base-url', 'http://localhost:11434', '--tenant', 'acme']
    t.match(await run(ollama), { code: 0 })
    const access = await accounts.find('acme', 'ollama')
    t.match(access, { baseUrl: 'http://localhost:11434/v1', fetch: undefined })
    t.equal(await access!.token(), '')
  },
)

t.test('a key is tried once: a refused one is not stored, an untried one is', async (t) => {
  const asked: (string | undefined)[] = []
  let status = 401
  const provider = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    const body = { error: { message: 'Incorrect API key\u001b[2J' } }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  t.teardown(() => provider.close())
  const { port } = provider.address() as AddressInfo
  const set = (...more: readonly string[]) => {
    const args = [
      'set',
      'compatible',
      '--base-url',
      `http://127.0.0.1:${port}/v1`,
      '--tenant',
      'dan',
    ]
    return run([...args, ...more], 'sk-the-key-of-dan-9911')
  }
  const stored = () => accounts.find('dan', 'compatible')
  const refused = await set()
  t.match(refused, {
    code: 1,
    stdout: '',
    stderr: /^troupe: compatible refuses the key: .* answers 401: Incorrect API key/,
  })
  t.notMatch(refused.stderr, '\u001b')
  t.equal(await stored(), undefined)
  t.same(asked, ['GET /v1/models Bearer sk-the-key-of-dan-9911'])

  status = 500
  t.match(await set(), { code: 0, stderr: /could not be tried \(.* answers 500/ })
  t.ok(await stored())
  status = 200
  t.match(await set(), { code: 0, stdout: 'set compatible (…9911) for tenant dan\n', stderr: '' })
  status = 401
  t.match(await set('--no-check'), { code: 0, stderr: '' })
  t.equal(asked.length, 3)
  t.match(await run(['remove', 'compatible', '--tenant', 'dan']), { code: 0 })
})

t.test('the list names accounts and never shows their keys', async (t) => {
  const environment = { GROQ_API_KEY: groqKey, AI_PRICES: 'groq:0.1/0.5' }
  const { stdout } = await run(['list'], '', environment)
  t.match(stdout, /^PROVIDER +FOR +SECRET +MODEL +ADDRESS +\$\/M TOKENS +SINCE +LOGIN\n/)
  t.match(stdout, /openai +everybody +key …4242 +m-1 +– +– +\d{4}-\d\d-\d\d +–$/m)
  t.match(stdout, /groq +environment +– +– +– +0\.1 in, 0\.5 out +–/)
  t.match(stdout, /openai +tenant acme +key …7777/)
  t.match(stdout, /ollama +tenant acme +key +– +http:\/\/localhost:11434\/v1/)
  const json = (await run(['list', '--json'], '', environment)).stdout
  t.match(JSON.parse(json), [
    { provider: 'openai', for: 'everybody', kind: 'api_key', hint: '4242', model: 'm-1' },
    { provider: 'ollama', for: 'tenant acme', base_url: 'http://localhost:11434/v1' },
    { provider: 'openai', for: 'tenant acme', price: { output_per_million_usd: 2 } },
    { provider: 'groq', for: 'environment', price: { input_per_million_usd: 0.1 } },
  ])
  for (const text of [stdout, json]) t.notMatch(text, /the-key-of/)
})

t.test('invalid arguments are refused in one line', async (t) => {
  const refused = async (args: readonly string[], code: number, stderr: RegExp, stdin = 'k') =>
    t.match(await run(args, stdin), { code, stderr }, args.join(' '))
  await refused(['set', 'grok'], 1, /^troupe: provider must be one of openai[^\n]*\n$/)
  await refused(['set', 'openai'], 1, /^troupe: api_key is needed\.\n$/, '')
  await refused(['set', 'azure'], 1, /^troupe: base_url is needed[^\n]*\n$/)
  await refused(['set', 'openai', '--price-in', '1'], 2, /are given together/)
  for (const usd of ['', ' ', '-1', '1e3', '3 USD']) {
    const prices = ['--price-in', '0.5', `--price-out=${usd}`]
    await refused(['set', 'openai', ...prices], 2, /--price-out takes US dollars such as 0\.25/)
  }
  await refused(['set', 'openai', '--tenant', 'a b'], 2, /--tenant takes letters/)
  await refused(['set'], 2, /usage: troupe credentials set PROVIDER/)
  await refused(['remove', 'groq'], 1, /everybody has no account with groq/)
  await refused(['login', 'groq'], 1, /no login to groq, only to openrouter, openai/)
  await refused(['login', 'openrouter', '--device'], 1, /log in with flow code/)
})

t.test(
  'without the service’s key nothing is stored, and the error says which setting to copy',
  async (t) => {
    const { code, stderr } = await run(['set', 'xai'], 'k'.repeat(20), { SEAL_KEY: '' })
    t.equal(code, 1)
    t.match(stderr, /SEAL_KEY.*DATA_DIR\/seal\.key/)
  },
)

const pageOf = ({ stderr }: Running) =>
  until('it says which page to open', () => /^ {2}(http\S+)$/m.exec(stderr())?.[1])

t.test('a login by page returns from the browser to the terminal', async (t) => {
  const running = start(['login', 'openrouter', '--model', 'x/y'])
  const page = await pageOf(running)
  const stray = new URL(new URL(page).searchParams.get('callback_url')!).origin
  t.equal((await browse(`${stray}/callback/wrong?code=1`)).status, 404)
  t.equal((await browse(`${stray}/favicon.ico`)).status, 404)
  t.match(await (await browse(page)).text(), /Logged in/)
  t.match(await running.ended, { code: 0, stdout: 'logged in to openrouter for everybody\n' })
  const access = (await accounts.find('bolt', 'openrouter'))!
  t.equal(access.model, 'x/y')
  t.equal(await access.token(), server.secrets.at(-1))
})

t.test('a login by page on another machine accepts the pasted final address', async (t) => {
  const running = start(['login', 'openai', '--tenant', 'far'])
  const page = await pageOf(running)
  const answer = await fetch(page, { redirect: 'manual' })
  running.child.stdin!.write('nonsense\n')
  await until('it says so', () => running.stderr().includes('not the address'))
  running.child.stdin!.end(`${answer.headers.get('location')}\n`)
  t.match(await running.ended, { code: 0, stdout: /logged in to openai for tenant far/ })
  t.ok(await (await accounts.find('far', 'openai'))!.token())
})

t.test('a login that the user declines stores nothing', async (t) => {
  server.consent = 'deny'
  const running = start(['login', 'openai', '--tenant', 'no'])
  t.match(await (await browse(await pageOf(running))).text(), /Not logged in/)
  server.consent = 'allow'
  const refusal = /^troupe: not logged in to openai: openai said access_denied$/m
  t.match(await running.ended, { code: 1, stderr: refusal })
  t.match(await accounts.find('no', 'openai'), { model: 'm-1' }, 'only what everybody has')
})

t.test('a login by device', async (t) => {
  server.deviceAnswers.push('authorization_pending', 'authorization_pending')
  const running = start(['login', 'openai', '--device', '--tenant', 'tv'])
  t.match(await running.ended, {
    code: 0,
    stdout: /logged in to openai for tenant tv/,
    stderr: /activate\n[^]*WDJB-MJHT/,
  })
  t.match(
    (await run(['list'])).stdout,
    /openai +tenant tv +login +– +– +– +[\d-]+ +token until [\d-]+T/,
  )
})

t.test('hosts that share an account renew its token once each time', async (t) => {
  server.tokenSeconds = 0
  await records.remove('far', 'openai')
  const running = start(['login', 'openai', '--tenant', 'far'])
  await browse(await pageOf(running))
  await running.ended
  server.tokenSeconds = 3_600
  const hosts = await Promise.all(Array.from({ length: 4 }, open))
  const before = server.refreshes.length
  const tokens = await Promise.all(
    hosts.flatMap((host) =>
      Array.from({ length: 5 }, async () => (await host.accounts.find('far', 'openai'))!.token()),
    ),
  )
  t.equal(new Set(tokens).size, 1)
  t.equal(server.refreshes.length - before, 1)
})

t.test('a removed account is gone for every process at once', async (t) => {
  t.match(await run(['remove', 'openai']), { code: 0, stdout: /removed openai of everybody/ })
  t.equal(await accounts.find('bolt', 'openai'), undefined)
  t.equal(await records.get(everyTenant, 'openai'), undefined)
  t.ok(await accounts.find('acme', 'openai'))
})

t.test('no secret was printed, and none can be read from the disk', async (t) => {
  const kept = filesBelow(nats.dir).map(bytesAsText).join('\n')
  t.match(kept, 'KV_credentials')
  t.match(kept, '7777', 'what may be seen of a key is there')
  for (const secret of [openaiKey, groqKey, acmeKey, ...server.secrets]) {
    t.notOk(kept.includes(secret), `on the disk: ${secret.slice(0, 8)}`)
    t.notOk(printed.join('\n').includes(secret), `printed: ${secret.slice(0, 8)}`)
  }
})
