/**
 * An attacker has taken over a part of their desktop: its X server and window manager read what pages
 * send, its VNC server what viewers do. They want to go on from there: to the host's files, processes
 * and network, and to screens of others, which lie in shared memory. Method: a service as others reach
 * it with several browsers, and a look at what the processes of each can see.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { recordName, type ScratchRecord } from '../../../node-agent/files/browser-record.ts'
import { isBrowser } from '../../helpers/browser/browsers.ts'
import { isolationOf } from '../../helpers/service/isolation-here.ts'
import { descendantsOf, linkOf, type ProcessInfo } from '../../helpers/lib/processes.ts'
import { startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService({
  env: {
    ...{ PUBLIC_URL: 'https://browsers.example', ALLOW_DEV_KEY: '1' },
    ...{ POOL_HEADLESS: '1', POOL_HEADFUL: '2' },
  },
})
t.teardown(() => service.stop())
const isolation = await isolationOf(service)
const skip = isolation === 'none' && 'this machine lets nobody make namespaces'

interface Browser {
  readonly folder: string
  readonly chromium: number
  /** The X server, the window manager and the VNC server, before their walls: none of a headless one. */
  readonly leaders: readonly number[]
  /** The same behind their walls. */
  readonly desktop: readonly number[]
}

const programs = ['Xvfb', 'openbox', 'x11vnc']

function browserIn(folder: string): Browser | undefined {
  const { browser, display = [] } = recordIn(folder)
  if (!browser) return undefined
  const leaders = display.map(({ pgid }) => pgid)
  const desktop = leaders.flatMap((leader, at) => {
    const isProgram = ({ command }: ProcessInfo) => command.split(' ')[0] === programs[at]
    return descendantsOf(leader).find(isProgram)?.pid ?? []
  })
  const chromium = descendantsOf(browser.pgid).find(isBrowser)
  if (desktop.length !== leaders.length || !chromium) return undefined
  return { folder, chromium: chromium.pid, leaders, desktop }
}

function recordIn(folder: string): Partial<ScratchRecord> {
  try {
    return JSON.parse(readFileSync(join(folder, recordName), 'utf8'))
  } catch {
    return {} // It is being written.
  }
}

const run = join(service.dataDir, 'run')
const host = join(run, readdirSync(run)[0]!)
const browsers = skip
  ? []
  : await until('three browsers are there', () => {
      const found = readdirSync(host).flatMap((name) => browserIn(join(host, name)) ?? [])
      return found.length === 3 && found
    })
const desktops = browsers.filter(({ leaders }) => leaders.length > 0)
const names = (pid: number, path: string) => readdirSync(`/proc/${pid}/root${path}`).sort()

t.test('memory: what they draw is seen by their own browser alone', { skip }, async (t) => {
  t.equal(desktops.length, 2)
  const memories = browsers.map(({ chromium, desktop }) => {
    const own = new Set([chromium, ...desktop].map((pid) => linkOf(`/proc/${pid}/ns/ipc`)))
    t.equal(own.size, 1, 'a browser shares it with its desktop')
    return [...own][0]!
  })
  const known = new Set([linkOf('/proc/self/ns/ipc'), '', ...memories])
  t.equal(known.size, memories.length + 2, 'and with nothing else')
  for (const { leaders, chromium, desktop } of desktops) {
    const makers = await until('something is shared', () => {
      const found = segmentMakers(leaders[0]!)
      return found.length > 0 && found
    })
    t.ok([chromium, ...desktop].some((pid) => makers.includes(pid)))
    const strangers = makers.filter((pid) => ![...leaders, chromium].some((one) => isOf(one, pid)))
    t.same(strangers, [])
    t.notOk(
      segmentMakers().some((pid) => makers.includes(pid)),
      'nothing of it is on the host',
    )
  }
})

/** Of all segments of System V memory, as they are seen in a process's namespace or on the host. */
function segmentMakers(pid?: number): readonly number[] {
  const entered = ['nsenter', `--target=${pid}`, '--user', '--preserve-credentials', '--ipc']
  const read = [...(pid === undefined ? [] : entered), 'cat', '/proc/sysvipc/shm']
  const { stdout } = spawnSync(read[0]!, read.slice(1), { encoding: 'utf8' })
  const [, ...rows] = stdout.trim().split('\n')
  return rows.map((row) => Number(row.trim().split(/\s+/)[4]))
}

const isOf = (leader: number, pid: number) =>
  leader === pid || descendantsOf(leader).some((one) => one.pid === pid)

t.test('files: they see the system and a folder of their own', { skip }, async (t) => {
  for (const { folder, desktop } of desktops) {
    for (const pid of desktop) {
      t.same(
        names(pid, '/').filter((name) => ['home', 'root', 'sys', 'srv', 'opt'].includes(name)),
        [],
      )
      t.same(names(pid, '/run'), [])
      t.same(names(pid, '/tmp').sort(), readdirSync(join(folder, 'desktop')).sort())
      t.same(names(pid, service.dataDir), ['run'])
      t.same(names(pid, host), [basename(folder)])
      t.same(names(pid, folder), ['xauthority'])
      for (const path of ['/etc/passwd', '/etc/hostname', '/etc/ssl', process.argv[1]!]) {
        t.notOk(existsSync(`/proc/${pid}/root${path}`), path)
      }
      t.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^CapEff:\t0+$/m)
    }
  }
  for (const { folder, chromium } of desktops) {
    t.same(names(chromium, '/tmp/.X11-unix').length, 1)
    t.notOk(names(chromium, folder).includes('desktop'), 'their sockets are not the browser’s')
  }
})

t.test('processes: each sees itself alone', { skip }, async (t) => {
  for (const pid of desktops.flatMap(({ desktop }) => desktop)) {
    const seen = names(pid, '/proc').filter((name) => /^\d+$/.test(name))
    const commands = seen.map((one) => commandOf(`/proc/${pid}/root/proc/${one}/cmdline`))
    const others = commands.filter((text) => !text.startsWith('bwrap\0'))
    t.equal(others.length, 1, others.join())
  }
})

/** A process may end between two looks. */
function commandOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const noNetwork = isolation !== 'full' && 'this machine lets nobody make networks'

t.test('network: they have none', { skip: noNetwork }, async (t) => {
  const networks = desktops.map(({ desktop, chromium }) => {
    const own = new Set(desktop.map((pid) => linkOf(`/proc/${pid}/ns/net`)))
    t.equal(own.size, 1)
    t.notOk(own.has(linkOf(`/proc/${chromium}/ns/net`)), 'nor the browser’s')
    return [...own][0]!
  })
  const known = new Set([linkOf('/proc/self/ns/net'), '', ...networks])
  t.equal(known.size, desktops.length + 2)
  for (const pid of desktops.flatMap(({ desktop }) => desktop)) {
    const [, , ...links] = readFileSync(`/proc/${pid}/net/dev`, 'utf8').trim().split('\n')
    t.same(
      links.map((row) => row.trim().split(':')[0]),
      ['lo'],
    )
    t.equal(readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n').length, 1)
  }
})
