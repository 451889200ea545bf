/**
 * Goal: a browser's use of resources is measured correctly, and one beyond its bounds is ended with
 * the reason. Method: real processes and folders; only the assignment of browsers to sessions is
 * played.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { ResourceBounds, type BoundedBrowser } from '../../../../node-agent/bounds/bounds.ts'
import { folderUse } from '../../../../node-agent/bounds/folder-size.ts'
import { unlinkedUse } from '../../../../node-agent/bounds/unlinked-files.ts'
import { boundsLimits } from '../../../../node-agent/bounds/limits.ts'
import { proportionalBytes, ProcessTable } from '../../../../node-agent/bounds/processes.ts'
import { MiB } from '../../../../proto/units.ts'
import { limits } from '../../../../proto/limits.ts'
import { removeFolders } from '../../../../runtime/process/removal.ts'
import { Guard, startTimeOf } from '../../../../runtime/process/guard.ts'
import { makeNestedFolders } from '../../../helpers/runtime/nested-folders.ts'
import { until } from '../../../helpers/lib/until.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const guard = new Guard()
t.teardown(() => guard.stop())

/** A process group whose child holds that much memory. */
async function hold(t: Test, mib: number) {
  const program = `const held = Buffer.alloc(${mib * MiB}, 1); console.log('held'); setInterval(() => held, 1e6)`
  const args = ['-c', '"$0" -e "$1" & wait', process.execPath, program]
  const child = spawn('sh', args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => process.kill(-child.pid!, 'SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return { pgid: child.pid!, startTime: startTimeOf(child.pid!)! }
}

function boundsOn(held: readonly BoundedBrowser[], megabytes: { memory?: number; disk?: number }) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'agent')
  const config = { SESSION_MEMORY_MB: megabytes.memory ?? 0, SESSION_DISK_MB: megabytes.disk ?? 0 }
  const log = pino({ level: 'silent' })
  const bounds = new ResourceBounds({ config, root: tmpdir(), held: () => held, clock, log })
  return { bounds, timeline }
}

function browser(id: string, more: Partial<BoundedBrowser>) {
  const said: string[] = []
  const made: BoundedBrowser = {
    ...{ id, groups: [], scratch: { dir: '/nowhere' } },
    overrun: (why) => void said.push(why),
    ...more,
  }
  return { made, said }
}

t.test('a group contains all its processes, and its memory is what only it uses', async (t) => {
  const [large, small] = [await hold(t, 200), await hold(t, 1)]
  const table = new ProcessTable()
  const crowd = table.of([large])
  t.equal(crowd.pids.length, 2)
  t.ok(crowd.residentBytes > 200 * MiB)
  const bytes = await proportionalBytes(crowd.pids)
  t.ok(bytes > 200 * MiB && bytes <= crowd.residentBytes, `${bytes}`)
  t.ok((await proportionalBytes(table.of([small]).pids)) < 100 * MiB)
  t.equal(table.of([large, small]).pids.length, 4)
  t.equal(await proportionalBytes([999_999_999]), 0, 'one that has ended has none')
  t.same(table.of([{ pgid: 999_999_999 }]), { pids: [], residentBytes: 0 })
})

t.test('processes that changed their group still count for their starter', async (t) => {
  const args = ['-c', 'setsid sleep 60 & wait']
  const child = spawn('sh', args, { detached: true, stdio: 'ignore' })
  const pids = () => new ProcessTable().of([{ pgid: child.pid! }]).pids
  await until('it has started its own', () => pids().length === 2)
  const [away = 0] = pids().filter((pid) => pid !== child.pid)
  t.teardown(() => [process.kill(-child.pid!, 'SIGKILL'), process.kill(away, 'SIGKILL')])
  t.pass()
})

t.test('a folder’s size is the space it takes, without following links', async (t) => {
  const dir = t.testdir()
  mkdirSync(join(dir, 'a', 'b'), { recursive: true })
  writeFileSync(join(dir, 'a', 'b', 'file'), Buffer.alloc(3 * MiB, 1))
  writeFileSync(join(dir, 'sparse'), '')
  truncateSync(join(dir, 'sparse'), 100 * MiB)
  symlinkSync('/usr', join(dir, 'link'))
  // Names of bytes that are no text, and a path that no call of the kernel takes as a whole.
  const odd = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0xfe])])
  mkdirSync(odd)
  writeFileSync(Buffer.concat([odd, Buffer.from('/file')]), Buffer.alloc(3 * MiB, 1))
  const deepest = makeNestedFolders(dir, 60)
  writeFileSync(`/proc/self/fd/${deepest}/file`, Buffer.alloc(3 * MiB, 1))
  closeSync(deepest)
  const { bytes } = (await folderUse(dir)) as { bytes: number }
  t.ok(bytes >= 9 * MiB && bytes < 10 * MiB, `${bytes}`)
  t.same(await folderUse(join(dir, 'nowhere')), { bytes: 0 })
  await removeFolders(guard, 'nested', [dir])
})

