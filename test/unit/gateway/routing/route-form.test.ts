/**
 * Goal: the declaration of a route is its behaviour on the wire: its status, its headers, its
 * conditions, and for Surface A which bodies are refused.
 */
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { ServiceError } from '../../../../proto/errors.ts'
import { accessLimits } from '../../../../proto/access/limits.ts'
import { etagOf, ifMatch } from '../../../../gateway/routing/answers/conditions.ts'
import { openApi } from '../../../../gateway/routing/openapi/document.ts'
import { emptyRoute, jsonRoute, type Route } from '../../../../gateway/routing/route.ts'
import { anyoneRule, peopleRule } from '../../../../gateway/routing/auth/access-rule.ts'
import type { AccessCaller } from '../../../../gateway/routing/auth/access-caller.ts'
import { noAccess, type AccessGate } from '../../../../gateway/access/gate/gate.ts'
import { serveRoutes } from '../../../helpers/gateway/own-routes.ts'
import { until } from '../../../helpers/lib/until.ts'

const token = { authorization: 'Bearer good' }
const http = 'HTTP/1.1\nHost: localhost\nAuthorization: Bearer good\n'
const json = { ...token, 'content-type': 'application/json' }

/** Admits one token, and records the rule it was asked for. */
function oneToken(rules: unknown[] = []): AccessGate {
  return {
    ...noAccess,
    async authenticate({ headers }, { requestId }, rule) {
      rules.push(rule)
      if (headers.get('authorization') === 'Bearer good') {
        return { keyId: 'tok_1', requestId } as AccessCaller
      }
      const details = { challenge: 'Bearer realm="platform"' }
      throw new ServiceError('invalid_token', 'This token is not known.', details)
    },
  }
}

const thing = z.object({ data: z.looseObject({ version: z.number() }) })
const of = z.object({ id: z.string() })

/** One record, as Surface A would serve it. */
function thingRoutes(): readonly Route[] {
  const state = { version: 1, name: 'one' }
  const shared = {
    path: '/v1/things/{id}',
    auth: 'access',
    access: peopleRule,
    params: of,
  } as const
  const found = (id: string) => {
    if (id !== 'a') throw new ServiceError('not_found', 'There is no such thing.')
    return state
  }
  const changed = (name: string, wanted: number | '*') => {
    if (wanted !== '*' && wanted !== state.version) {
      const text = 'It was changed meanwhile; read it again.'
      throw new ServiceError('precondition_failed', text, { version: state.version })
    }
    Object.assign(state, { name, version: state.version + 1 })
    return { data: { ...state } }
  }
  const headers = ({ data }: z.infer<typeof thing>) => ({ etag: etagOf(data.version) })
  return [
    jsonRoute({
      ...shared,
      method: 'GET',
      summary: 'Read it.',
      access: anyoneRule,
      hasEtag: true,
      response: thing,
      handler: ({ params }) => ({ data: { ...found(params.id) } }),
      headers,
    }),
    jsonRoute({
      ...shared,
      method: 'PATCH',
      summary: 'Change it.',
      needsIfMatch: true,
      hasEtag: true,
      body: z.strictObject({ name: z.string().max(10) }),
      response: thing,
      headers,
      handler({ params, body, request }) {
        found(params.id)
        return changed(body.name, ifMatch(request))
      },
    }),
    emptyRoute({
      ...shared,
      method: 'DELETE',
      summary: 'Remove it.',
      needsIfMatch: true,
      handler({ params, request }) {
        found(params.id)
        return changed('gone', ifMatch(request))
      },
      headers: ({ data }) => ({ 'x-was': String(data.version) }),
    }),
  ]
}

function listRoutes(): readonly Route[] {
  return [
    jsonRoute({
      method: 'POST',
      path: '/v1/things',
      summary: 'Make one.',
      auth: 'access',
      access: peopleRule,
      status: 201,
      makes: true,
      body: z.looseObject({}),
      response: z.object({ data: z.unknown() }),
      headers: () => ({ location: '/v1/things/b', etag: etagOf(1) }),
      handler: ({ body }) => ({ data: body }),
    }),
    jsonRoute({
      method: 'POST',
      path: '/v1/jobs',
      summary: 'Begin one.',
      auth: 'access',
      access: peopleRule,
      status: 202,
      bodyBytes: accessLimits.governanceBodyBytes,
      body: z.strictObject({ at: z.string() }),
      response: z.object({ data: z.unknown() }),
      handler: () => ({ data: {} }),
    }),
  ]
}

