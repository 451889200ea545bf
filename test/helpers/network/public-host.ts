/**
 * A program for a network of its own, whose loopback interface has a public address: tries to reach
 * what listens there through everything that connects for a tenant, and prints the answers as JSON.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type LookupFunction } from 'node:net'
import { NetworkFilter } from '../../../node-agent/egress/filter.ts'
import { guardedFetch } from '../../../runtime/accounts/credentials/guarded-fetch.ts'
import { publicOnly } from '../../../runtime/lib/network/guard/allowance.ts'
import { postWebhook } from '../../../runtime/webhooks/send/post.ts'

const [host = ''] = process.argv.slice(2)
const target = createServer((_, response) => response.end('inside')).listen(0, '0.0.0.0')
await once(target, 'listening')
const { port } = target.address() as AddressInfo
const url = `http://${host}:${port}/`
const address = { address: host, family: 4 }

async function throughFilter(request: string, allowsPrivateNetwork: boolean): Promise<string> {
  const filter = await NetworkFilter.open(undefined, async () => [address])
  filter.policies = [{ allowsPrivateNetwork }]
  filter.ports = { closed: [port], gateways: [] }
  const socket = connect(filter.port, '127.0.0.1')
  socket.write(`${request} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  await filter.close()
  return chunk.toString().split('\r\n')[0]!
}

const rules = { allowance: publicOnly, protocols: ['http:'], ports: 'any', charsMost: 100 } as const
const resolve: LookupFunction = (_, __, done) => process.nextTick(done, null, [address])
const toName = url.replace(host, 'own.example')
const post = (to: string) =>
  postWebhook({ url: to, headers: {}, body: '{}' }, { rules, now: () => 0, resolve })

const answers = {
  page: await throughFilter(`GET ${url}`, false),
  tunnel: await throughFilter(`CONNECT ${host}:${port}`, false),
  name: await throughFilter(`GET ${toName}`, false),
  ownPort: await throughFilter(`GET ${url}`, true),
  webhook: (await post(url)).error ?? 'sent',
  webhookByName: (await post(toName)).error ?? 'sent',
  model: await guardedFetch(url).then(
    (answer) => answer.text(),
    ({ cause }: Error) => (cause as Error).name,
  ),
}
process.stdout.write(JSON.stringify(answers))
target.close()
target.closeAllConnections()
