// Goal: every kind of credential that the NATS_* settings offer works against a server that
// requires it, and a wrong one is refused.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nkeys } from 'nats'
import t from 'tap'
import { loadConfig } from '../../../runtime/config/config.ts'
import { connectNats } from '../../../runtime/store/nats/connection.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import { askNode } from '../../../runtime/browser-host/node-client.ts'
import { freePorts } from '../../helpers/lib/free-ports.ts'
import { run, silent, type Teardown } from '../../helpers/nats/nats.ts'

const dir = mkdtempSync(join(tmpdir(), 'troupe-credentials-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))

const inDir = (name: string, text: string) => {
  const path = join(dir, name)
  writeFileSync(path, text)
  return path
}

/** Starts a server with these lines of configuration; resolves with its host and port. */
async function serve(t: Teardown, lines: string): Promise<string> {
  const [port] = await freePorts(1)
  const address = `127.0.0.1:${port}`
  const file = inDir(`server-${port}.conf`, `listen: "${address}"\n${lines}\n`)
  const server = run('nats-server', ['--config', file])
  t.teardown(() => server.kill())
  return address
}

async function connects(settings: Record<string, string>): Promise<boolean> {
  const nc = await connectNats(loadConfig({ DATA_DIR: dir, ...settings }), 'test', silent)
  await nc.close()
  return true
}

const refused = { name: 'NatsUnusable', message: /does not accept our credentials/ }

t.test('a token works', async (t) => {
  const NATS_URL = await serve(t, 'authorization { token: "secret" }')
  t.ok(await connects({ NATS_URL, NATS_TOKEN: 'secret' }))
  await t.rejects(connects({ NATS_URL, NATS_TOKEN: 'wrong' }), refused)
  await t.rejects(connects({ NATS_URL }), refused)
})

t.test('a server with a smaller maximum message size is used within that size', async (t) => {
  const NATS_URL = await serve(t, 'max_payload: 1MB')
  const nc = await connectNats(loadConfig({ DATA_DIR: dir, NATS_URL }), 'test', silent)
  t.teardown(() => nc.close())
  const bus = new NatsBus(nc)
  t.equal(bus.messageBytes, 1_048_576)
  const input = { text: 'a'.repeat(2_000_000) }
  const actions = [{ command: 'clipboard_write' as const, input }]
  const request = { sessionId: 'ses_', epoch: 1, actions, withinMs: 1_000 }
  const refusal = askNode(bus, 'node', 'run', request, 1_000).catch((error: unknown) => error)
  t.match(await refusal, { type: 'too_large', details: { limit_bytes: 1_048_576 } })
})

t.test('an nkey works', async (t) => {
  const user = nkeys.createUser()
  const seed = (pair: typeof user) => new TextDecoder().decode(pair.getSeed())
  const NATS_URL = await serve(t, `authorization { users: [ { nkey: "${user.getPublicKey()}" } ] }`)
  const ours = inDir('user.nk', `${seed(user)}\n`)
  const other = inDir('other.nk', seed(nkeys.createUser()))
  t.ok(await connects({ NATS_URL, NATS_NKEY_FILE: ours }))
  await t.rejects(connects({ NATS_URL, NATS_NKEY_FILE: other }), refused)
  await t.rejects(connects({ NATS_URL, NATS_NKEY_FILE: join(dir, 'none') }), {
    message: /NATS_NKEY_FILE=.* cannot be read: ENOENT/,
  })
})

t.test('a credentials file works', async (t) => {
  const operator = nkeys.createOperator()
  const account = nkeys.createAccount()
  const user = nkeys.createUser()
  const accountId = account.getPublicKey()
  const NATS_URL = await serve(
    t,
    `operator: ${jwt(operator, operator.getPublicKey(), { type: 'operator' })}
     resolver: MEMORY
     resolver_preload: { ${accountId}: ${jwt(operator, accountId, { type: 'account', limits: noLimits })} }`,
  )
  const token = jwt(account, user.getPublicKey(), { type: 'user', subs: -1, data: -1, payload: -1 })
  const creds = inDir(
    'user.creds',
    `-----BEGIN NATS USER JWT-----\n${token}\n------END NATS USER JWT------\n\n` +
      `-----BEGIN USER NKEY SEED-----\n${new TextDecoder().decode(user.getSeed())}\n` +
      '------END USER NKEY SEED------\n',
  )
  t.ok(await connects({ NATS_URL, NATS_CREDS_FILE: creds }))
  await t.rejects(connects({ NATS_URL }), refused)
})

t.test('TLS works with a certificate of a private authority', async (t) => {
  const ca = certify('ca', [])
  const server = certify('server', ['-addext', 'subjectAltName=IP:127.0.0.1'], ca)
  const client = certify('client', [], ca)
  const address = await serve(
    t,
    `tls { cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${ca.cert}", verify: true }`,
  )
  const NATS_URL = `tls://${address}`
  const ours = { NATS_CERT_FILE: client.cert, NATS_CERT_KEY_FILE: client.key }
  t.ok(await connects({ NATS_URL, NATS_CA_FILE: ca.cert, ...ours }))
  await t.rejects(connects({ NATS_URL, ...ours }), {
    message: /do not agree on TLS .*check NATS_CA_FILE and NATS_CERT_FILE/,
  })
})

type KeyPair = ReturnType<typeof nkeys.createUser>

const noLimits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, conn: -1, leaf: -1 }

/** A credentials file as the `nsc` tool writes it. */
function jwt(issuer: KeyPair, subject: string, nats: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = {
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject,
    name: 'test',
    nats: { version: 2, ...nats },
  }
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('hex')
  const signed = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part({ jti, ...claims })}`
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`
}

interface Certificate {
  readonly cert: string
  readonly key: string
}

function certify(name: string, extra: readonly string[], issuer?: Certificate): Certificate {
  const cert = join(dir, `${name}.pem`)
  const key = join(dir, `${name}-key.pem`)
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  const out = ['-keyout', key, '-out', cert, '-subj', `/CN=${name}`]
  const by = issuer ? ['-CA', issuer.cert, '-CAkey', issuer.key] : []
  execFileSync('openssl', ['req', '-x509', ...fresh, ...out, ...extra, ...by], { stdio: 'ignore' })
  return { cert, key }
}
