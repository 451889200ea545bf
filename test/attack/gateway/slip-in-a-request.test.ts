/**
 * Somebody who reaches the gateway through a proxy, and has no key, wants a part of their body taken for
 * another caller's request, a header of theirs in an answer, or all connections for themselves. Method: a
 * real service, bytes written by hand. `run.ts` runs this file once for each engine.
 */
import { request } from 'node:http'
import t from 'tap'
import { chooseEngine } from '../../../gateway/server/engine.ts'
import { RawClient } from '../../helpers/gateway/raw-client.ts'
import { serverEngine } from '../../helpers/service/server-engine.ts'
import { startBystander } from '../../helpers/service/bystander.ts'
import { startService } from '../../helpers/service/service.ts'

const service = await startService({ env: { POOL_HEADLESS: '0' } })
const beside = await startBystander(service)
const clients: RawClient[] = []
t.teardown(() => {
  for (const client of clients) client.close()
  return service.stop()
})
const isNode = chooseEngine(serverEngine) === 'node'
const host = 'Host: localhost\r\n'

function say(text: string): RawClient {
  const client = new RawClient(service.baseUrl)
  clients.push(client)
  client.write(text)
  return client
}

/** Any answer to it has this request id. */
const second = `GET /health/live HTTP/1.1\r\n${host}X-Request-Id: second\r\n\r\n`
const isSecondAnswered = ({ heard }: RawClient) => /x-request-id: second/i.test(heard)
const post = (headers: string, body: string) =>
  say(`POST /v1/sessions HTTP/1.1\r\n${host}${headers}\r\n\r\n${body}${second}`)

const none = '0\r\n\r\n'
const chunked = 'Transfer-Encoding: chunked'
const unclear: Readonly<Record<string, RawClient>> = {
  'two lengths': post('Content-Length: 2\r\nContent-Length: 90', '{}'),
  'two lengths, the longer first': post('Content-Length: 90\r\nContent-Length: 2', '{}'),
  'one length twice': post('Content-Length: 2\r\nContent-Length: 2', '{}'),
  'a list of lengths': post('Content-Length: 2, 90', '{}'),
  'an empty length': post('Content-Length: ', ''),
  'a length with a sign': post('Content-Length: +2', '{}'),
  'a negative length': post('Content-Length: -2', '{}'),
  'a length in hexadecimal': post('Content-Length: 0x2', '{}'),
  'a length that overflows': post('Content-Length: 18446744073709551618', '{}'),
  'a space before the colon': post('Content-Length : 2', '{}'),
  'a length and chunks': post(`Content-Length: 5\r\n${chunked}`, none),
  'chunks and a length': post(`${chunked}\r\nContent-Length: 5`, none),
  'a coding that is none': post('Transfer-Encoding: identity', none),
  'a coding nobody knows': post('Transfer-Encoding: xchunked', none),
  'chunks and then another coding': post('Transfer-Encoding: chunked, identity', none),
  'another coding and then chunks': post('Transfer-Encoding: gzip, chunked', none),
  'two codings': post(`${chunked}\r\nTransfer-Encoding: identity`, none),
  'a control character in the coding': post('Transfer-Encoding: \vchunked', none),
  'a folded coding': post('Content-Length: 5\r\nTransfer-Encoding:\r\n chunked', none),
  'a folded line with a length in it': post('X-One: 1\r\n Content-Length: 90', ''),
  'a chunk that overflows': post(chunked, '10000000000000002\r\n{}\r\n0\r\n\r\n'),
  'a chunk of negative size': post(chunked, '-1\r\n{}\r\n0\r\n\r\n'),
  'a chunk in another notation': post(chunked, '0x2\r\n{}\r\n0\r\n\r\n'),
  'lines that end in LF alone': post(`X-One: 1\nContent-Length: 0\n\nX-Two: 2`, ''),
  'a NUL in a header': post('X-One: a\0b\r\nContent-Length: 0', ''),
}

