/**
 * Goal: the files that `troupe cluster init` writes give each host its own rights and no others.
 * Method: a nats-server with that configuration, and each folder's own settings.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { buckets, subjects } from '../../../proto/subjects.ts'
import { openHosts, openStore } from '../../../runtime/store/nats/buckets.ts'
import { connectNats } from '../../../runtime/store/nats/connection.ts'
import { makeTestCluster } from '../../helpers/nats/made-cluster.ts'
import { silent } from '../../helpers/nats/nats.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'

const made = await makeTestCluster(t, '127.0.0.1', 'one=10.0.0.2,two')
const store = await made.store()

async function connectAs(t: Test, host: string, role: string) {
  const nc = await connectNats(made.config(host, role), role, silent)
  t.teardown(() => nc.close())
  return nc
}

t.test('each host has its own files, readable by their owner alone', async (t) => {
  const files = readdirSync(made.dir, { recursive: true, encoding: 'utf8' }).sort()
  t.same(files, [
    ...['browsers-one', 'browsers-one/ca.pem', 'browsers-one/node-agent.env'],
    ...['browsers-one/node-agent.nk', 'browsers-two', 'browsers-two/ca.pem'],
    ...['browsers-two/node-agent.env', 'browsers-two/node-agent.nk', 'core', 'core/actors.env'],
    ...['core/actors.nk', 'core/ca.pem', 'core/gateway.env', 'core/gateway.nk'],
    ...['core/watcher.env', 'core/watcher.nk', 'nats', 'nats/nats-server.conf'],
    ...['nats/server.key', 'nats/server.pem'],
  ])
  for (const name of files.filter((name) => /\.(env|nk|key|conf)$/.test(name))) {
    t.equal(statSync(join(made.dir, name)).mode & 0o777, 0o600, name)
  }
  const { NODE_ID, DATA_HOST, DATA_PORT } = made.env('browsers-one', 'node-agent')
  t.same(
    { NODE_ID, DATA_HOST, DATA_PORT },
    { NODE_ID: 'one', DATA_HOST: '10.0.0.2', DATA_PORT: '7070' },
  )
  t.notOk(made.env('browsers-one', 'node-agent')['SEAL_KEY'])
  t.match(made.env('core', 'gateway')['SEAL_KEY'], made.env('core', 'actors')['SEAL_KEY'])
  t.notMatch(
    readFileSync(join(made.dir, 'nats', 'nats-server.conf'), 'utf8'),
    /\bSU[A-Z2-7]{56}\b|password/,
  )
  t.match(made.said, /core\/ +each host with gateways and actors/)
})

t.test('what is acknowledged is on the disk, where nats-server can do that', async (t) => {
  const root = t.testdir()
  for (const [version, line, says] of [
    ['2.9.10', /\n  # sync_interval: always/, /2\.9\.10 acknowledges before it writes/],
    ['2.11.4', /\n  sync_interval: always/, /What nats-server acknowledges is on its disk/],
  ] as const) {
    const out = join(root, version)
    const order = ['cluster', 'init', '--nats', '127.0.0.1', '--browsers', 'one', '--no-tls']
    const { stdout } = await runTroupe([...order, '--nats-version', version, '--out', out])
    t.match(stdout, says)
    t.match(readFileSync(join(out, 'nats', 'nats-server.conf'), 'utf8'), line)
  }
})

t.test('a host with browsers renews its own lease, and sees the others’', async (t) => {
  const nc = await connectAs(t, 'browsers-one', 'node-agent')
  const hosts = await openHosts(nc, { timeoutMs: 2_000 })
  await store.bucket(buckets.hosts).put('two.node-agent.1', Buffer.from('two'))
  await hosts.create('one.node-agent.1', Buffer.from('one'))
  const found = (await entriesOf(hosts)).map(({ key }) => key)
  t.same(found.sort(), ['one.node-agent.1', 'two.node-agent.1'])
  await t.rejects(nc.request(`$KV.${buckets.hosts}.two.node-agent.1`, 'dead', { timeout: 5_000 }), {
    code: 'PERMISSIONS_VIOLATION',
  })
  await t.rejects(openStore(nc, { timeoutMs: 2_000 }), /each role has a user of its own/)
})

t.test('it answers its own verbs, and receives none of another host', async (t) => {
  const one = await connectAs(t, 'browsers-one', 'node-agent')
  one.subscribe(subjects.nodeAll('one'), { callback: (_, message) => message.respond('mine') })
  const errors = new Promise((resolve) => {
    one.subscribe(subjects.nodeAll('two'), { callback: (error) => resolve(error?.code) })
  })
  t.equal(await errors, 'PERMISSIONS_VIOLATION')
  const gateway = await connectAs(t, 'core', 'gateway')
  const asked = (node: string) =>
    gateway.request(subjects.node(node, 'claim'), '', { timeout: 5_000 })
  t.equal((await asked('one')).string(), 'mine')
  await t.rejects(asked('two'), { code: '503' }, 'nobody is there')
})

t.test('a gateway cannot write the audit, an actor host can', async (t) => {
  const gateway = await connectAs(t, 'core', 'gateway')
  await t.rejects(gateway.request(subjects.audit('platform'), 'x', { timeout: 5_000 }), {
    code: 'PERMISSIONS_VIOLATION',
  })
  t.ok(await store.audit.append(subjects.audit('platform'), Buffer.from('x'), 0))
})

t.test('no role can restore a stream, under any name', async (t) => {
  for (const role of ['gateway', 'actors']) {
    const nc = await connectAs(t, 'core', role)
    const restore = nc.request('$JS.API.STREAM.RESTORE.ANY', '{}', { timeout: 5_000 })
    await t.rejects(restore, { code: 'PERMISSIONS_VIOLATION' }, role)
  }
})

t.test('a client without the certificate or without a key is refused', async (t) => {
  const settings = made.config('core', 'actors')
  await t.rejects(
    connectNats({ ...settings, NATS_CA_FILE: '' }, 'test', silent),
    /we do not agree on TLS/,
  )
  await t.rejects(
    connectNats({ ...settings, NATS_NKEY_FILE: '' }, 'test', silent),
    /does not accept our credentials/,
  )
})

t.test('invalid cluster descriptions are refused with a reason', async (t) => {
  const init = (...args: string[]) => runTroupe(['cluster', 'init', ...args])
  const there = ['--nats', 'n', '--browsers', 'b', '--out', made.dir]
  t.match(await init(...there), {
    code: 1,
    stderr: /already exists; name another folder with --out/,
  })
  const rows: readonly (readonly [string[], RegExp])[] = [
    [['--browsers', 'b'], /--nats HOST is required/],
    [['--nats', 'nats://n', '--browsers', 'b'], /--nats takes a name or an address/],
    [['--nats', 'n:70000', '--browsers', 'b'], /--nats takes a name or an address/],
    [['--nats', 'n', '--browsers', 'b,b'], /--browsers takes different ids/],
    [['--nats', 'n', '--browsers', 'b.c'], /--browsers takes different ids/],
    [['--nats', 'n', '--browsers', 'b=1=2'], /--browsers takes different ids/],
  ]
  for (const [args, stderr] of rows)
    t.match(await init(...args), { code: 2, stderr }, args.join(' '))
})
