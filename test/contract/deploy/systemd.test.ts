/**
 * Goal: under the unit of `runtime/deploy`, systemd knows when the service serves and what becomes of
 * it, and the service has no right that it does without. Method: a whole service and a socket of the
 * kind that systemd listens on; systemd's own judgement of the unit. The unit itself was started by
 * hand, by systemd 252: CI has no systemd that runs.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { ServiceManager } from '../../../runtime/process/service-manager.ts'
import { until } from '../../helpers/lib/until.ts'
import { startNats } from '../../helpers/nats/nats.ts'
import { startMember } from '../../helpers/service/member.ts'
import { startService } from '../../helpers/service/service.ts'

const skip = !existsSync('/usr/bin/systemd-notify') && 'systemd-notify is not installed'

/** Prints datagrams, and drops the descriptors that `systemd-notify` waits for. */
const receiving = `socket(my $s, AF_UNIX, SOCK_DGRAM, 0); bind($s, pack_sockaddr_un($ARGV[0]));
  $| = 1; while (defined recv($s, my $message, 4096, 0)) { print "$message\\n" }`

/** What systemd would hear. */
async function openManager() {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-systemd-'))
  const socket = join(folder, 'notify')
  const receiver = spawn('perl', ['-MSocket', '-e', receiving, socket])
  let heard = ''
  receiver.stdout.on('data', (bytes: Buffer) => (heard += bytes.toString()))
  t.teardown(() => {
    receiver.kill()
    rmSync(folder, { recursive: true })
  })
  await until('the socket is there', () => existsSync(socket))
  return {
    socket,
    hears: (text: string) => until(`systemd hears ${text}`, () => heard.includes(text)),
    beats: () => heard.split('WATCHDOG=1').length - 1,
  }
}

t.test('a service says when it serves, and what ends', { skip }, async (t) => {
  const { socket, hears, beats } = await openManager()
  const service = await startService({ env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '600000' } })
  await hears(`READY=1\nSTATUS=up at ${service.baseUrl}`)
  await until('it beats again and again', () => beats() >= 3)
  for (const program of ['gateway', 'actors', 'node-agent', 'nats-server'] as const) {
    const environment = readFileSync(`/proc/${service.pidOf(program)}/environ`, 'utf8')
    t.notMatch(environment, /NOTIFY_SOCKET|WATCHDOG/, `nothing for ${program}`)
  }
  await service.strike('gateway')
  await hears('STATUS=gateway ended: killed by SIGKILL')
  await hears('STATUS=gateway is up')
  await service.stop()
  await hears('STOPPING=1')
})

t.test('a role of its own does, too', { skip }, async (t) => {
  const { socket, hears } = await openManager()
  const nats = await startNats(t)
  const env = { ...nats.env, SEAL_KEY: randomBytes(32).toString('base64'), NOTIFY_SOCKET: socket }
  const actors = await startMember(t, 'actors', { env })
  await hears('READY=1\nSTATUS=actors is up')
  await actors.stop()
  await hears('STOPPING=1')
})

t.test('it says nothing to others', { skip }, async (t) => {
  const failures: unknown[] = []
  const told = (environment: NodeJS.ProcessEnv) => {
    const manager = new ServiceManager((error) => failures.push(error), environment)
    manager.ready('up')
    return environment
  }
  t.same(told({ PATH: '/nowhere' }), { PATH: '/nowhere' })
  t.same(failures, [], 'without a manager nothing is started')
  told({ PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere/notify' })
  await until('a manager that cannot be told is reported', () => failures.length > 0)
  t.match(failures[0], { code: 'ENOENT' })

  const { socket, hears, beats } = await openManager()
  const environment = { ...process.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '3000' }
  const manager = new ServiceManager((error) => failures.push(error), {
    ...environment,
    WATCHDOG_PID: '1',
  })
  manager.ready('up')
  for (const n of Array(5).keys()) {
    manager.status(`at ${n}`)
    await hears(`STATUS=at ${n}`)
  }
  t.equal(beats(), 0, 'beats are of the process that systemd waits for')
})

t.test('the unit takes what the service does without', async (t) => {
  const unit = readFileSync(join(packageRoot, 'runtime/deploy/troupe@.service'), 'utf8')
  t.notMatch(unit, /\/bin\/node/, 'node is where PATH has it')
  if (!existsSync('/usr/bin/systemd-analyze')) return
  const folder = mkdtempSync(join(tmpdir(), 'troupe-systemd-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'troupe-up.service')
  writeFileSync(path, unit.replaceAll('%i', 'up'))
  const judge = ['security', '--offline=true', '--no-pager', '--threshold=40', path]
  // It exits with 1 above the threshold, which is ten times what it prints.
  t.match(execFileSync('systemd-analyze', judge, { encoding: 'utf8' }), /Overall exposure level/)
})
