/**
 * Goal: one credential, in its one place, opens Surface A; every other one is refused as the
 * contract says, and all invalid ones get the same words.
 */
import t from 'tap'
import { grantActor } from '../../../../proto/access/grants/grant.ts'
import { dayMs } from '../../../../proto/access/limits.ts'
import { hashSecretText, newSecretText } from '../../../../proto/access/people/secret-text.ts'
import { errorOf, withoutRequestId, type Heard } from '../../../helpers/access/asking.ts'
import { grantTo, mint } from '../../../helpers/access/clients.ts'
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

t.test('unknown, altered, expired, revoked and ended: the same bytes', async (t) => {
  const { directory } = insider
  const wish = { permissions: [{ area: 'contacts', actions: ['read'] }] } as const
  const { id } = await grantTo(directory, a, deciders, wish)
  const expiresAtMs = Date.now() + 200
  const expired = await mint(directory, id, ada.author, { expiresAtMs })
  const revoked = await mint(directory, id, ada.author)
  const revoke = { type: 'revoke_token', reason: 'as a test of it', by: ada.author } as const
  await directory.ask(grantActor, id, { ...revoke, tokenId: revoked.tokenId })
  const tokens = {
    unknown: newSecretText('token').text,
    'wrong checksum': good.slice(0, -1) + (good.endsWith('0') ? '1' : '0'),
    'of a person, unknown': newSecretText('session').text,
    expired: expired.token,
    revoked: revoked.token,
    'of a grant that ended': a.ended.token,
    invitation: newSecretText('invitation').text,
  }
  const isOver = async (token: string) =>
    (await ask('GET', path, { token, from: elsewhere() })).status === 401
  await until('the token has expired', () => Date.now() > expiresAtMs && isOver(expired.token))
  await until('its revocation is known', () => isOver(revoked.token))
  const heard = new Map<string, string[]>()
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await ask('GET', path, { token, from: elsewhere() })
    const { headers } = answer
    const told = [...headers].filter(([key]) => !['date', 'x-request-id'].includes(key))
    const bytes = JSON.stringify([answer.status, told, withoutRequestId(answer)])
    heard.set(bytes, [...(heard.get(bytes) ?? []), name])
  }
  t.equal(heard.size, 1, [...heard.values()].join(' | '))
  t.match([...heard.keys()][0], /^\[401,.*invalid_token/)
})

t.test('a token in the address is refused, revoked, and in no log', async (t) => {
  for (const [name, query] of [
    ['under the usual name', (token: string) => `access_token=${token}`],
    ['under any other name', (token: string) => `cursor=${token}`],
  ] as const) {
    const { id } = a.elsewhere
    const { token } = await mint(insider.directory, id, ada.author, {
      expiresAtMs: Date.now() + dayMs,
    })
    await until('it is known', async () => {
      return (await ask('GET', path, { token, from: elsewhere() })).status === 200
    })
    const answer = await ask('GET', `${path}?${query(token)}`)
    t.match(errorOf(answer), { code: 400, type: 'token_in_url' }, name)
    const views = async () => (await insider.directory.ask(grantActor, id, { type: 'get' })).view
    const revoked = await until('it is revoked', async () =>
      (await views()).tokens.find(
        ({ hash, revokedAtMs }) => hash === hashSecretText(token) && revokedAtMs !== undefined,
      ),
    )
    t.match(revoked.revokedReason, /URL/)
    t.equal((await ask('GET', path, { token, from: elsewhere() })).status, 401)
    t.notOk(service.output().includes(token), 'no line of the log has it')
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
