// Goal: an invalid setting stops the start with one line that names it, and a secret is never
// printed.
import { homedir } from 'node:os'
import t from 'tap'
import { describeConfig, loadConfig, settingsTable } from '../../../../runtime/config/config.ts'
import { ConfigError } from '../../../../runtime/config/setting.ts'

t.test('without settings the defaults hold, frozen', async (t) => {
  const config = loadConfig({})
  t.equal(config.PORT, 8080)
  t.equal(config.HOST, '127.0.0.1')
  t.ok(config.DATA_DIR.startsWith(homedir()))
  t.ok(Object.isFrozen(config))
})

t.test('an empty or blank value counts as unset', async (t) => {
  t.equal(loadConfig({ PORT: '', HOST: '  ' }).PORT, 8080)
})

const bad: readonly (readonly [string, string])[] = [
  ['PORT', 'http'],
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '80.5'],
  ['POOL_HEADLESS', 'many'],
  ['MAX_SESSIONS', '0'],
  ['ALLOW_DEV_KEY', 'maybe'],
  ['PUBLIC_URL', 'browsers.example.com'],
  ['NATS_URL', 'nat://127.0.0.1:4222'],
  ['NATS_URL', 'http://127.0.0.1:4222'],
  ['NATS_URL', 'nats://one:4222,nats://'],
  ['NATS_URL', 'nats://one:42222222'],
  ['NODE_ID', 'two words'],
  ['NODE_ID', 'a.b'],
  ['LOG_LEVEL', 'loud'],
  ['RETENTION_DAYS', '1e12'],
  ['DATA_HOST', '0.0.0.0'],
  ['DATA_HOST', '::'],
  ['ACP_COMMANDS', '{"mine":'],
  ['ACP_COMMANDS', '[]'],
]
for (const [name, value] of bad) {
  t.test(`${name}=${value} is refused in one line that names it`, async (t) => {
    const refuse = () => loadConfig({ [name]: value })
    t.throws(refuse, ConfigError)
    t.throws(refuse, { message: new RegExp(`^${name}="[^\n]*" is not usable: use [^\n]+$`) })
  })
}

t.test('an invalid item of a list is named, not the whole list', async (t) => {
  const wrong: readonly (readonly [string, string, string])[] = [
    ['AI_PRICES', 'openai:3/15, groq:1', 'AI_PRICES="groq:1"'],
    ['HOST_LABELS', 'zone=a,two words', 'HOST_LABELS="two words"'],
    ['ACCESS_WEBHOOK_PORTS', '443,99999', 'ACCESS_WEBHOOK_PORTS="99999"'],
    ['ACCESS_WEBHOOK_ALLOW_CIDRS', '10.0.0.0/8,home', 'ACCESS_WEBHOOK_ALLOW_CIDRS="home"'],
  ]
  for (const [name, value, shown] of wrong) {
    t.throws(() => loadConfig({ [name]: value }), { message: `${shown} is not usable: use ` })
  }
})

const client = { client_id: 'c', issuer: 'https://login.example.com' }
const badJson: readonly (readonly [string, unknown, string])[] = [
  ['ACP_COMMANDS', { mine: { args: 's3cr3t' } }, 'mine.args must be of type array, not string'],
  ['ACP_COMMANDS', { mine: { args: ['a', 7] } }, 'mine.args[1] must be of type string, not number'],
  ['ACP_COMMANDS', { mine: { cmd: 's3cr3t' } }, 'mine.cmd is not known: use command, args, env'],
  ['ACP_COMMANDS', { mine: { env: ['s3cr3t'] } }, 'mine.env must be an object'],
  ['ACP_COMMANDS', { 'two\nlines': 7 }, '["two\\nlines"] must be of type object, not number'],
  ['OAUTH_PROVIDERS', [], 'use JSON such as {"azure":'],
  ['OAUTH_PROVIDERS', { opnai: client }, 'opnai is not known: use openai, anthropic, '],
  [
    'OAUTH_PROVIDERS',
    { openai: { ...client, id: 's3cr3t' } },
    'openai.id is not known: use grant, ',
  ],
  ['OAUTH_PROVIDERS', { openai: { issuer: client.issuer } }, 'openai.client_id is required'],
  ['OAUTH_PROVIDERS', { openai: { client_id: 'c' } }, 'openai needs an issuer or a token_endpoint'],
  [
    'OAUTH_PROVIDERS',
    { openai: { ...client, base_url: 'http://s3cr3t.example.com' } },
    'openai.base_url must be an https URL',
  ],
  [
    'OAUTH_PROVIDERS',
    { openai: { ...client, client_auth: 's3cr3t' } },
    'openai.client_auth must be "basic" or "post" or "none"',
  ],
  [
    'OAUTH_PROVIDERS',
    { openai: { ...client, client_auth: 'post' } },
    'openai.client_auth needs a client_secret',
  ],
  [
    'OAUTH_PROVIDERS',
    { openai: { grant: 'key', token_endpoint: 'https://s3cr3t.example.com' } },
    'openai needs an authorization_endpoint and a token_endpoint',
  ],
]
for (const [name, value, expected] of badJson) {
  t.test(`${name}: ${expected}`, async (t) => {
    const json = JSON.stringify(value)
    try {
      loadConfig({ [name]: json })
      t.fail('it is accepted')
    } catch (error) {
      const { message } = error as Error
      t.ok(message.startsWith(`${name}="…" is not usable: ${expected}`), message)
      t.notMatch(message, /s3cr3t|\n/)
    }
  })
}

