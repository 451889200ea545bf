/**
 * An attacker reads what the service keeps and says, or a backup that was made without its keys, and
 * looks for what tenants have entrusted to it. Method: one secret of each kind is planted in a real
 * session and used there; then every file, line and output is searched for each of them.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { loopbackWebhooks } from '../../helpers/access/webhooks.ts'
import { bytesAsText, filesBelow, pathsBelow } from '../../helpers/files/files-below.ts'
import { startReceiver } from '../../helpers/lib/receiver.ts'
import { until } from '../../helpers/lib/until.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { createSession, startService } from '../../helpers/service/service.ts'

const plant = (kind: string) => `${kind}${randomBytes(12).toString('hex')}`
const proxyPassword = plant('proxy')
const cookie = plant('cookie')
const apiKey = plant('sk-key')
const typed = plant('typed')
const copied = plant('copied')

const scratch = mkdtempSync(join(tmpdir(), 'troupe-planted-'))
t.teardown(() => rmSync(scratch, { recursive: true, force: true }))

/** Credentials that the upstream proxy was given. */
const given = new Set<string>()
const proxy = createServer((request, response) => {
  const [, basic = ''] = (request.headers['proxy-authorization'] ?? '').split(' ')
  if (basic !== '') given.add(Buffer.from(basic, 'base64').toString())
  response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': `login=${cookie}` })
  response.end('<title>Page</title><input autofocus>')
})
// Connections of Chromium's own to its maker lead nowhere.
proxy.on('connect', (_request, socket) => socket.destroy())
await once(proxy.listen(0, '127.0.0.1'), 'listening')
t.teardown(() => {
  proxy.closeAllConnections()
  proxy.close()
})
const { port } = proxy.address() as AddressInfo

// On a busy machine, a lease could end while its process still starts.
const env = { ...loopbackWebhooks, LOG_LEVEL: 'debug', LEASE_SECONDS: '60' }
const service = await startService({ env })
t.teardown(() => service.stop())
const { rest, dataDir } = service

const receiver = await startReceiver(t)
const hook = { url: receiver.url, events: ['session.*'] }
const made = await rest<{ data: { secret: string } }>('POST', '/v1/webhooks', hook)
const webhookSecret = made.body.data.secret

const planted: Readonly<Record<string, string>> = {
  ...{ proxyPassword, cookie, apiKey, typed, copied },
  // Without its prefix, as it is stored when it is not sealed.
  webhookSecret: webhookSecret.replace(/^whsec_/, ''),
}

/** The kinds of secrets in a text, in any of the encodings that the service uses. */
function kindsIn(text: string): string[] {
  const isIn = (secret: string) =>
    text.includes(secret) || text.includes(Buffer.from(secret).toString('base64').slice(0, -4))
  return Object.keys(planted).filter((kind) => isIn(planted[kind]!))
}

/** Paths of files below a folder that contain a secret, each with its kind. */
function findings(folder: string): string[] {
  return filesBelow(folder).flatMap((path) =>
    kindsIn(bytesAsText(path)).map((kind) => `${kind} in ${path}`),
  )
}

t.test('every kind of secret is used in a session, which then ends', async (t) => {
  const { id } = await createSession(rest, {
    session: {
      initial_url: 'http://page.test/',
      proxy: {
        ...{ active: true, type: 'custom', server: `http://127.0.0.1:${port}` },
        ...{ username: 'me', password: proxyPassword },
      },
    },
  })
  await until('the proxy was given the password', () => given.has(`me:${proxyPassword}`))
  const done = async (method: string, path: string, body: unknown) =>
    t.equal((await rest(method, path, body)).status, 200, path)
  await done('POST', `/v1/sessions/${id}/keyboard/type`, { text: typed })
  await done('POST', `/v1/sessions/${id}/clipboard`, { text: copied })
  await done('PUT', '/v1/credentials/openai', { api_key: apiKey })
  t.match(webhookSecret, /^whsec_/)
  const shown = [`/v1/sessions/${id}`, '/v1/sessions', '/v1/admin/sessions', '/metrics']
  for (const path of shown) {
    const { body } = await rest<unknown>('GET', path)
    t.same(kindsIn(typeof body === 'string' ? body : JSON.stringify(body)), [], path)
  }
  await done('DELETE', `/v1/sessions/${id}`, undefined)
  // Its profile has cookies as long as the session lives.
  await until(
    'its profile is removed',
    () => !pathsBelow(join(dataDir, 'run')).some((path) => path.includes('profile')),
  )
})

t.test('none is in a file of the service, in its logs or in the report of doctor', async (t) => {
  t.same(findings(dataDir), [])
  t.same(kindsIn(service.output()), [], 'logs')
  const { stdout, stderr } = await runTroupe(['doctor'], { DATA_DIR: dataDir })
  t.same(kindsIn(stdout + stderr), [], 'doctor')
})

t.test('none is in a backup without secrets, nor in what is restored from it', async (t) => {
  const file = join(scratch, 'backup.tar')
  const saved = await runTroupe(['backup', file, '--without-secrets'], { DATA_DIR: dataDir })
  t.equal(saved.code, 0, saved.stderr)
  t.same(kindsIn(readFileSync(file, 'latin1')), [])
  // Its streams are compressed, so they are searched as they are restored.
  const restored = join(scratch, 'restored')
  const { code, stderr } = await runTroupe(['restore', file], { DATA_DIR: restored })
  t.equal(code, 0, stderr)
  t.same(findings(restored), [])
})
