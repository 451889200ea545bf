// Goal: only suitable NATS servers are accepted: one server from 2.9.10 on; several only where
// compare-and-set has a single winner.
import t from 'tap'
import { streams, subjects } from '../../../proto/subjects.ts'
import { connectNats, serverRefusal } from '../../../runtime/store/nats/connection.ts'
import { NatsBus } from '../../../runtime/store/nats/nats-bus.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { serverVersion } from '../../../runtime/store/nats/server/server.ts'
import { raceForOneKey } from '../../helpers/nats/cas-race.ts'
import { startCluster } from '../../helpers/nats/nats-cluster.ts'
import { modernServer } from '../../helpers/nats/nats-modern.ts'
import { silent, startNats } from '../../helpers/nats/nats.ts'
import { RecordPublisher } from '../../helpers/tasks/records.ts'
import { until } from '../../helpers/lib/until.ts'

const installed = await serverVersion('nats-server')
const installedIsOld = serverRefusal({ version: installed, cluster: 'any' }) !== undefined
const modern = await modernServer()

t.test('versions are compared as numbers, not as text', async (t) => {
  t.equal(serverRefusal({ version: '2.9.10' }), undefined)
  t.equal(serverRefusal({ version: '2.10.0' }), undefined)
  t.match(serverRefusal({ version: '2.9.9' }), /2\.9\.9 is too old/)
  t.match(serverRefusal({ version: '1.4.1' }), /too old/)
  t.equal(serverRefusal({ version: '2.10.27', cluster: 'c' }), undefined)
  t.equal(serverRefusal({ version: '2.11.0-RC.1', cluster: 'c' }), undefined)
  t.match(serverRefusal({ version: '2.10.26', cluster: 'c' }), /upgrade every server to 2\.10\.27/)
})

const tooNew = installedIsOld ? false : `nats-server ${installed} is fit for a cluster`
t.test('a cluster of an older version is refused with the reason', { skip: tooNew }, async (t) => {
  await t.rejects(startCluster(t, 'nats-server'), {
    name: 'NatsUnusable',
    message: /in a cluster can let two writers win.*upgrade every server to 2\.10\.27/,
  })
})

t.test('wrong credentials are refused at once, and the error names the settings', async (t) => {
  const { env } = await startNats(t)
  const config = loadConfig({ ...env, NATS_PASSWORD: 'wrong' })
  await t.rejects(connectNats(config, 'test', silent), {
    name: 'NatsUnusable',
    message: /does not accept our credentials: check NATS_USER and NATS_PASSWORD/,
  })
})

t.test('a watcher receives the public records of tasks', async (t) => {
  const nats = await startNats(t)
  const watcher = await connectNats(nats.watcherConfig, 'watcher', silent)
  t.teardown(() => watcher.close())
  const heard: [string, unknown][] = []
  watcher.subscribe('tasks.>', {
    callback: (_error, message) => void heard.push([message.subject, message.json()]),
  })
  await watcher.flush()
  const records = new RecordPublisher((await nats.store()).steps, 'tsk_1')
  await records.step()
  await records.state('completed', { result: { success: true } })
  ;(await nats.connect()).publish(subjects.mailbox('thing', 'a'))
  await until('both', () => heard.length === 2)
  t.match(heard, [
    ['tasks.tsk_1.step', { type: 'step', n: 1, task_id: 'tsk_1', reason: String }],
    ['tasks.tsk_1.state', { type: 'state', n: 1, status: 'COMPLETED', result: { success: true } }],
  ])
})

t.test('and cannot do anything else', async (t) => {
  const nats = await startNats(t)
  const watcher = await connectNats(nats.watcherConfig, 'watcher', silent)
  t.teardown(() => watcher.close())
  const errors = new Map<string, string>()
  for (const subject of ['>', 'troupe.>', '$JS.>', '$KV.>', '_INBOX.>', '$SYS.>']) {
    watcher.subscribe(subject, { callback: (error) => error && errors.set(subject, error.code) })
  }
  await watcher.flush()
  await until('each is refused', () => errors.size === 6)
  t.same(new Set(errors.values()), new Set(['PERMISSIONS_VIOLATION']))

  const service = await nats.connect()
  const heard: string[] = []
  service.subscribe('>', { callback: (_error, { subject }) => void heard.push(subject) })
  await service.flush()
  const subject = subjects.taskStep('tsk_1')
  for (const told of [
    subject,
    'tasks.tsk_1.step',
    subjects.mailbox('thing', 'a'),
    '$JS.API.INFO',
  ]) {
    watcher.publish(told, '{}')
  }
  await watcher.flush()
  const denied = new NatsBus(watcher).request(subjects.mailbox('thing', 'a'), Buffer.from(''), 500)
  await t.rejects(denied)
  service.publish(subject, 'ours')
  await until('our own is heard', () => heard.includes(subject))
  t.equal(heard.filter((each) => !each.startsWith('_INBOX')).length, 1)
})

const skip = 'missing' in modern ? modern.missing : false
t.test('three servers', { skip }, async (t) => {
  if ('missing' in modern) return
  const cluster = await startCluster(t, modern.bin)
  const stores = await Promise.all(Array.from({ length: 8 }, () => cluster.store(5_000)))

  t.test('keep three copies of every stream', async (t) => {
    const jsm = await (await cluster.connect()).jetstreamManager()
    for (const { config } of await jsm.streams.list().next()) t.equal(config.num_replicas, 3)
  })

  t.test('of 8 writers with the same revision exactly one wins, 200 times', async (t) => {
    t.same(await raceForOneKey(stores, 200), { rounds: 200, withOneWinner: 200 })
  })

  t.test('continue without their leader, and keep acknowledged writes', async (t) => {
    const [{ log }] = stores as [(typeof stores)[0]]
    const subject = subjects.log('thing', 'a')
    let seq = 0
    for (let n = 1; n <= 50; n++) seq = await log.append(subject, Buffer.from(`${n}`), seq)
    await cluster.killLeaderOf(streams.log)
    const last = await until('an answer', () => log.last(subject).catch(() => undefined))
    t.equal(Buffer.from(last.data).toString(), '50')
    await until('a new append', () =>
      log.append(subject, Buffer.from('51'), last.seq).catch(() => false),
    )
    t.equal(Buffer.from((await log.last(subject))!.data).toString(), '51')
  })
})
