// Goal: `troupe up` keeps its processes running, certifies deaths at once, drains in order, and
// leaves nothing behind. Method: a supervisor in its own process, with minimal roles that only
// start and stop, over a real nats-server.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { decode } from '../../../proto/codec.ts'
import type { HostRecord } from '../../../proto/host.ts'
import type { Role } from '../../../proto/ids.ts'
import { buckets } from '../../../proto/subjects.ts'
import { openStore } from '../../../runtime/store/nats/buckets.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { connectNats } from '../../../runtime/store/nats/connection.ts'
import { privateNats } from '../../../runtime/store/nats/server/server.ts'
import type { Bucket } from '../../../runtime/store/store.ts'
import { run, silent, type Child, type Teardown } from '../../helpers/nats/nats.ts'
import { descendantsOf, processesNaming } from '../../helpers/lib/processes.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import { until } from '../../helpers/lib/until.ts'

const tinyService = fileURLToPath(new URL('../../helpers/runtime/tiny-service.js', import.meta.url))

interface Supervised {
  readonly dataDir: string
  readonly process: Child
  readonly lines: string[]
  hosts(): Promise<Bucket>
  pidOf(program: string): number
}

async function start(t: Teardown, dataDir?: string): Promise<Supervised> {
  const dir = dataDir ?? mkdtempSync(join(tmpdir(), 'troupe-supervisor-'))
  const env = { DATA_DIR: dir, NODE_ID: 'test', LOG_LEVEL: 'info' }
  const child = run(process.execPath, [tinyService], env)
  const lines: string[] = []
  child.process.stdout!.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.trimEnd().split('\n'))
  })
  t.teardown(async () => {
    await child.kill()
    await until('nothing runs any more', () => processesNaming(dir).length === 0)
    rmSync(dir, { recursive: true, force: true })
  })
  await until('everything is up', () => lines.includes('started'))
  return {
    dataDir: dir,
    process: child,
    lines,
    async hosts() {
      const config = loadConfig(env)
      const { url, user, password } = privateNats(config)!
      const access = { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password }
      const nc = await connectNats({ ...config, ...access }, 'test', silent)
      t.teardown(() => nc.close())
      return (await openStore(nc, { timeoutMs: 2_000 })).bucket(buckets.hosts)
    },
    pidOf(program) {
      const found = descendantsOf(child.pid).find(({ command }) => command.includes(program))
      if (!found) throw new Error(`no ${program} runs`)
      return found.pid
    },
  }
}

async function records(hosts: Bucket, role: Role): Promise<HostRecord[]> {
  const all = (await entriesOf(hosts)).map((entry) => decode<HostRecord>(entry.value))
  return all.filter((record) => record.role === role)
}

t.test('a killed role is certified dead at once, and restarts under a new identity', async (t) => {
  const service = await start(t)
  const hosts = await service.hosts()
  const [first] = await records(hosts, 'actors')
  process.kill(service.pidOf('tiny-role.js actors'), 'SIGKILL')
  const killedAt = performance.now()
  const dead = await until('the certificate', async () =>
    (await records(hosts, 'actors')).find(({ state }) => state === 'dead'),
  )
  t.ok(performance.now() - killedAt < first!.leaseMs, 'no lease was waited for')
  t.equal(dead.incarnation, first!.incarnation)
  t.match(dead.by, `supervisor.test.${service.process.pid}`)
  const next = await until('its successor', async () =>
    (await records(hosts, 'actors')).find(({ state }) => state === 'alive'),
  )
  t.not(next.incarnation, first!.incarnation)
})

t.test('a killed nats-server is restarted under the running roles', async (t) => {
  const service = await start(t)
  const gateway = service.pidOf('tiny-role.js gateway')
  const server = service.pidOf('nats-server')
  process.kill(server, 'SIGKILL')
  await until('another server runs', () => {
    const found = descendantsOf(service.process.pid).find((p) => p.command.includes('nats-server'))
    return found && found.pid !== server
  })
  const hosts = await service.hosts()
  t.equal((await records(hosts, 'gateway'))[0]?.state, 'alive')
  t.equal(service.pidOf('tiny-role.js gateway'), gateway)
})

t.test(
  'it drains gateways first, then the browsers, then the actor hosts, and then the store',
  async (t) => {
    const service = await start(t)
    service.process.process.kill('SIGTERM')
    await until('it has ended', () => service.lines.includes('stopped'))
    const order = service.lines.filter((line) => line.startsWith('stopping '))
    t.same(order, [
      'stopping gateway',
      'stopping node-agent',
      'stopping actors',
      'stopping nats-server',
    ])
    await until('it has exited', () => service.process.process.exitCode !== null)
    t.equal(service.process.process.exitCode, 0)
    t.same(processesNaming(service.dataDir), [])
  },
)

t.test('SIGKILL of the supervisor leaves no process within 5 s', async (t) => {
  const service = await start(t)
  t.ok(processesNaming(service.dataDir).length >= 5, 'there was something to leave')
  await service.process.kill()
  await until('all are gone', () => processesNaming(service.dataDir).length === 0)
})

t.test(
  'restarted after a SIGKILL, it certifies the deaths of the roles that ran before it',
  async (t) => {
    const before = await start(t)
    const [first] = await records(await before.hosts(), 'actors')
    await before.process.kill()
    const after = await start(t, before.dataDir)
    const hosts = await after.hosts()
    const dead = await until('the certificate', async () =>
      (await records(hosts, 'actors')).find(({ state }) => state === 'dead'),
    )
    t.equal(dead.incarnation, first!.incarnation)
    t.match(dead.by, /^supervisor\.test\./)
  },
)

t.test(
  'a second start on the same folder is refused, and the first one is unaffected',
  async (t) => {
    const service = await start(t)
    const second = run(process.execPath, [tinyService], { DATA_DIR: service.dataDir })
    t.teardown(() => second.kill())
    await until('it has given up', () => second.process.exitCode !== null)
    t.equal(second.process.exitCode, 1)
    t.ok(service.pidOf('tiny-role.js gateway'))
    t.equal((await records(await service.hosts(), 'gateway')).length, 1)
  },
)