t.test('listening on all addresses is allowed once DATA_URL says which one to dial', async (t) => {
  const env = { DATA_HOST: '0.0.0.0', DATA_URL: 'http://10.0.0.2:7070' }
  t.match(loadConfig(env), env)
  t.equal(loadConfig({ DATA_HOST: '::1' }).DATA_HOST, '::1')
  t.equal(loadConfig({ DATA_HOST: '10.0.0.2' }).DATA_HOST, '10.0.0.2')
})

t.test('values are parsed by their type', async (t) => {
  const config = loadConfig({
    PORT: ' 0 ',
    ALLOW_DEV_KEY: 'Yes',
    PUBLIC_URL: 'https://b.example.com/x//',
    ALLOWED_ORIGINS: 'https://a.example, https://b.example',
    DATA_DIR: 'relative',
    ACCESS_WEBHOOK_PORTS: '443, 8080',
    ACP_COMMANDS: '{"mine":{"command":"/opt/mine","args":["acp"],"env":{"A":"b"}},"other":{}}',
  })
  t.equal(config.PORT, 0)
  t.equal(config.ALLOW_DEV_KEY, true)
  t.equal(config.PUBLIC_URL, 'https://b.example.com/x')
  t.same(config.ALLOWED_ORIGINS, ['https://a.example', 'https://b.example'])
  t.ok(config.DATA_DIR.startsWith('/'))
  t.same(config.ACCESS_WEBHOOK_PORTS, [443, 8080])
  const mine = { command: '/opt/mine', args: ['acp'], env: { A: 'b' } }
  t.same(config.ACP_COMMANDS, { mine, other: {} })
})

t.test('login settings of providers get their defaults', async (t) => {
  const { OAUTH_PROVIDERS } = loadConfig({
    OAUTH_PROVIDERS: JSON.stringify({
      azure: { ...client, client_secret: 's', token_header: 'Api-Key' },
      groq: { grant: 'key', authorization_endpoint: 'https://a.b', token_endpoint: 'http://[::1]' },
    }),
  })
  t.match(OAUTH_PROVIDERS.azure, {
    ...{ grant: 'oauth', clientId: 'c', clientSecret: 's', clientAuth: 'basic' },
    ...{ issuer: client.issuer, scopes: [], parameters: {}, tokenHeader: 'api-key' },
  })
  t.match(OAUTH_PROVIDERS.groq, { grant: 'key', clientId: '', clientAuth: 'none' })
  t.match(OAUTH_PROVIDERS.openrouter, loadConfig({}).OAUTH_PROVIDERS.openrouter)
})

t.test('the description of the configuration names every setting and hides secrets', async (t) => {
  const rows = describeConfig(loadConfig({ NATS_PASSWORD: 'hunter2', NATS_TOKEN: 's3cr3t' }))
  t.same(
    rows.map((row) => row.name),
    Object.keys(settingsTable),
  )
  t.equal(rows.find((row) => row.name === 'NATS_PASSWORD')?.value, 'set')
  t.notMatch(JSON.stringify(rows), /hunter2|s3cr3t/)
  t.ok(
    rows.every((row) => row.help.endsWith('.')),
    'each has a line of help',
  )
})
