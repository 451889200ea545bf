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
  ['NODE_ID', 'two words'],
  ['NODE_ID', 'a.b'],
  ['LOG_LEVEL', 'loud'],
  ['RETENTION_DAYS', '1e12'],
  ['DATA_HOST', '0.0.0.0'],
  ['DATA_HOST', '::'],
  ['ACP_COMMANDS', '{"mine":'],
  ['ACP_COMMANDS', '{"mine":{"args":"acp"}}'],
  ['ACP_COMMANDS', '{"mine":{"cmd":"mine"}}'],
  ['ACP_COMMANDS', '[]'],
]
for (const [name, value] of bad) {
  t.test(`${name}=${value} is refused in one line that names it`, async (t) => {
    const refuse = () => loadConfig({ [name]: value })
    t.throws(refuse, ConfigError)
    t.throws(refuse, { message: new RegExp(`^${name}="[^\n]*" is not usable: use [^\n]+$`) })
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
  })
  t.equal(config.PORT, 0)
  t.equal(config.ALLOW_DEV_KEY, true)
  t.equal(config.PUBLIC_URL, 'https://b.example.com/x')
  t.same(config.ALLOWED_ORIGINS, ['https://a.example', 'https://b.example'])
  t.ok(config.DATA_DIR.startsWith('/'))
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
