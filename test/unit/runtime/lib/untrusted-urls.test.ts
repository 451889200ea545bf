/**
 * Goal: no user's URL leads into the service's own network: not as written, not by what its name
 * resolves to, and not by the address that the connection reached. Method: the guard alone, with a
 * played resolver; at the end a real connection.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { checkedAddress } from '../../../../actors/task/safety/addresses.ts'
import { policyRefusalOf } from '../../../../node-agent/egress/policy.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { checkBaseUrl } from '../../../../runtime/accounts/credentials/order.ts'
import { publicOnly } from '../../../../runtime/lib/network/guard/allowance.ts'
import { guardConnection } from '../../../../runtime/lib/network/guard/connection-guard.ts'
import { checkUntrustedUrl } from '../../../../runtime/lib/network/guard/untrusted-url.ts'
import { NotPublic } from '../../../../runtime/lib/network/guard/lookup.ts'
import { packageRoot } from '../../../../runtime/lib/package.ts'
import { postWebhook } from '../../../../runtime/webhooks/send/post.ts'
import { warnOfAllowances, webhookRules } from '../../../../runtime/webhooks/settings.ts'

const rules = webhookRules(loadConfig({}))

/** What is wrong with the URL; undefined when nothing is. */
function refusal(url: string, more = rules): string | undefined {
  try {
    checkUntrustedUrl(url, more)
    return undefined
  } catch (error) {
    return error instanceof ServiceError ? error.type : String(error)
  }
}

const inside = [
  '127.0.0.1',
  'localhost',
  'localhost.',
  'a.localhost',
  '0x7f.1',
  '2130706433',
  '0177.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[4000::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[ff02::1]',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'metadata.google.internal',
  'printer.local',
  'nas.lan',
  'wiki.intranet',
  'router.home.arpa',
  'x.test',
  'x.invalid',
  'x.onion',
  'single',
]

for (const host of inside) {
  t.test(`${host} is refused when it is set, and when it is called`, async (t) => {
    t.equal(refusal(`https://${host}/in`), 'url_not_allowed')
    const { error } = await postWebhook(
      { url: `https://${host}/in`, headers: {}, body: '{}' },
      { rules, now: () => 0 },
    )
    t.equal(error, 'blocked_address')
  })

  t.test(`${host} is refused for models, for tasks and for browsers`, async (t) => {
    const rule = { mayBePrivate: false }
    t.throws(() => checkBaseUrl('openai', `https://${host}/v1`, rule), /must be https, and public/)
    const policy = { allowsPrivateNetwork: false }
    t.throws(() => checkedAddress(`https://${host}/`, policy), /private address/)
    t.match(policyRefusalOf(new URL(`https://${host}/`), policy), /private/)
  })
}

t.test('only the guard decides what is private', async (t) => {
  const asks = ['runtime', 'actors', 'gateway', 'node-agent'].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name))
      .filter((path) =>
        /isPrivate(Host|Address)/.test(readFileSync(join(packageRoot, path), 'utf8')),
      ),
  )
  t.same(asks.sort(), [
    'runtime/lib/network/guard/allowance.ts',
    'runtime/lib/network/guard/internal-url.ts',
    'runtime/lib/network/guard/lookup.ts',
    'runtime/lib/network/hosts.ts',
  ])
})

const malformed: readonly (readonly [string, string])[] = [
  ['a user name', 'https://user@hooks.example/in'],
  ['a password', 'https://user:pass@hooks.example/in'],
  ['ftp', 'ftp://hooks.example/in'],
  ['file', 'file:///etc/passwd'],
  ['plain http', 'http://hooks.example/in'],
  ['port 22', 'https://hooks.example:22/in'],
  ['port 4222', 'https://hooks.example:4222/in'],
  ['a tab in the host', 'https://hooks\t.example/in'],
  ['a line break', 'https://hooks.example/in\r\nx: y'],
  ['a space', 'https://hooks.example/in put'],
  ['a backslash', 'https://hooks.example\\@127.0.0.1/in'],
  ['a NUL', 'https://hooks.example/\u0000'],
  ['a bidi override', 'https://hooks.example/\u202ein'],
  ['a fragment', 'https://hooks.example/in#part'],
  ['an empty fragment', 'https://hooks.example/in#'],
  ['3,000 characters', `https://hooks.example/${'a'.repeat(3_000)}`],
  ['nothing', ''],
  ['no scheme', 'hooks.example/in'],
]

