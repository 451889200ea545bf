// Goal: names that resolve to private addresses are refused, however often their addresses change.
// Method: the filter as a browser uses it, with a lying name server.
import t, { type Test } from 'tap'
import { createServer, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CdpPipe } from '../../../../node-agent/cdp/cdp.ts'
import { NetworkFilter, type LookUp } from '../../../../node-agent/egress/filter.ts'
import type { EgressFilter } from '../../../../node-agent/network/egress.ts'
import { Network } from '../../../../node-agent/network/network.ts'
import { noPorts } from '../../../../node-agent/egress/service-ports.ts'
import { noTraffic } from '../../../../proto/session/browser-reports.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { closeServer, listenOnLoopback } from '../../../helpers/lib/loopback.ts'
import { until } from '../../../helpers/lib/until.ts'
import { serveWebPage } from '../../../helpers/pages/web-page.ts'

const page = await serveWebPage('<h1>Private</h1>')
t.teardown(() => page.close())
const { port } = new URL(page.url)

async function open(t: Test, lookUp: LookUp) {
  const filter = await NetworkFilter.open(undefined, lookUp)
  t.teardown(() => filter.close())
  /** The first line of the answer. */
  const ask = async (request: string, header = 'x-none: 1') => {
    const socket = connect(filter.port, '127.0.0.1')
    socket.write(`${request} HTTP/1.1\r\nhost: x\r\n${header}\r\nconnection: close\r\n\r\n`)
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    return chunk.toString()
  }
  return { filter, ask }
}

t.test('a name is judged by all its addresses, in requests and in tunnels', async (t) => {
  const { filter, ask } = await open(t, async () => [{ address: '127.0.0.1', family: 4 }])
  filter.policies = [{ allowsPrivateNetwork: false }]
  t.match(await ask(`GET http://rebound.example:${port}/`), /403[\s\S]*private address/)
  t.match(await ask(`CONNECT rebound.example:${port}`), /403[\s\S]*private address/)
  t.match(await ask(`CONNECT [::ffff:7f00:1]:${port}`), /403/)
  t.same(filter.takeRefused(), [`rebound.example:${port}`, `[::ffff:7f00:1]:${port}`])
  t.same(filter.takeRefused(), [])
  filter.policies = [{ allowsPrivateNetwork: true }]
  t.match(await ask(`GET http://rebound.example:${port}/`), /200[\s\S]*Private/)
})

t.test('the connection goes to the address that was checked', async (t) => {
  let asked = 0
  const { filter, ask } = await open(t, async () => {
    asked++
    return [{ address: '127.0.0.1', family: 4 }]
  })
  filter.policies = [{ allowsPrivateNetwork: true, allowedDomains: ['once.example'] }]
  t.match(await ask(`GET http://once.example:${port}/`), /200/)
  t.equal(asked, 1, 'a second answer, another address perhaps, is never asked for')
  t.match(await ask(`GET http://www.once.example:${port}/`), /200/)
  t.match(await ask(`GET http://other.example:${port}/`), /403[\s\S]*once\.example/)
})

