/**
 * A tenant wants the webhooks, checks and models of all others to find no name: by addresses whose name
 * server never answers. Method: a name server on loopback that is silent about their names, more of
 * them than a process has threads, and the webhook of another tenant.
 */
import t from 'tap'
import { anyLookup, setNameServers } from '../../../runtime/lib/network/guard/lookup.ts'
import { publicOnly } from '../../../runtime/lib/network/guard/allowance.ts'
import { postWebhook } from '../../../runtime/webhooks/send/post.ts'
import { serveNames } from '../../helpers/network/name-server.ts'
import { playProxy } from '../../helpers/network/played-proxy.ts'
import { until } from '../../helpers/lib/until.ts'

let isSilent = true
const names = await serveNames((name) => {
  if (!name.startsWith('slow-')) return ['127.0.0.1']
  return isSilent ? 'silent' : 'unknown'
})
setNameServers([names.address])
t.teardown(() => {
  setNameServers([])
  names.close()
})

const allowance = { ...publicOnly, ranges: ['127.0.0.1/32'] }
const rules = { allowance, protocols: ['http:'], ports: 'any', charsMost: 100 } as const

t.test('their webhooks wait for themselves alone', async (t) => {
  const { port, connections } = await playProxy(t, 'http', '127.0.0.1')
  const post = (name: string) =>
    postWebhook(
      { url: `http://${name}.example:${port}/`, headers: {}, body: '{}' },
      { rules, now: () => 0 },
    )
  const theirs = Array.from({ length: 16 }, (_, index) => post(`slow-${index}`))
  const isAsked = (_: unknown, index: number) => names.asked.includes(`slow-${index}.example`)
  await until('all of their names are asked for', () => theirs.every(isAsked))
  t.match(await post('other'), { statusCode: 200 })
  t.equal(connections(), 1)
  isSilent = false
  for (const outcome of await Promise.all(theirs)) t.match(outcome, { error: /^(dns|timeout)$/ })
})

t.test('a look-up gives what Node’s own would', async (t) => {
  const look = (name: string, options: object) =>
    new Promise<unknown>((resolve) => {
      anyLookup(name, options, (error, ...found) => resolve(error ?? found))
    })
  t.same(await look('other.example', { all: true }), [[{ address: '127.0.0.1', family: 4 }]])
  t.same(await look('other.example', {}), ['127.0.0.1', 4])
  t.same(await look('localhost', { family: 6 }), ['::1', 6])
  t.match(await look('other.example', { family: 6 }), { code: 'ENOTFOUND' })
  t.match(await look('slow-0.example', { all: true }), { code: 'ENOTFOUND' })
})
