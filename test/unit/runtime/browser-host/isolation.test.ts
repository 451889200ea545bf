// Goal: a service that others can reach does not start with browsers that can read its host's
// files, unless its operator allows it; one that only this machine can reach starts and reports
// what it lacks. Method: the rule itself, on this machine, with parts switched off by settings or
// by an empty PATH.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { loadConfig } from '../../../../runtime/config/config.ts'
import {
  ownNetwork,
  receiveListener,
} from '../../../../runtime/browser-host/isolation/own-network.ts'
import { browserHostLimits } from '../../../../runtime/browser-host/limits.ts'
import { browserSystemArgs } from '../../../../runtime/browser-host/isolation/bubblewrap.ts'
import {
  findIsolation,
  possibleIsolation,
  InsufficientIsolation,
} from '../../../../runtime/browser-host/isolation/isolation.ts'
import { descendantsOf } from '../../../helpers/lib/processes.ts'
import { until } from '../../../helpers/lib/until.ts'
import { troupe } from '../../../helpers/service/service.ts'

const find = (env: Readonly<Record<string, string>>) => findIsolation(loadConfig(env))
const reachable: readonly Readonly<Record<string, string>>[] = [
  { HOST: '0.0.0.0' },
  { HOST: '192.0.2.7' },
  { PUBLIC_URL: 'https://browsers.example' },
  { DATA_HOST: '192.0.2.7' },
]
const none = { ISOLATION: 'none' }
const here = possibleIsolation(loadConfig({}))

t.test('without namespaces it starts on loopback only', async (t) => {
  t.match(find(none), { mode: 'none', missing: [{ why: /share the files.*because of ISOLATION/ }] })
  for (const env of reachable) {
    t.throws(() => find({ ...none, ...env }), InsufficientIsolation, JSON.stringify(env))
    const trusting = { ...none, ...env, ISOLATION_I_TRUST_ALL_KEYS: '1' }
    t.equal(
      find({ ...trusting, ...(here.sandbox ? {} : { CHROMIUM_SANDBOX: 'off' }) }).mode,
      'none',
    )
  }
  t.throws(() => find({ ...none, HOST: '0.0.0.0' }), {
    message: /could read them\. Fix it: .*; or set ISOLATION_I_TRUST_ALL_KEYS=1/,
  })
})

t.test('a sandbox that is switched off is reported, and is switched off', async (t) => {
  const found = find({ HOST: '0.0.0.0', CHROMIUM_SANDBOX: 'off', ISOLATION_I_TRUST_ALL_KEYS: '1' })
  t.equal(found.sandbox, false)
  t.match(found.missing.at(-1), { why: /without its sandbox/ })
})

t.test(
  'browsers have their own network wherever it can be made, and the host’s on request',
  async (t) => {
    if (here.mode === 'none') return t.plan(0, 'no namespaces here')
    const off = { NETWORK_ISOLATION: 'off' }
    for (const env of [{}, ...reachable]) {
      const found = find({ ...env, ...off })
      t.match(found, {
        mode: 'namespaces',
        missing: [{ why: /network.*DevTools.*because of NETWORK_ISOLATION/ }],
      })
    }
    if (!here.hasOwnNetwork) return
    for (const env of [{}, ...reachable, { NETWORK_ISOLATION: 'on' }]) {
      t.match(find(env), { mode: 'full', hasOwnNetwork: true, missing: [] }, JSON.stringify(env))
    }
    const path = process.env['PATH']
    t.teardown(() => (process.env['PATH'] = path))
    const bin = t.testdir({ socat: '#!/bin/sh\nexit 127\n' })
    chmodSync(join(bin, 'socat'), 0o755)
    process.env['PATH'] = `${bin}:${path}`
    t.match(find({}), { mode: 'namespaces', missing: [{ why: /loopback.*there is no socat/ }] })
    t.throws(() => find({ HOST: '0.0.0.0' }), {
      message:
        /there is no socat: a page could reach .* Fix it: apt-get install socat; or set NETWORK_ISOLATION=off/,
    })
    t.throws(() => find({ NETWORK_ISOLATION: 'on' }), {
      message: /NETWORK_ISOLATION=on, but .*socat/,
    })
  },
)