t.test('a connection is never reused for a later request', async (t) => {
  const answers = (text: string) => createServer((_, response) => response.end(text))
  const [first, second] = [answers('the first'), answers('the second')]
  const samePort = await listenOnLoopback(first)
  await new Promise<void>((resolve) => second.listen(samePort, '127.0.0.2', resolve))
  t.teardown(() => Promise.all([closeServer(first), closeServer(second)]))
  const addresses = ['127.0.0.1', '127.0.0.2']
  const { filter } = await open(t, async () => [{ address: addresses.shift()!, family: 4 }])
  const ask = async () => {
    const headers = { host: 'turning.example', connection: 'keep-alive' }
    const path = `http://turning.example:${samePort}/`
    const asked = request({ host: '127.0.0.1', port: filter.port, path, headers }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return text(response)
  }
  t.equal(await ask(), 'the first')
  t.equal(await ask(), 'the second')
})

t.test('names below localhost are loopback, as in browsers', async (t) => {
  const { filter, ask } = await open(t, async (host) => {
    throw new Error(`${host} was asked for`)
  })
  filter.policies = [{ allowsPrivateNetwork: true }]
  t.match(await ask(`GET http://app.localhost:${port}/`), /200/)
  filter.policies = [{ allowsPrivateNetwork: false }]
  t.match(await ask(`GET http://app.localhost:${port}/`), /403/)
})

t.test(
  'the demo page is answered by the filter itself, and nothing else of the gateway',
  async (t) => {
    const gateway = await serveWebPage('<h1>The gateway</h1>')
    t.teardown(() => gateway.close())
    const demoPort = Number(new URL(gateway.url).port)
    const { filter, ask } = await open(t, async () => [{ address: '127.0.0.1', family: 4 }])
    filter.ports = { gateways: [demoPort], closed: [demoPort] }
    const goTo = (url: string, site = 'none', method = 'GET') =>
      ask(`${method} ${url}`, `sec-fetch-site: ${site}`)
    const policies = [[{ allowsPrivateNetwork: false }], [{ allowsPrivateNetwork: true }], []]
    for (const some of policies) {
      filter.policies = some
      for (const host of ['127.0.0.1', 'localhost']) {
        for (const site of ['none', 'same-origin']) {
          const answer = await goTo(`http://${host}:${demoPort}/demo?popup`, site)
          t.match(answer, /^HTTP\/1\.1 200[^]*default-src 'none'; script-src 'sha256-/)
        }
      }
      for (const path of [
        '',
        '/',
        '/v1/sessions',
        '/demo/',
        '/demo/x',
        '/demo%2f',
        '/Demo',
        '/openapi.json',
      ]) {
        t.match(await goTo(`http://127.0.0.1:${demoPort}${path}`), /^HTTP\/1\.1 403/, path)
      }
      const demo = `http://127.0.0.1:${demoPort}/demo`
      for (const site of ['cross-site', 'same-site']) t.match(await goTo(demo, site), / 403 /)
      t.match(await ask(`GET ${demo}`), / 403 /, 'from something that is no browser')
      t.match(await goTo(demo, 'none', 'POST'), / 403 /)
      t.match(await goTo(`127.0.0.1:${demoPort}`, 'none', 'CONNECT'), / 403 /)
      t.match(await goTo(`http://127.0.0.1:${demoPort - 1}/demo`), / (403|5\d\d) /)
      t.equal(filter.refusalOf(new URL(demo)), undefined)
    }
    filter.policies = [{ allowsPrivateNetwork: false, allowedDomains: ['example.com'] }]
    t.match(await goTo(`http://127.0.0.1:${demoPort}/demo`), / 403 [^]*example\.com/)
    t.match(filter.refusalOf(new URL(`http://127.0.0.1:${demoPort}/demo`)), /example\.com/)
  },
)

const nowhere = new URL('http://nowhere.example/')
const notFound = 'net::ERR_NAME_NOT_RESOLVED'

t.test('a name that is not found is not a refusal', async (t) => {
  const { filter, ask } = await open(t, async () => Promise.reject(new Error('ENOTFOUND')))
  filter.policies = [{ allowsPrivateNetwork: false }]
  t.equal(filter.failureOf(nowhere), undefined)
  t.match(await ask('GET http://nowhere.example/'), /502/)
  t.same(filter.takeRefused(), [])
  t.equal(filter.failureOf(new URL('https://Nowhere.example./')), notFound)
})

t.test('it stays unknown while it is looked up again', async (t) => {
  let asked = 0
  const { filter, ask } = await open(t, () => {
    if (++asked === 2) return new Promise<never>(() => undefined)
    return asked === 1
      ? Promise.reject(new Error('ENOTFOUND'))
      : Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  })
  filter.policies = [{ allowsPrivateNetwork: true }]
  await ask('GET http://nowhere.example/')
  void ask('GET http://nowhere.example/').catch(() => undefined)
  await until('it is asked for again', () => asked === 2)
  t.equal(filter.failureOf(nowhere), notFound)
  t.match(await ask(`GET http://nowhere.example:${port}/`), /200/)
  t.equal(filter.failureOf(nowhere), undefined, 'until it is found')
})

t.test('a browser that has ended gets no filter, which would be left behind', async (t) => {
  const cdp = new CdpPipe(new PassThrough(), new PassThrough(), systemClock)
  const egress = {
    async open(): Promise<EgressFilter> {
      const filter = await NetworkFilter.open()
      return {
        port: filter.port,
        restrict: async (policies) => void (filter.policies = policies),
        failureOf: async () => undefined,
        takeRefused: async () => [],
        takeUnreported: async () => [],
        traffic: async () => noTraffic,
        close: () => filter.close(),
      }
    },
  }
  const network = new Network({ cdp, upstream: undefined, ports: noPorts, egress })
  const resources = () => process.getActiveResourcesInfo()
  const listening = () => resources().filter((kind) => kind === 'TCPServerWrap').length
  await until('the filters before have closed', () => listening() === 1)
  const policy = { allowsPrivateNetwork: false }
  const asked = network.restrict(policy)
  cdp.close('the browser has ended')
  const closed = network.close()
  const askedLate = network.restrict(policy)
  await t.rejects(asked, { message: /could not be restricted/ })
  await t.rejects(askedLate, { message: /has ended/ })
  await closed
  await until('only the page’s server listens', () => listening() === 1)
})
