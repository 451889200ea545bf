// The private server of `troupe up` is found again after every restart, and admits no other user.
import { mkdtempSync, rmSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { subjects } from '../../../proto/subjects.ts'
import { loadConfig, type Config } from '../../../runtime/config/config.ts'
import { openStore, type NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { connectNats } from '../../../runtime/store/nats/connection.ts'
import { prepareNatsServer } from '../../../runtime/store/nats/server/server.ts'
import { isRunning } from '../../helpers/lib/processes.ts'
import { run, silent, startNats, type Teardown } from '../../helpers/nats/nats.ts'

function freshConfig(t: Teardown, settings: Record<string, string> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-nats-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return loadConfig({ DATA_DIR: dir, ...settings })
}

t.test('a second start uses the port and the passwords of the first', async (t) => {
  const config = freshConfig(t)
  const first = await prepareNatsServer(config)
  const second = await prepareNatsServer(config)
  t.same(second, first)
  t.not((await prepareNatsServer(freshConfig(t))).password, first.password)
})

t.test('a port that another process has taken meanwhile is replaced', async (t) => {
  const config = freshConfig(t)
  const first = await prepareNatsServer(config)
  const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
  await once(squatter, 'listening')
  t.teardown(() => squatter.close())
  const second = await prepareNatsServer(config)
  t.not(second.url, first.url)
  t.equal(second.password, first.password)
})

t.test('files with secrets are readable by their owner only', async (t) => {
  const { dir, password } = await prepareNatsServer(freshConfig(t))
  t.equal(statSync(dir).mode & 0o777, 0o700)
  for (const name of ['server.conf', 'credentials.json']) {
    t.match(readFileSync(join(dir, name), 'utf8'), password)
    t.equal(statSync(join(dir, name)).mode & 0o777, 0o600)
  }
})

t.test('a client without a password is refused', async (t) => {
  const { env } = await startNats(t)
  const config = loadConfig({ ...env, NATS_USER: '', NATS_PASSWORD: '' })
  await t.rejects(connectNats(config, 'test', silent), /does not accept our credentials/)
})

t.test('a server left behind is stopped before another uses its store', async (t) => {
  const config = freshConfig(t)
  const { bin, args, url, user, password } = await prepareNatsServer(config)
  const left = run(bin, args)
  t.teardown(() => left.kill())
  const access = { ...config, NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password }
  await (await connectNats(access, 'test', silent)).close()
  await prepareNatsServer(config)
  t.notOk(isRunning(left.pid))
})

t.test('a server that is given less room than before keeps its data', async (t) => {
  const large = freshConfig(t, { STORE_MAX_MIB: '512' })
  const less = loadConfig({ DATA_DIR: large.DATA_DIR, STORE_MAX_MIB: '256' })
  const subject = subjects.log('thing', 'a')
  const ran = async (config: Config, use: (store: NatsStore) => Promise<unknown>) => {
    const { bin, args, url, user, password } = await prepareNatsServer(config)
    const server = run(bin, args)
    t.teardown(() => server.kill())
    const access = { ...config, NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password }
    const nc = await connectNats(access, 'test', silent)
    await use(await openStore(nc, { timeoutMs: 2_000, storeMib: config.STORE_MAX_MIB }))
    await nc.close()
    await server.kill()
  }
  await ran(large, (store) => store.log.append(subject, Buffer.from('1'), 0))
  for (const again of [less, less]) {
    await ran(again, async (store) => t.ok(await store.log.last(subject)))
  }
})

t.test('a missing program is named, with what to do', async (t) => {
  await t.rejects(prepareNatsServer(freshConfig(t, { NATS_SERVER_BIN: 'no-such-server' })), {
    name: 'NatsUnusable',
    message: /NATS_SERVER_BIN="no-such-server" is not installed: apt-get install nats-server/,
  })
  await t.rejects(
    prepareNatsServer(freshConfig(t, { NATS_SERVER_BIN: 'true' })),
    /not a nats-server/,
  )
})