t.test(
  'no address comes after the browser has started',
  { skip: !here.hasOwnNetwork },
  async (t) => {
    const wait = 'ip -oneline address show dev up0; read line'
    const folder = mkdtempSync(join(tmpdir(), 'troupe-network-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const [program, ...args] = [...ownNetwork(join(folder, 'socket')), 'sh', '-c', wait]
    const child = spawn(program!, args, {
      stdio: ['pipe', 'pipe', 'inherit', 'ignore', 'ignore', 'ipc'],
    })
    const server = await receiveListener(child, 60_000)
    server.close()
    child.stdin!.end()
    const seen = await text(child.stdout!)
    t.match(seen, /inet 192\.0\.2\.1/)
    // An address that the kernel gives is listed at once, as tentative.
    t.notMatch(seen, /inet6/)
  },
)

t.test(
  'a burst of connections to a browser’s DevTools waits for a busy relay',
  { skip: !here.hasOwnNetwork },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-network-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'socket')
    const [program, ...args] = [...ownNetwork(path), 'sh', '-c', 'read line']
    const child = spawn(program!, args, {
      stdio: ['pipe', 'ignore', 'inherit', 'ignore', 'ignore', 'ipc'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    const server = await receiveListener(child, 60_000)
    server.close()
    await until('the relay listens', () => existsSync(path))
    const relay = descendantsOf(child.pid!).find(({ command }) => command.startsWith('socat '))!
    process.kill(relay.pid, 'SIGSTOP')
    const sockets = await Promise.all(
      Array.from({ length: browserHostLimits.relayBacklog }, async () => {
        const socket = connect({ path })
        t.teardown(() => socket.destroy())
        const error = await once(socket, 'connect').then(
          () => undefined,
          ({ code }: NodeJS.ErrnoException) => code,
        )
        return error ?? 'connected'
      }),
    )
    t.same(new Set(sockets), new Set(['connected']))
  },
)

t.test('where it is impossible, the reason says what to do', async (t) => {
  const path = process.env['PATH']
  t.teardown(() => (process.env['PATH'] = path))
  process.env['PATH'] = t.testdir()
  t.match(find({}), { mode: 'none', missing: [{ fix: 'apt-get install bubblewrap' }] })
  t.throws(() => find({ ISOLATION: 'namespaces' }), {
    message: /ISOLATION=namespaces, but .*no bwrap/,
  })
  const bin = t.testdir({ nsenter: '#!/bin/sh\nexit 1\n' })
  chmodSync(join(bin, 'nsenter'), 0o755)
  process.env['PATH'] = `${bin}:${path}`
  if (here.mode !== 'none') t.match(find({}), { mode: 'none', missing: [{ why: /bwrap may not/ }] })
  process.env['PATH'] = t.testdir()
  const trusting = { HOST: '0.0.0.0', ISOLATION_I_TRUST_ALL_KEYS: '1' }
  if (here.mode === 'none') return
  // On some systems a plain user has Chromium's setuid helper; then nothing is missing.
  if (possibleIsolation(loadConfig({})).sandbox) return
  t.throws(() => find(trusting), { message: /sandbox.*CHROMIUM_SANDBOX=off/s })
})

t.test(
  'a browser installed elsewhere is found, by its path, by a link and by its name',
  async (t) => {
    const dir = t.testdir({ opt: { chrome: '#!/bin/sh\n' }, bin: {} })
    symlinkSync(join(dir, 'opt', 'chrome'), join(dir, 'bin', 'my-chrome'))
    const seen = (chromium: string) =>
      browserSystemArgs(chromium).filter((arg) => arg.startsWith(dir))
    const [opt, bin] = [join(dir, 'opt'), join(dir, 'bin')]
    t.same(seen(join(opt, 'chrome')), [opt, opt])
    t.same(seen(join(bin, 'my-chrome')), [bin, bin, opt, opt])
    const path = process.env['PATH']
    t.teardown(() => (process.env['PATH'] = path))
    process.env['PATH'] = `${path}:${bin}`
    t.same(seen('my-chrome'), [bin, bin, opt, opt])
    t.same(seen('nowhere'), [])
  },
)

t.test('troupe up reports it in one line', async (t) => {
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: t.testdir(),
    PORT: '0',
    HOST: '0.0.0.0',
    ...none,
  }
  const { status, stderr } = spawnSync(process.execPath, [troupe, 'up'], { env, encoding: 'utf8' })
  t.equal(status, 1)
  t.match(stderr, /^troupe: Others can reach this service, and .*ISOLATION_I_TRUST_ALL_KEYS=1\.\n$/)
})
