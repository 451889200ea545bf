/**
 * Goal: one credential, in its one place, opens Surface A; every other one is refused as the
 * contract says, unknown ones in the same words, and the holder of a real one learns why. A secret
 * in a URL is over when its answer comes.
 */
import t from 'tap'
import { grantActor } from '../../../../proto/access/grants/grant.ts'
import { dayMs } from '../../../../proto/units.ts'
import { hashSecretText, newSecretText } from '../../../../proto/access/people/secret-text.ts'
import { errorOf, withoutRequestId, type Heard } from '../../../helpers/access/asking.ts'
import { grantTo, mint } from '../../../helpers/access/clients.ts'
import { signIn } from '../../../helpers/access/people.ts'
import { sendBytes, statusOf } from '../../../helpers/access/raw.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

const { service, insider, ask, a, ada, deciders } = await openWorld(t)
const good = a.reader.token
const path = '/v1/access'
let addresses = 0
/** Failures are counted by address, so each of these comes from a new one. */
const elsewhere = () => `10.1.0.${++addresses % 250}`
const withHeader = (authorization: string) =>
  ask('GET', path, { headers: { authorization }, from: elsewhere() })
const challenged = ({ headers }: Heard) => headers.get('www-authenticate')

t.test('no Authorization: 401 with a bare challenge, which names no error', async (t) => {
  const answer = await ask('GET', path)
  t.equal(answer.status, 401)
  t.equal(challenged(answer), 'Bearer realm="troupe"')
  t.match(errorOf(answer), { type: 'unauthorized' })
})

t.test('the scheme may be in any case; other schemes and empty ones are no token', async (t) => {
  t.equal((await withHeader(`bearer ${good}`)).status, 200)
  t.equal((await withHeader(`BEARER  ${good}`)).status, 200)
  const none = ['Basic YTpi', 'Bearer', 'Bearer ', `Bearer ${good} more`, `Token ${good}`, good]
  for (const header of none) {
    const answer = await withHeader(header)
    t.match(errorOf(answer), { code: 401, type: 'invalid_token' }, header.slice(0, 12))
    t.equal(challenged(answer), 'Bearer realm="troupe", error="invalid_token"')
  }
})

t.test('two credentials, in one header or in two, are refused', async (t) => {
  t.equal((await withHeader(`Bearer ${good}, Bearer ${good}`)).status, 400)
  const lines = [`Authorization: Bearer ${good}`, `Authorization: Bearer ${good}`]
  const head = ['GET /v1/access HTTP/1.1', 'Host: localhost', ...lines, 'Connection: close']
  const heard = await sendBytes(service.baseUrl, [...head, '', ''].join('\n'))
  t.equal(statusOf(heard), 400)
})

t.test('a token of 5 KB is refused without a server error', async (t) => {
  const answer = await withHeader(`Bearer spat_${'a'.repeat(5_000)}`)
  t.ok([400, 401, 431].includes(answer.status), `${answer.status}`)
})

t.test('a key of Surface B is refused here, a token there: both answers are 400', async (t) => {
  const key = { 'service-api-key': service.key }
  t.match(errorOf(await ask('GET', path, { headers: key })), { code: 401, type: 'unauthorized' })
  const both = await ask('GET', path, { headers: key, token: good })
  t.match(errorOf(both), { code: 400, type: 'bad_request' })
  const there = await ask('GET', '/v1/sessions', { token: good })
  t.match(errorOf(there), { code: 401, type: 'unauthorized' })
  t.match(errorOf(await ask('GET', '/v1/sessions', { token: ada.token })), { code: 401 })
})