for (const [what, url] of malformed) {
  t.test(`a URL with ${what} is refused`, async (t) => {
    t.equal(refusal(url), 'url_not_allowed')
  })
}

t.test('public addresses are accepted', async (t) => {
  for (const url of [
    'https://hooks.example.com/in?a=b',
    'https://8.8.8.8/in',
    'https://x.example:8443/',
  ]) {
    t.equal(refusal(url), undefined, url)
  }
})

const resolver =
  (...addresses: readonly string[]): LookupFunction =>
  (_, options, done) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    if (options.all) done(null, found)
    else done(null, found[0]!.address, found[0]!.family)
  }

const lookedUp = (resolve: LookupFunction) =>
  new Promise<unknown>((settle) => {
    const { lookup } = guardConnection(new URL('https://hooks.example/in'), publicOnly, resolve)
    lookup('hooks.example', { all: true }, (error, found) => settle(error ?? found))
  })

t.test('one private address among those of a name refuses the whole name', async (t) => {
  t.ok((await lookedUp(resolver('8.8.8.8', '10.0.0.1'))) instanceof NotPublic)
  t.ok((await lookedUp(resolver('2606:4700::1', '::1'))) instanceof NotPublic)
  t.ok((await lookedUp(resolver())) instanceof NotPublic)
  t.match(await lookedUp(resolver('8.8.8.8', '2606:4700::1')), [{ address: '8.8.8.8' }, {}])
})

t.test('a connection that has reached a private address is not used', async (t) => {
  const { admit } = guardConnection(new URL('https://hooks.example/in'), publicOnly)
  t.throws(() => admit({ remoteAddress: '::ffff:127.0.0.1' }), NotPublic)
  t.throws(() => admit({ remoteAddress: undefined }), NotPublic)
  t.doesNotThrow(() => admit({ remoteAddress: '8.8.8.8' }))
})

t.test('a name that turns internal between two attempts is not called', async (t) => {
  let hits = 0
  const server = createServer((_, response) => void (hits++, response.writeHead(204).end()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const open = webhookRules(
    loadConfig({ ACCESS_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32', ACCESS_WEBHOOK_ALLOW_HTTP: '1' }),
  )
  const letter = { url: `http://hooks.example:${port}/in`, headers: {}, body: '{}' }
  const now = () => 0
  t.match(await postWebhook(letter, { rules: open, now, resolve: resolver('127.0.0.1') }), {
    statusCode: 204,
  })
  t.match(await postWebhook(letter, { rules: open, now, resolve: resolver('127.0.0.2') }), {
    error: 'blocked_address',
  })
  t.equal(hits, 1)
})

t.test(
  'allowed ranges are reported with a warning, and the service’s own ports stay closed',
  async (t) => {
    const config = loadConfig({
      ...{ ACCESS_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', ACCESS_WEBHOOK_ALLOW_HTTP: '1' },
      ...{ PORT: '8099', NATS_URL: 'nats://127.0.0.1:4299' },
    })
    const said: unknown[] = []
    warnOfAllowances(config, { warn: (...words: unknown[]) => void said.push(words) })
    t.match(JSON.stringify(said), 'ACCESS_WEBHOOK_ALLOW_CIDRS')
    t.match(JSON.stringify(said), 'ACCESS_WEBHOOK_ALLOW_HTTP')
    const open = webhookRules(config)
    for (const port of [8099, 4299]) {
      t.throws(
        () => guardConnection(new URL(`http://127.0.0.1:${port}/`), open.allowance),
        NotPublic,
      )
    }
    t.doesNotThrow(() => guardConnection(new URL('http://127.0.0.1:8098/'), open.allowance))
    t.throws(() => guardConnection(new URL('http://10.0.0.1:8098/'), open.allowance), NotPublic)
    t.throws(() => loadConfig({ ACCESS_WEBHOOK_ALLOW_CIDRS: 'everything' }))
    const quiet: unknown[] = []
    warnOfAllowances(loadConfig({}), { warn: (...words: unknown[]) => void quiet.push(words) })
    t.same(quiet, [])
  },
)
