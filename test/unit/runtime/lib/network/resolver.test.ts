/**
 * Goal: names are resolved as by the system, but one that nobody answers holds up no other. Method:
 * a name server on loopback, and files in the place of /etc/hosts and /etc/resolv.conf.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { NameResolver } from '../../../../../runtime/lib/network/resolver.ts'
import { hostsFile, searchFile } from '../../../../../runtime/lib/network/system-names.ts'
import { systemClock } from '../../../../../runtime/lib/clock.ts'
import { serveNames, type NameAnswer } from '../../../../helpers/network/name-server.ts'
import { until } from '../../../../helpers/lib/until.ts'

const known: Readonly<Record<string, NameAnswer>> = {
  'site.example': ['192.0.2.7', '192.0.2.8'],
  'six.example': ['2001:db8::7'],
  'empty.example': [],
  'failed.example': 'failed',
  'api.default.svc.cluster.example': ['10.1.2.3'],
}
const server = await serveNames((name) =>
  name.endsWith('slow.example') ? 'silent' : (known[name] ?? 'unknown'),
)
const folder = mkdtempSync(join(tmpdir(), 'troupe-names-'))
t.teardown(() => {
  server.close()
  rmSync(folder, { recursive: true })
})
const [hosts, resolvConf] = [join(folder, 'hosts'), join(folder, 'resolv.conf')]
writeFileSync(hosts, '127.0.0.2 Nas nas.lan # a comment\n::2 nas\nnot-an-address x\n')
writeFileSync(resolvConf, 'nameserver 192.0.2.53\n')
const means = {
  servers: [server.address],
  hosts: hostsFile(hosts),
  search: searchFile(resolvConf),
}
const resolver = new NameResolver(means)
const addresses = async (host: string) =>
  (await resolver.resolve(host)).map(({ address }) => address)

t.test('names of the name server, of both families', async (t) => {
  t.same(await resolver.resolve('Site.example.'), [
    { address: '192.0.2.7', family: 4 },
    { address: '192.0.2.8', family: 4 },
  ])
  t.same(await resolver.resolve('six.example'), [{ address: '2001:db8::7', family: 6 }])
})

t.test('addresses, localhost and /etc/hosts, without a question', async (t) => {
  server.asked.length = 0
  t.same(await addresses('192.0.2.1'), ['192.0.2.1'])
  t.same(await addresses('[2001:db8::1]'), ['2001:db8::1'])
  t.same(await addresses('localhost'), ['127.0.0.1', '::1'])
  t.same(await addresses('a.localhost.'), ['127.0.0.1', '::1'])
  t.same(await addresses('NAS'), ['127.0.0.2', '::2'])
  t.same(await addresses('nas.lan'), ['127.0.0.2'])
  writeFileSync(hosts, '127.0.0.33 nas\n')
  t.same(await addresses('nas'), ['127.0.0.33'], 'it is read again when it has changed')
  t.same(server.asked, [])
})

t.test('names that are not there', async (t) => {
  for (const name of ['nowhere.example', 'empty.example', '', `${'a.'.repeat(200)}example`]) {
    await t.rejects(resolver.resolve(name), { code: 'ENOTFOUND', hostname: name }, name)
  }
  await t.rejects(resolver.resolve('failed.example'), { code: 'EAI_AGAIN' })
  await t.rejects(resolver.resolve(`${'a'.repeat(64)}.example`), { code: /ENOTFOUND|EAI_AGAIN/ })
})

t.test('the search list completes names, as in a cluster', async (t) => {
  await t.rejects(resolver.resolve('api'), { code: 'ENOTFOUND' })
  writeFileSync(
    resolvConf,
    'search default.svc.cluster.example svc.cluster.example\noptions edns0 ndots:5\n',
  )
  t.same(await addresses('api'), ['10.1.2.3'])
  t.same(await addresses('api.default'), ['10.1.2.3'], 'by the second domain')
  t.same(await addresses('site.example'), ['192.0.2.7', '192.0.2.8'], 'as it is, at the end')
  await t.rejects(resolver.resolve('failed.example'), { code: 'EAI_AGAIN' })
  writeFileSync(resolvConf, 'search default.svc.cluster.example\n')
  server.asked.length = 0
  t.same(await addresses('site.example'), ['192.0.2.7', '192.0.2.8'])
  t.same([...new Set(server.asked)], ['site.example'], 'one with a dot is tried first')
})

t.test('a name that nobody answers holds up no other, and ends with its caller', async (t) => {
  const gone = new AbortController()
  const { signal } = gone
  const slow = Array.from({ length: 40 }, (_, i) =>
    resolver.resolve(`${i}.slow.example`, { signal }).then(
      () => 'found',
      (error: unknown) => error,
    ),
  )
  await until('all are asked for', () => new Set(server.asked).size > 40)
  t.same(await addresses('six.example'), ['2001:db8::7'])
  const left = new Error('the page has left')
  gone.abort(left)
  for (const outcome of await Promise.all(slow)) t.equal(outcome, left)
  await t.rejects(resolver.resolve('site.example', { signal }), left)
})

t.test('it waits for a silent name server within a limit', async (t) => {
  let fire: (() => void) | undefined
  const clock = {
    ...systemClock,
    timer(_: number, then: () => void) {
      fire = then
      return { cancel: () => undefined }
    },
  }
  const asked = new NameResolver({ ...means, clock }).resolve('slow.example')
  fire!()
  await t.rejects(asked, { code: 'EAI_AGAIN' })
})