const get = `GET /health/live HTTP/1.1\r\n${host}`
const socket = 'Upgrade: websocket\r\nConnection: Upgrade\r\n'
/** Each holds a connection and sends nothing more. */
const idle: Readonly<Record<string, RawClient>> = {
  'nothing at all': say(''),
  'half a line': say('GET / HT'),
  'half a head': say(`${get}X-One: `),
  'half a handshake': say(`GET /ws HTTP/1.1\r\n${host}${socket}`),
  'a body that never comes': say(`POST /v1/sessions HTTP/1.1\r\n${host}Content-Length: 9\r\n\r\n`),
  'the time after an answer': say(`${get}\r\n`),
  'the time after a HEAD': say(`HEAD /health/live HTTP/1.1\r\n${host}\r\n`),
  'the time after a refusal': say(`GET /v1/sessions HTTP/1.1\r\n${host}\r\n`),
}
const others: Readonly<Record<string, RawClient>> = {
  'a tunnel': say(`CONNECT 127.0.0.1:${service.port} HTTP/1.1\r\n${host}\r\n`),
  'a whole address': say(`GET ${service.baseUrl}/health/live HTTP/1.1\r\n${host}\r\n`),
  'an echo': say(`TRACE /health/live HTTP/1.1\r\n${host}X-Secret: echoed\r\n\r\n`),
  'HTTP/2': say('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  'a flood of headers': say(`${get}${'X-One: 1\r\n'.repeat(4_000)}\r\n`),
}
const trickled = say(get)
const trickling = setInterval(() => trickled.write('X-One: 1\r\n'), 500)
t.teardown(() => clearInterval(trickling))
const old = say('GET /health/live HTTP/1.0\r\n\r\n')

t.test('a body whose end is not clear ends its connection', async (t) => {
  for (const [name, client] of Object.entries(unclear)) {
    await client.closed()
    t.notOk(isSecondAnswered(client), `${name}: what follows is not answered`)
    t.match(client.heard, /^(HTTP\/1\.1 400 |$)/, name)
    // What uWebSockets.js refuses itself, it refuses without a word.
    if (isNode && name.includes('length')) t.match(client.heard, /^HTTP\/1\.1 400 /, name)
  }
})

t.test(
  'a connection that does nothing ends, and so does one that never comes to its point',
  async (t) => {
    for (const [name, client] of Object.entries(idle)) {
      await client.closed()
      const isAnswered = name.includes('after')
      t.match(client.heard, isAnswered ? /^HTTP\/1\.1 (200|401) / : /^(HTTP\/1\.1 4|$)/, name)
    }
    await trickled.closed()
    await old.closed()
    // uWebSockets.js reads no HTTP/1.0.
    t.match(old.heard, isNode ? /^HTTP\/1\.1 200 / : /^$/)
  },
)

/** The answer's raw headers, as a proxy would pass them on. */
function headersOf(path: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<string>((resolve, reject) => {
    const { hostname, port } = new URL(service.baseUrl)
    const asked = request({ hostname, port, path, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.rawHeaders.join('\n')))
    })
    asked.once('error', reject).end()
  })
}

t.test('an answer has no header of theirs', async (t) => {
  const split = '%0d%0aSet-Cookie:%20a=b%0d%0a%0d%0a'
  for (const path of [
    `/${split}`,
    `/v1/sessions/${split}`,
    `/live/${split}?token=${split}`,
    `/portal/sign-in?next=/portal${split}`,
    `/web/live/${split}.js`,
  ]) {
    t.notMatch(await headersOf(path), /set-cookie: a/i, path)
  }
  const long = { 'x-request-id': `a${'b'.repeat(200)}` }
  t.notMatch(await headersOf('/health/live', long), /bbb/)
})

t.test('it is no proxy, and no other protocol', async (t) => {
  for (const [name, client] of Object.entries(others)) {
    await client.closed()
    t.notMatch(client.heard, /^HTTP\/1\.1 2|echoed/, name)
  }
  t.match(await headersOf('/health/live'), /application\/json/, 'others are served as before')
})

t.test('the session of somebody else has noticed nothing', (t) => beside.assertUndisturbed(t))
