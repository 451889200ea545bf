/**
 * A tenant wants what listens beside the service, the metadata of its cloud, the service's own
 * ports. They name a host whose name server is theirs: it answers the look-up that is checked with one
 * address and the next one with another. Method: everything that dials for a tenant, with such a name;
 * and the login servers, whose addresses the operator sets.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { probeDns } from '../../../actors/access/check/probes/dns.ts'
import { probeHttp } from '../../../actors/access/check/probes/http.ts'
import { probeTls } from '../../../actors/access/check/probes/tls.ts'
import { NetworkFilter } from '../../../node-agent/egress/filter.ts'
import { guardFetch } from '../../../runtime/accounts/credentials/guarded-fetch.ts'
import { AuthorizationServer } from '../../../runtime/accounts/oauth/authorization-server.ts'
import { KeyExchange } from '../../../runtime/accounts/oauth/key-exchange.ts'
import { oauthProviders } from '../../../runtime/accounts/oauth/providers.ts'
import { publicOnly } from '../../../runtime/lib/network/guard/allowance.ts'
import { guardConnection } from '../../../runtime/lib/network/guard/connection-guard.ts'
import { postWebhook } from '../../../runtime/webhooks/send/post.ts'
import { playProxy, type ProxyScheme } from '../../helpers/network/played-proxy.ts'
import { misleadNode, turningName } from '../../helpers/network/turning-name.ts'

const credentials = { username: 'me', password: 'x' }

/** A filter with an upstream proxy of a turning name; a proxy listens at both of its addresses. */
async function attack(t: Test, scheme: ProxyScheme) {
  const closed = await playProxy(t, scheme, '127.0.0.1')
  const open = await playProxy(t, scheme, '127.0.0.2', closed.port)
  const lookedUp = misleadNode(t)
  const server = `${scheme}://turning.example:${closed.port}`
  const ask = async (request: string, then = '') => {
    const filter = await NetworkFilter.open({ server, ...credentials }, turningName().lookUp)
    filter.policies = [{ allowsPrivateNetwork: true }]
    const socket = connect(filter.port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      if (text === '' && then !== '' && / 200 /.test(chunk)) socket.write(then)
      text += chunk
    })
    socket.write(`${request} HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n`)
    await once(socket, 'close')
    await filter.close()
    return text
  }
  return { open, closed, lookedUp, ask }
}

for (const scheme of ['http', 'socks4', 'socks5'] as const) {
  t.test(`of the ${scheme} proxy of a session`, async (t) => {
    const { open, closed, lookedUp, ask } = await attack(t, scheme)
    t.match(await ask('GET http://site.example/'), /127\.0\.0\.2$/)
    t.match(await ask('CONNECT site.example:443', 'hello'), /127\.0\.0\.2$/)
    t.equal(closed.connections(), 0, 'the address of the second answer is never dialled')
    t.same(open.named, ['site.example', 'site.example'], 'the proxy resolves the names of sites')
    t.same(lookedUp, [], 'no library resolves a name once more')
  })
}

t.test('of the https proxy of a session', async (t) => {
  const { open, closed, lookedUp, ask } = await attack(t, 'https')
  // No client trusts its certificate.
  t.match(await ask('GET http://site.example/'), /^HTTP\/1\.1 5\d\d /)
  t.match(await ask('CONNECT site.example:443'), /^HTTP\/1\.1 5\d\d /)
  t.equal(closed.connections(), 0)
  t.same(open.named, ['turning.example', 'turning.example'], 'TLS is for the name of the proxy')
  t.same(lookedUp, [])
})

/** The allowance stands for the public internet, where tests must not connect. */
const allowance = { ...publicOnly, ranges: ['127.0.0.2/32'] }
const guardOf = (url: URL) => guardConnection(url, allowance, turningName().lookup)

/** A server at each address of a turning name. */
async function targets(t: Test, scheme: 'http' | 'https' = 'http') {
  const closed = await playProxy(t, scheme, '127.0.0.1')
  const open = await playProxy(t, scheme, '127.0.0.2', closed.port)
  const lookedUp = misleadNode(t)
  const url = new URL(`${scheme}://turning.example:${closed.port}/`)
  return { open, closed, lookedUp, url }
}

t.test('of the receiver of a webhook', async (t) => {
  const { open, closed, lookedUp, url } = await targets(t)
  const rules = { allowance, protocols: ['http:'], ports: 'any', charsMost: 100 } as const
  const deps = { rules, now: () => 0, resolve: turningName().lookup }
  const send = () => postWebhook({ url: url.href, headers: {}, body: '{}' }, deps)
  t.match(await send(), { statusCode: 200 })
  t.match(await send(), { error: 'blocked_address' }, 'another connection, another look-up')
  t.same([open.connections(), closed.connections(), lookedUp], [1, 0, []])
})

t.test('of a server of models', async (t) => {
  const { open, closed, lookedUp, url } = await targets(t)
  const fetch = guardFetch(allowance, turningName().lookup)
  const ask = () => fetch(url, { headers: { connection: 'close' } })
  t.equal(await (await ask()).text(), '127.0.0.2')
  await t.rejects(ask(), { cause: { name: 'NotPublic' } })
  t.same([open.connections(), closed.connections(), lookedUp], [1, 0, []])
})

t.test('of the target of a check', async (t) => {
  const { signal } = new AbortController()
  const http = await targets(t)
  const asked = await probeHttp(http.url, guardOf(http.url), { signal, now: () => 0 })
  t.equal(asked.status, 200)
  const https = await targets(t, 'https')
  await probeTls(https.open.port, guardOf(https.url), signal)
  for (const { open, closed, lookedUp } of [http, https]) {
    t.same([open.connections(), closed.connections(), lookedUp], [1, 0, []])
  }
  t.same(await probeDns(guardOf(http.url), signal), ['127.0.0.2'])
})

t.test('of a login server: it gets no code and no token', async (t) => {
  const { closed, lookedUp, url } = await targets(t, 'https')
  const at = (path: string) => new URL(path, url).href
  const endpoints = { authorization_endpoint: at('/auth'), token_endpoint: at('/token') }
  const providers = oauthProviders.parse({
    openai: { issuer: url.origin, client_id: 'troupe' },
    groq: { ...endpoints, client_id: 'troupe', client_secret: 'secret' },
    openrouter: { grant: 'key', ...endpoints },
  })
  const discovering = new AuthorizationServer('openai', providers.openai!)
  const known = new AuthorizationServer('groq', providers.groq!)
  const exchange = new KeyExchange('openrouter', providers.openrouter)
  const code = new URLSearchParams({ code: 'secret', state: 'state' })
  const request = { redirectUri: 'https://troupe.example/', state: 'state', verifier: 'secret' }
  const asks: readonly (() => Promise<unknown>)[] = [
    () => discovering.refresh('secret'),
    () => known.refresh('secret'),
    () => known.redeem(code, request),
    () => exchange.redeem(code, 'secret'),
  ]
  for (const ask of asks) await t.rejects(ask(), /does not answer$/)
  // The name has led there, but only the login server has a certificate for it.
  t.same(lookedUp, Array<string>(4).fill('turning.example'))
  t.equal(closed.connections(), 4)
  t.same(closed.named, Array<string>(4).fill('turning.example'), 'TLS, and no request')
})

t.test('and no login server has an address without TLS', async (t) => {
  const { url } = await targets(t)
  for (const field of ['issuer', 'token_endpoint', 'device_authorization_endpoint']) {
    const provider = { client_id: 'troupe', issuer: 'https://a.example', [field]: url.href }
    t.equal(oauthProviders.safeParse({ openai: provider }).success, false, field)
  }
})