const setUp = (t: Test, rules: unknown[] = []) =>
  serveRoutes(t, [...thingRoutes(), ...listRoutes()], {
    access: oneToken(rules),
    allowedOrigins: ['https://app.example'],
  })

t.test('201 has a Location, 202 is 202, 204 has no body and no length', async (t) => {
  const { say, url } = await setUp(t)
  const made = await say('POST', '/v1/things', { headers: json, body: '{"a":1}' })
  t.match(made, { status: 201, body: { data: { a: 1 } } })
  t.equal(made.headers.get('location'), '/v1/things/b')
  t.equal((await say('POST', '/v1/jobs', { headers: json, body: '{"at":""}' })).status, 202)
  const answer = await new Wire(t, url).ask(`DELETE /v1/things/a ${http}If-Match: *\n\n`)
  t.match(answer, /^HTTP\/1.1 204 No Content\r\n/)
  t.match(answer, /x-was: 2\r\n/i)
  t.notMatch(answer, /content-length|transfer-encoding/i)
  t.match(answer, /\r\n\r\n$/)
})

t.test('after an answer without a body, the connection serves the next request', async (t) => {
  const { url } = await setUp(t)
  const wire = new Wire(t, url)
  t.match(await wire.ask(`GET /v1/things/a ${http}If-None-Match: "1"\n\n`), /^HTTP\/1.1 304/)
  t.match(await wire.ask(`DELETE /v1/things/a ${http}If-Match: *\n\n`), /^HTTP\/1.1 204/)
  t.match(await wire.ask(`GET /v1/things/a ${http}\n`), /^HTTP\/1.1 200/)
})

t.test('If-None-Match: 304 for the version the caller has, never for missing ones', async (t) => {
  const { say } = await setUp(t)
  const get = (tag: string, id = 'a') =>
    say('GET', `/v1/things/${id}`, { headers: { ...token, 'if-none-match': tag } })
  const read = await say('GET', '/v1/things/a', { headers: token })
  t.equal(read.headers.get('etag'), '"1"')
  for (const tag of ['"1"', 'W/"1"', '"7", "1"', '*']) {
    const known = await get(tag)
    t.match(known, { status: 304, text: '' }, tag)
    t.equal(known.headers.get('etag'), '"1"')
    t.equal(known.headers.get('content-type'), null)
  }
  for (const tag of ['"2"', '1', '']) t.equal((await get(tag)).status, 200, tag)
  t.equal((await get('"1"', 'of-another')).status, 404)
})

t.test('If-Match: absent 428, stale or weak 412, and 404 before any of them', async (t) => {
  const { say } = await setUp(t)
  const patch = (tag: string | undefined, id = 'a') =>
    say('PATCH', `/v1/things/${id}`, {
      headers: { ...json, ...(tag !== undefined && { 'if-match': tag }) },
      body: '{"name":"two"}',
    })
  const type = async (tag?: string, id?: string) => {
    const { status, body } = await patch(tag, id)
    return [status, body.error?.['type']]
  }
  t.same(await type(), [428, 'precondition_required'])
  t.same(await type('W/"1"'), [412, 'precondition_failed'])
  t.same(await type('"9"'), [412, 'precondition_failed'])
  t.same(await type('"x"'), [412, 'precondition_failed'])
  t.same(await type('1'), [400, 'bad_request'])
  t.same(await type('"1", "2"'), [400, 'bad_request'])
  t.same(await type(undefined, 'b'), [404, 'not_found'])
  const done = await patch('"1"')
  t.equal(done.headers.get('etag'), '"2"')
  t.equal((await patch('"1"')).body.error?.['version'], 2)
  t.equal((await patch('*')).status, 200)
})