t.test('unknown and altered: the same bytes; who has a real token is told why', async (t) => {
  const { directory } = insider
  const wish = { permissions: [{ area: 'contacts', actions: ['read'] }] } as const
  const { id } = await grantTo(directory, a, deciders, wish)
  const suspended = await grantTo(directory, a, deciders, wish)
  const expiresAtMs = Date.now() + 200
  const expired = await mint(directory, id, ada.author, { expiresAtMs })
  const revoked = await mint(directory, id, ada.author)
  const revoke = { type: 'revoke_token', reason: 'as a test of it', by: ada.author } as const
  await directory.ask(grantActor, id, { ...revoke, tokenId: revoked.tokenId })
  const suspend = { type: 'suspend', reason: 'as a test of it', by: ada.author } as const
  await directory.ask(grantActor, suspended.id, suspend)
  const isOver = async (token: string) =>
    (await ask('GET', path, { token, from: elsewhere() })).status === 401
  await until('the token has expired', () => Date.now() > expiresAtMs && isOver(expired.token))
  await until('its revocation is known', () => isOver(revoked.token))
  await until('the suspension is known', () => isOver(suspended.token))
  const heard = new Set<string>()
  for (const token of [
    newSecretText('token').text,
    good.slice(0, -1) + (good.endsWith('0') ? '1' : '0'),
    newSecretText('session').text,
    newSecretText('invitation').text,
  ]) {
    const answer = await ask('GET', path, { token, from: elsewhere() })
    const { headers } = answer
    const told = [...headers].filter(([key]) => !['date', 'x-request-id'].includes(key))
    heard.add(JSON.stringify([answer.status, told, withoutRequestId(answer)]))
  }
  t.equal(heard.size, 1, [...heard].join(' | '))
  t.match([...heard][0], /^\[401,.*invalid_token.*unknown/)
  for (const [token, reason, message] of [
    [expired.token, 'expired', /has expired/],
    [revoked.token, 'revoked', /was revoked/],
    [suspended.token, 'suspended', /is suspended.*once it is resumed/],
    [a.ended.token, 'ended', /has ended/],
  ] as const) {
    const answer = await ask('GET', path, { token, from: elsewhere() })
    t.match(errorOf(answer), { code: 401, type: 'invalid_token', reason, message })
  }
})

t.test('a secret anywhere in the address is refused, over at once, and in no log', async (t) => {
  const escaped = (text: string) => text.replace('_', '%5F')
  for (const at of [
    (secret: string) => `${path}?access_token=${secret}`,
    (secret: string) => `${path}?cursor=${secret}`,
    (secret: string) => `${path}?${secret}`,
    (secret: string) => `${path}/${secret}`,
    (secret: string) => `${path}/${escaped(secret)}`,
    (secret: string) => `/${secret}`,
    (secret: string) => `/v1/sessions/${secret}/x`,
    (secret: string) => `/portal/${secret}`,
  ]) {
    const { id } = a.elsewhere
    const expires = { expiresAtMs: Date.now() + dayMs }
    const { token } = await mint(insider.directory, id, ada.author, expires)
    const session = await signIn(insider.directory, a.member.id)
    for (const [secret, used] of [
      [token, path],
      [session.token, '/v1/me'],
    ] as const) {
      const use = () => ask('GET', used, { token: secret, from: elsewhere() })
      await until('it is known', async () => (await use()).status !== 401)
      const answer = await ask('GET', at(secret))
      t.equal(answer.status, 400, at('…'))
      t.match(answer.text, /has been revoked/)
      t.equal((await use()).status, 401, 'what the answer says is true')
      t.notOk(service.output().includes(secret), 'no line of the log has it')
    }
    const { view } = await insider.directory.ask(grantActor, id, { type: 'get' })
    const revoked = view.tokens.find(({ hash }) => hash === hashSecretText(token))
    t.match(revoked?.revokedReason, /URL/)
  }
})

t.test('a token in a form is no credential', async (t) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = `access_token=${good}`
  const answer = await ask('POST', '/v1/needs', { headers, body })
  t.match(errorOf(answer), { code: 401, type: 'unauthorized' })
})

t.test('If-Match: absent 428, stale and weak 412, any version for staff alone', async (t) => {
  const need = `/v1/needs/${a.need}`
  const patch = { title: 'In much clearer words' }
  const tell = (headers: Record<string, string>, token = a.owner.token) =>
    ask('PATCH', need, { token, headers, body: patch })
  t.match(errorOf(await tell({})), { code: 428, type: 'precondition_required' })
  for (const etag of ['"99"', 'W/"1"', '"x"']) {
    t.match(errorOf(await tell({ 'if-match': etag })), { code: 412 }, etag)
  }
  t.match(errorOf(await tell({ 'if-match': '*' })), { code: 412 }, 'a member may not say any')
  t.equal((await tell({ 'if-match': '*' }, ada.token)).status, 200, 'staff may')
})
