/**
 * Goal: the kernel keeps a browser's processes in their group, and no group is left behind. Method: a
 * control group of this kernel, with the controllers it has; programs play service and browsers.
 */
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { BrowserGroups } from '../../../../node-agent/bounds/browser-groups.ts'
import { MiB } from '../../../../proto/units.ts'
import { newId } from '../../../../proto/ids.ts'
import { findDelegation } from '../../../../runtime/process/cgroups/delegation.ts'
import { Guard, spawnGuarded } from '../../../../runtime/process/guard.ts'
import { makeControlGroup } from '../../../helpers/lib/control-groups.ts'
import { isRunning } from '../../../helpers/lib/processes.ts'
import { until } from '../../../helpers/lib/until.ts'
import { boundsLimits } from '../../../../node-agent/bounds/limits.ts'

const made = makeControlGroup({ all: true })
t.teardown(() => made?.remove())
const skip = made ? false : 'no control groups can be made here (root and cgroup v2)'
const withController = (name: string) =>
  skip || (made!.controllers.includes(name) ? false : `this kernel has no ${name} for cgroup v2`)

const memoryMib = 16

/** A group with a program in it, as of a service that was just started. */
async function newService(t: Test) {
  const unit = made!.group.inner(newId('brw'))
  for (const controller of made!.controllers) made!.group.enable(controller)
  unit.make()
  const enter = ['-c', 'echo 0 >"$0" && echo in && exec "$@"', unit.entry]
  const service = spawn('sh', [...enter, 'sleep', '60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => service.kill('SIGKILL'))
  await new Promise((resolve) => service.stdout.once('data', resolve))
  return { unit, service }
}

async function openGroups(t: Test) {
  const { unit, service } = await newService(t)
  const pid = service.pid!
  const found = findDelegation({ pid, firstPid: pid, wanted: made!.controllers })
  if (found.type === 'none') throw new Error(found.why)
  const root = t.testdir()
  const guard = new Guard()
  t.teardown(() => guard.stop())
  const log = pino({ level: 'silent' })
  const options = { config: { SESSION_MEMORY_MB: memoryMib }, root, guard, clock: systemClock, log }
  const open = () => BrowserGroups.open(found, options)
  const all = () => unit.inners().find(({ name }) => name.startsWith('troupe-browsers-'))!
  return { unit, pid, guard, root, open, all, groups: await open() }
}

type Opened = Awaited<ReturnType<typeof openGroups>>

/** A process and one that it started, which has left its process group. */
async function startBrowser({ groups, guard, all }: Opened) {
  const id = newId('brw')
  const cgroup = groups.make(id)!
  const program = 'setsid sleep 60 & echo $!; wait'
  const [command, ...args] = [...cgroup.enter, 'sh', '-c', program]
  const { child, group, exited } = spawnGuarded(guard, command!, args, {
    ...{ key: id, stdio: ['ignore', 'pipe', 'ignore'] },
  })
  const escaped = await new Promise<number>((resolve) =>
    child.stdout!.once('data', (line) => resolve(Number(line))),
  )
  return { id, cgroup, group: all().inner(id), pids: [group!.pgid, escaped], exited }
}

const groupNameOf = (pid: number) =>
  basename(/^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))![1]!)

t.test('the service moves aside, so that browsers can have controllers', { skip }, async (t) => {
  const { unit, service } = await newService(t)
  const [controller] = made!.controllers
  if (controller !== undefined) {
    t.throws(() => unit.enable(controller), { code: 'EBUSY' }, 'while a process is in the group')
  }
  const opened = await openGroups(t)
  t.same(opened.unit.pids, [])
  t.equal(groupNameOf(opened.pid), 'troupe-service')
  t.same(opened.groups.controllers, made!.controllers)
  t.same(opened.all().controllers, made!.controllers)
  t.equal(groupNameOf(service.pid!), unit.name, 'another service stays where it is')
  const { pid } = opened
  const again = findDelegation({ pid, firstPid: pid, wanted: made!.controllers })
  t.match(again, { type: 'delegated', group: { name: opened.unit.name } }, 'after a restart')
})

t.test('all processes of a browser are in its group, and end with it', { skip }, async (t) => {
  const opened = await openGroups(t)
  const [one, other] = [await startBrowser(opened), await startBrowser(opened)]
  t.same([...one.group.pids].sort(), [...one.pids].sort())
  t.same(one.pids.map(groupNameOf), [one.id, one.id])
  t.same([...other.group.pids].sort(), [...other.pids].sort())
  await one.cgroup.remove()
  t.notOk(one.group.exists)
  t.notOk(one.pids.some(isRunning), 'also the one that had left')
  t.ok(other.pids.every(isRunning))
  await one.cgroup.remove()
  t.equal(other.cgroup.overrun(), undefined)
  await other.cgroup.remove()
  opened.groups.close()
  t.same(
    opened.unit.inners().map(({ name }) => name),
    ['troupe-service'],
  )
})

t.test('what a dead agent left is removed, and a living one’s stays', { skip }, async (t) => {
  const opened = await openGroups(t)
  const [dead, living] = [await startBrowser(opened), await startBrowser(opened)]
  mkdirSync(join(opened.root, living.id))
  await opened.open()
  t.notOk(dead.group.exists)
  t.notOk(dead.pids.some(isRunning))
  t.ok(living.pids.every(isRunning))
  await living.cgroup.remove()
})

t.test('the guard removes the group of a browser that it ended', { skip }, async (t) => {
  const opened = await openGroups(t)
  const { guard, groups, all } = opened
  const id = newId('brw')
  const [command, ...args] = [...groups.make(id)!.enter, 'sleep', '60']
  const { exited } = spawnGuarded(guard, command!, args, { key: id, stdio: 'ignore' })
  const group = all().inner(id)
  await until('it is in its group', () => group.pids.length === 1)
  guard.stop()
  await exited
  await until('the group is gone', () => !group.exists)
  t.pass()
})

t.test('the bounds are in force', { skip: withController('pids') }, async (t) => {
  const opened = await openGroups(t)
  const { cgroup, group } = await startBrowser(opened)
  t.equal(group.number('pids.max'), boundsLimits.sessionThreads)
  t.equal(group.number('cpu.weight') ?? 100, 100)
  await cgroup.remove()
})

t.test('a browser beyond its memory ends whole', { skip: withController('memory') }, async (t) => {
  const opened = await openGroups(t)
  const { guard, groups } = opened
  const id = newId('brw')
  const cgroup = groups.make(id)!
  const most = (memoryMib + boundsLimits.sessionMemoryMarginMib) * MiB
  t.equal(opened.all().inner(id).number('memory.max'), most)
  const program = `const held = []; for (;;) held.push(Buffer.alloc(${16 * MiB}, 1))`
  const eater = '"$0" -e "$1"; sleep 60'
  const [command, ...args] = [...cgroup.enter, 'sh', '-c', eater, process.execPath, program]
  const { exited } = spawnGuarded(guard, command!, args, { key: id, stdio: 'ignore' })
  t.equal((await exited).signal, 'SIGKILL', 'its first process, too')
  t.match(cgroup.overrun(), `used more than ${memoryMib} MiB of memory`)
  await cgroup.remove()
})