t.test('PATCH accepts a merge patch or JSON, and refuses unknown fields', async (t) => {
  const { say } = await setUp(t)
  const patch = (body: string, type: string) =>
    say('PATCH', '/v1/things/a', {
      headers: { ...token, 'if-match': '*', 'content-type': type },
      body,
    })
  const merge = 'application/merge-patch+json'
  t.equal((await patch('{"name":"x"}', merge)).status, 200)
  t.equal((await patch('{"name":"x"}', 'application/json; charset=utf-8')).status, 200)
  const other = await patch('{"name":"x"}', 'application/json-patch+json')
  t.equal(other.status, 415)
  t.equal(other.headers.get('accept-patch'), `application/json, ${merge}`)
  t.match(await patch('{"version":3}', merge), {
    status: 400,
    body: { error: { type: 'unknown_field', field: 'version' } },
  })
  t.match(await patch('{"name":12}', merge), {
    status: 422,
    body: { error: { type: 'validation_failed', field: 'name' } },
  })
  const options = await say('OPTIONS', '/v1/things/a', {
    headers: { origin: 'https://app.example' },
  })
  t.match(options.headers.get('allow'), /PATCH/)
  t.match(options.headers.get('access-control-allow-headers'), /if-match.*idempotency-key/)
  t.match(options.headers.get('access-control-expose-headers'), /etag/)
})

t.test('a GET may have a content type, but no body', async (t) => {
  const { say, url } = await setUp(t)
  t.equal((await say('GET', '/v1/things/a', { headers: json })).status, 200)
  const wire = new Wire(t, url)
  const get = `GET /v1/things/a ${http}`
  t.match(await wire.ask(`${get}Content-Length: 2\n\n{}`), /^HTTP\/1.1 400/)
  t.match(await wire.ask(`${get}\n`), /^HTTP\/1.1 200/, 'the next request is not affected')
  const chunked = await wire.ask(`${get}Transfer-Encoding: chunked\n\n2\n{}\n0\n\n`)
  t.match(chunked, /^HTTP\/1.1 400/)
  t.match(await wire.ask(`${get}\n`), /^HTTP\/1.1 200/)
})

t.test('two lengths, or a length with chunks, are refused', async (t) => {
  const { url } = await setUp(t)
  const head = `POST /v1/things ${http}`
  const type = 'Content-Type: application/json\n'
  const smuggled = `GET /v1/things/a ${http}\n`
  for (const lengths of [
    'Content-Length: 2\nContent-Length: 60\n',
    'Content-Length: 2\nTransfer-Encoding: chunked\n',
  ]) {
    const answer = await new Wire(t, url).ask(`${head}${type}${lengths}\n{}${smuggled}`)
    t.notMatch(answer, /HTTP\/1.1 2/, lengths)
  }
})

t.test('bodies that would cause trouble later are refused, text becomes NFC', async (t) => {
  const { say } = await setUp(t)
  const post = (body: string, more: Record<string, string> = {}) =>
    say('POST', '/v1/things', { headers: { ...json, ...more }, body })
  const nested = (depth: number) => '{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1)
  const refused = [
    '{"a":',
    nested(accessLimits.bodyDepth + 1),
    '['.repeat(1_000),
    JSON.stringify({ a: Array(accessLimits.arrayItems + 1).fill(0) }),
    '{"__proto__":{}}',
    '{"a":{"constructor":1}}',
    '{"a":[{"prototype":1}]}',
    '{"a":"\\u0000"}',
    '{"a":"\\ud800"}',
    '{"\\udc00":1}',
    '{"caf\\u00e9":1,"cafe\\u0301":2}',
  ]
  for (const body of refused) {
    t.match(await post(body), { status: 400, body: { error: { type: 'bad_request' } } }, body)
  }
  const fine = [nested(accessLimits.bodyDepth), '{"a":"\\ud83d\\ude00"}', '', '{}']
  for (const body of fine) t.equal((await post(body)).status, 201, body)
  const composed = await post('{"cafe\\u0301":"e\\u0301"}')
  t.same(composed.body.data, { 'caf\u00e9': '\u00e9' })
  t.equal((await post('{}', { 'content-type': 'text/plain' })).status, 415)
  t.equal((await post('{}', { 'content-encoding': 'gzip' })).status, 415)
  const keys = Array.from({ length: 1e6 }, (_, i) => `"${i}":0`).join(',')
  t.equal((await post(`{${keys}}`)).status, 413)
  t.equal((await post(`{"a":"${'x'.repeat(300 * 1024)}"}`)).status, 413)
  const long = JSON.stringify({ at: 'x'.repeat(17 * 1024) })
  t.equal((await say('POST', '/v1/jobs', { headers: json, body: long })).status, 413)
})

