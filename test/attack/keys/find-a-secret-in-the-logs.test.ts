/**
 * An attacker reads the logs of the service, and its store, and wants to come in with what stands
 * there. Method: every kind of secret is made, used, misused and revoked over REST at the most
 * talkative log level; then every line of every process and every byte that NATS keeps is searched.
 */
import t from 'tap'
import { newSecretText } from '../../../proto/access/people/secret-text.ts'
import { dataOf } from '../../helpers/access/asking.ts'
import { password } from '../../helpers/access/people.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { bytesAsText, filesBelow } from '../../helpers/files/files-below.ts'
import { until } from '../../helpers/lib/until.ts'

const { service, ask, a, ada } = await openWorld(t)
const secrets = /spa[tsi]_[0-9A-Za-z]{36}/
const { token } = a.owner

interface Secret {
  readonly id: string
  readonly secret: string
  readonly invitation: string
  readonly token: string
}

async function makeSecrets(): Promise<readonly string[]> {
  const body = { email: 'new@a.example', name: 'New' }
  const invited = dataOf<Secret>(await ask('POST', '/v1/members', { token, body }))
  const accept = { invitation: invited.invitation, password }
  const signedIn = dataOf<Secret>(await ask('POST', '/v1/sign-in/invitations', { body: accept }))
  const tokens = `/v1/grants/${a.all.id}/tokens`
  const minted = dataOf<Secret>(await ask('POST', tokens, { token, body: { name: 'new' } }))
  const rotated = dataOf<Secret>(
    await ask('POST', `/v1/tokens/${minted.id}/rotate`, { token, body: { overlap_seconds: 60 } }),
  )
  return [invited.invitation, signedIn.token, minted.secret, rotated.secret]
}

/** Where people and programs put secrets that are none of those places. */
async function misuse(secret: string): Promise<void> {
  await ask('GET', `/v1/access?access_token=${secret}`)
  await ask('GET', `/v1/needs/${secret}`, { token })
  await ask('GET', `/v1/${secret}`, { token })
  await ask('POST', '/v1/needs', { token, body: { title: secret, [secret]: 1 } })
  await ask('POST', '/v1/needs', { token, body: `{"${secret}` })
  await ask('GET', '/v1/access', { headers: { 'x-request-id': secret, authorization: secret } })
  await ask('POST', '/v1/sign-in', { body: { email: ada.email, password: secret } })
  await ask('DELETE', '/v1/sign-in', { token: secret })
}

t.test('no log line and no file of the store has a secret or a password', async (t) => {
  const made = await makeSecrets()
  t.equal(made.length, new Set(made).size)
  for (const secret of [...made, newSecretText('token').text]) await misuse(secret)
  const last = await ask('GET', '/v1/me', { token })
  await until('its line is written', () =>
    service.output().includes(last.headers.get('x-request-id')!),
  )
  const lines = service.output().split('\n')
  t.same(
    lines.filter((line) => secrets.test(line)),
    [],
    'log lines',
  )
  t.notOk(service.output().includes(password))
  const files = filesBelow(service.dataDir)
  t.ok(files.length > 0)
  const found = files.filter((file) => {
    const text = bytesAsText(file)
    return secrets.test(text) || text.includes(password)
  })
  t.same(found, [], 'files')
})