t.test('a tree that cannot be counted is beyond the bounds', async (t) => {
  const dir = t.testdir()
  const depth = boundsLimits.sessionFolderDepth + 1
  closeSync(makeNestedFolders(dir, depth))
  t.match(await folderUse(dir), { overrun: 'folders were nested more than 100 deep' })
  await removeFolders(guard, 'nested', [dir])
})

t.test('files without a name count while a process opens or maps them', async (t) => {
  const dir = t.testdir()
  const file = join(dir, 'file')
  const held = openSync(file, 'w')
  writeSync(held, Buffer.alloc(3 * MiB, 1))
  const before = (await unlinkedUse([process.pid], dir)) as { bytes: number }
  rmSync(file)
  const after = (await unlinkedUse([process.pid, process.pid], dir)) as { bytes: number }
  const bytes = after.bytes - before.bytes
  t.ok(bytes >= 3 * MiB && bytes < 4 * MiB, `${bytes}`)
  closeSync(held)
  t.same(await unlinkedUse([process.pid], dir), before)
  t.same(await unlinkedUse([999_999_999], dir), { bytes: 0 })
})

t.test('a program without a name counts while it runs', async (t) => {
  const dir = t.testdir()
  const program = join(dir, 'program')
  cpSync('/bin/sleep', program, { dereference: true })
  appendFileSync(program, Buffer.alloc(3 * MiB, 1))
  const child = spawn(program, ['60'], { stdio: 'ignore' })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'spawn')
  t.same(await unlinkedUse([child.pid!], dir), { bytes: 0 })
  rmSync(program)
  const { bytes } = (await unlinkedUse([child.pid!], dir)) as { bytes: number }
  t.ok(bytes >= 3 * MiB && bytes < 4 * MiB, `${bytes}`)
})

t.test('a browser with too much memory is ended, and only that one', async (t) => {
  const greedy = browser('greedy', { groups: [await hold(t, 200)] })
  const modest = browser('modest', { groups: [await hold(t, 1)] })
  const { bounds } = boundsOn([greedy.made, modest.made], { memory: 150 })
  await bounds.look()
  t.match(greedy.said, ['The browser used more than 150 MiB of memory (SESSION_MEMORY_MB).'])
  t.same(modest.said, [])
  bounds.stop()
  const { bounds: none } = boundsOn([greedy.made], {})
  await none.look()
  t.equal(greedy.said.length, 1, '0 is no bound')
  none.stop()
})

t.test('a browser with too much on the disk is ended', async (t) => {
  const dir = t.testdir({ profile: {} })
  const { made, said } = browser('hoarder', { scratch: { dir } })
  const { bounds } = boundsOn([made], { disk: 8 })
  const write = (name: string, mib: number) =>
    writeFileSync(join(dir, 'profile', name), Buffer.alloc(mib * MiB, 1), { flush: true })
  write('some', 4)
  await bounds.look()
  t.same(said, [])
  let written = 0
  await until('it is noticed', async () => {
    // Something else on this machine may free as much meanwhile, and the disk's count be behind.
    if (written++ < 8) write(`more-${written}`, 64)
    await bounds.look()
    return said.length > 0
  })
  t.match(said[0], 'files took more than 8 MiB of disk (SESSION_DISK_MB)')
  bounds.stop()
})

t.test('it measures again and again, and continues after a failure', async (t) => {
  let asked = 0
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'agent')
  const bounds = new ResourceBounds({
    config: { SESSION_MEMORY_MB: 1, SESSION_DISK_MB: 1 },
    root: tmpdir(),
    held() {
      if (++asked === 1) throw new Error('not now')
      return []
    },
    clock,
    log: pino({ level: 'silent' }),
  })
  await timeline.run(3 * limits.boundsLookMs + 1)
  t.equal(asked, 3)
  bounds.stop()
  await timeline.run(3 * limits.boundsLookMs)
  t.equal(asked, 3)
})