t.test(
  'the gate of Surface A is asked with the rule of the route, and may send a challenge',
  async (t) => {
    const rules: unknown[] = []
    const { say } = await setUp(t, rules)
    await say('GET', '/v1/things/a', { headers: token })
    t.same(rules, [anyoneRule])
    const refused = await say('GET', '/v1/things/a', { headers: { authorization: 'Bearer bad' } })
    t.match(refused, { status: 401, body: { error: { type: 'invalid_token' } } })
    t.equal(refused.headers.get('www-authenticate'), 'Bearer realm="platform"')
    t.equal(refused.body.error?.['challenge'], undefined)
    const none = await serveRoutes(t, thingRoutes())
    t.equal((await none.say('GET', '/v1/things/a', { headers: token })).status, 401)
  },
)

t.test('a handler gets the same request id as the answer has', async (t) => {
  const heard = jsonRoute({
    method: 'GET',
    path: '/v1/heard',
    summary: 'Say which request it is.',
    auth: 'none',
    response: z.object({ data: z.object({ id: z.string() }) }),
    handler: ({ requestId }) => ({ data: { id: requestId } }),
  })
  const { say } = await serveRoutes(t, [heard])
  for (const given of ['mine-1', 'x'.repeat(5_000), '<b>', '']) {
    const { headers, body } = await say('GET', '/v1/heard', { headers: { 'x-request-id': given } })
    t.same(body.data, { id: headers.get('x-request-id') })
    t.match(headers.get('x-request-id'), given === 'mine-1' ? /^mine-1$/ : /^req_[0-9a-z]{26}$/)
  }
})

t.test('an answer’s own Vary header is kept beside Origin', async (t) => {
  const { say } = await setUp(t)
  const headers = { ...token, origin: 'https://app.example' }
  const { headers: heard } = await say('GET', '/v1/things/a', { headers })
  t.equal(heard.get('vary'), 'authorization, origin')
})

t.test('the description has the statuses, conditions and keys of such routes', async (t) => {
  const { paths, components } = openApi([...thingRoutes(), ...listRoutes()], 'http://x') as {
    paths: Record<string, Record<string, { parameters: { name: string }[] }>>
    components: { securitySchemes: object }
  }
  t.match(components.securitySchemes, { accessToken: { type: 'http', scheme: 'bearer' } })
  const one = paths['/v1/things/{id}']!
  t.match(one['get'], { security: [{ accessToken: [] }], responses: { 304: {} } })
  t.match(one['patch'], {
    requestBody: { content: { 'application/merge-patch+json': {} } },
    responses: { 200: { headers: { ETag: {} } } },
  })
  t.match(
    one['patch']!.parameters.map(({ name }) => name),
    ['id', 'If-Match'],
  )
  const { responses } = one['delete'] as unknown as { responses: object }
  t.same(
    Object.keys(responses).filter((status) => /^[23]/.test(status)),
    ['204'],
  )
  t.match(responses, { 412: {}, 428: {}, default: {} })
  t.match(paths['/v1/things']!['post'], {
    parameters: [{ name: 'Idempotency-Key', required: false }],
    responses: { 201: { headers: { Location: {} } } },
  })
})

/** A connection that sends bytes unchanged. */
class Wire {
  readonly #socket: Socket
  #text = ''

  constructor(t: Test, url: string) {
    const { hostname, port } = new URL(url)
    this.#socket = connect(Number(port), hostname)
    this.#socket.setEncoding('latin1').on('data', (text: string) => (this.#text += text))
    this.#socket.on('error', () => undefined) // A refusal may come with a reset.
    t.teardown(() => this.#socket.destroy())
  }

  /**
   * The head of the answer and what followed it so far; everything received when the connection
   * closes.
   */
  async ask(bytes: string): Promise<string> {
    this.#text = ''
    this.#socket.write(bytes.replaceAll('\n', '\r\n'))
    await until('an answer', () => this.#text.includes('\r\n\r\n') || this.#socket.closed)
    return this.#text
  }
}
