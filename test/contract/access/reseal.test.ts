/**
 * Goal: the key that seals secrets is changed while the service runs, without effect on users: the
 * same webhook secret signs, the same authenticator app works. Method: a real service, the real
 * command, real receivers, codes of the library that apps use.
 */
import { createPublicKey, verify as verifyText } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { endpointActor } from '../../../proto/access/webhooks/endpoint.ts'
import { sealedWith } from '../../../runtime/accounts/seal/seal.ts'
import { dataOf } from '../../helpers/access/asking.ts'
import { password } from '../../helpers/access/people.ts'
import { contactWriter, loopbackWebhooks, openEndpoint } from '../../helpers/access/webhooks.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { startReceiver, type Received, type Receiver } from '../../helpers/lib/receiver.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { until } from '../../helpers/lib/until.ts'

const world = await openWorld(t, loopbackWebhooks)
const { a, insider, service, ask } = world
const addContact = contactWriter(insider.store)
const [shared, paired] = [await startReceiver(t), await startReceiver(t)]
const hmac = await openEndpoint(world, a, shared)
const pair = await openEndpoint(world, a, paired, { signature: 'ed25519' })
const keyFile = join(service.dataDir, 'seal.key')
const reseal = (...more: readonly string[]) =>
  runTroupe(['credentials', 'reseal', ...more], { DATA_DIR: service.dataDir })

const sealedOf = async (id: string) => {
  const { view } = await insider.directory.ask(endpointActor, id, { type: 'get' })
  return view.secrets.map(({ sealed }) => sealedWith(sealed))
}

async function told(receiver: Receiver): Promise<Received> {
  const id = await addContact(a.id)
  return until('it is told of', () =>
    receiver.of('contact.created').find(({ json }) => json.data.object.id === id),
  )
}

/** Verifies with the public key that was shown when the endpoint was made. */
function isOfPair({ headers, body }: Received): boolean {
  const raw = Buffer.from((pair.secrets[0]!.public_key ?? '').slice('whpk_'.length), 'base64')
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const [, signature = ''] = (headers['webhook-signature'] ?? '').split('v1a,')
  return verifyText(null, Buffer.from(content), key, Buffer.from(signature, 'base64'))
}

const stepMs = 30_000

/** An authenticator app of the client's member; each of its codes is valid once. */
async function addApp() {
  const { token, email } = a.member
  const offer = dataOf<{ secret: string; sealed: string }>(
    await ask('POST', '/v1/me/totp', { token }),
  )
  const app = new TOTP({ secret: Secret.fromBase32(offer.secret) })
  const code = (laterMs: number) => app.generate({ timestamp: Date.now() + laterMs })
  const body = { sealed: offer.sealed, code: code(0) }
  t.equal((await ask('PUT', '/v1/me/totp', { token, body })).status, 204)
  /** The code of the next half minute, so that it is unused. */
  return () =>
    ask('POST', '/v1/sign-in', {
      from: '10.9.7.1',
      body: { email, password, code: code(stepMs) },
    })
}

t.test('under a new key, secrets still sign and codes still work', async (t) => {
  const enter = await addApp()
  const before = [...(await sealedOf(hmac.id)), ...(await sealedOf(pair.id))]
  const done = await reseal('--new-key')
  t.equal(done.code, 0, done.stderr)
  t.match(done.stdout, /re-sealed the secrets of 2 webhooks/)
  t.match(done.stdout, /re-sealed the authenticators of 1 person\n/)
  t.match(done.stdout, new RegExp(`No longer needed: ${before[0]}\\.`))
  const after = [...(await sealedOf(hmac.id)), ...(await sealedOf(pair.id))]
  t.equal(new Set(after).size, 1)
  t.notOk(after.some((key) => before.includes(key)))

  const [newest = ''] = readFileSync(keyFile, 'utf8').split('\n')
  writeFileSync(keyFile, `${newest}\n`)
  const one = await told(shared)
  t.match(new Webhook(hmac.secret).verify(one.body, one.headers), { type: 'contact.created' })
  t.ok(isOfPair(await told(paired)))
  await until('the code opens', async () => (await enter()).status === 201)

  const again = await reseal()
  t.match([again.code, again.stdout], [0, /No other key is needed/])
  t.notMatch(again.stdout, /webhook|person/, 'there is nothing left to do')
})

t.test('a secret under a missing key is named, and the key is still needed', async (t) => {
  const { view } = await insider.directory.ask(endpointActor, hmac.id, { type: 'get' })
  const [secret] = view.secrets
  const { id, sealed: was } = secret!
  const sealed = was.replace(/^v1\.[^.]+/, 'v1.AAAAAAAA')
  const secrets = [{ id, was, sealed }]
  await insider.directory.ask(endpointActor, hmac.id, { type: 'resealed', secrets })
  const { code, stdout, stderr } = await reseal()
  t.equal(code, 1)
  t.match(stderr, new RegExp(`webhook ${hmac.id} of ${a.id}: .*AAAAAAAA`))
  t.match(stdout, new RegExp(`Old keys are still needed: webhook ${hmac.id} of ${a.id}`))
})
