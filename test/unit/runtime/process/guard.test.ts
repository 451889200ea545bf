/**
 * Goal: what a process has registered with its guard ends with it, and nothing else does. Method:
 * real processes and folders; the guard's owner is this process, and its death is the end of the
 * guard's pipe.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import {
  adoptGuarded,
  Guard,
  isAlive,
  killGroup,
  spawnGuarded,
  startTimeOf,
} from '../../../../runtime/process/guard.ts'
import { removalScript } from '../../../../runtime/process/guard-script.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { removeFolders } from '../../../../runtime/process/removal.ts'
import { makeNestedFolders } from '../../../helpers/runtime/nested-folders.ts'
import { isRunning } from '../../../helpers/lib/processes.ts'
import { until } from '../../../helpers/lib/until.ts'

const root = mkdtempSync(join(tmpdir(), 'troupe guard-'))
t.teardown(() => rmSync(root, { recursive: true }))

function folder(name: string): string {
  const path = join(root, name)
  mkdirSync(path)
  writeFileSync(join(path, 'file'), 'x')
  return path
}

/** A shell and its child, which would both run for a minute. */
function startFamily(guard: Guard, key: string, paths: readonly string[] = []) {
  const args = ['-c', 'sleep 60 & echo $!; wait']
  const started = spawnGuarded(guard, 'sh', args, {
    key,
    paths,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const childPid = new Promise<number>((resolve) =>
    started.child.stdout!.once('data', (line) => resolve(Number(line))),
  )
  return { ...started, childPid }
}

t.test(
  'the end of the pipe ends groups and removes folders, also ones with spaces in their names',
  async (t) => {
    const guard = new Guard()
    const [one, two, kept] = [folder('one'), folder('two words'), folder('kept')]
    const family = startFamily(guard, 'family', [one, two])
    const childPid = await family.childPid
    guard.hold('kept', { paths: [kept] })
    guard.release('kept')
    guard.stop()
    t.equal((await family.exited).signal, 'SIGKILL')
    await until('the child has ended too', () => !isRunning(childPid))
    await until('the folders are gone', () => !existsSync(one) && !existsSync(two))
    t.ok(existsSync(kept), 'what was released stays')
  },
)

t.test('a tree as a hostile program makes it is removed, and nothing outside it', async (t) => {
  const guard = new Guard()
  const [left, removed, outside] = [folder('left'), folder('removed'), folder('outside')]
  for (const dir of [left, removed]) {
    const deepest = makeNestedFolders(dir, 60)
    writeFileSync(`/proc/self/fd/${deepest}/file`, 'x')
    symlinkSync(outside, `/proc/self/fd/${deepest}/link`)
    closeSync(deepest)
    const odd = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0xfe])])
    mkdirSync(odd)
    writeFileSync(Buffer.concat([odd, Buffer.from('/file')]), 'x')
  }
  await removeFolders(guard, 'removal', [removed, join(root, 'nowhere')])
  t.notOk(existsSync(removed))
  guard.hold('left', { paths: [left] })
  guard.stop()
  await until('the guard has removed the other', () => !existsSync(left))
  t.ok(existsSync(join(outside, 'file')))
})

t.test('folders that are closed to their owner are removed too', async (t) => {
  const dir = folder('closed')
  mkdirSync(join(dir, 'inner'))
  writeFileSync(join(dir, 'inner', 'file'), 'x')
  for (const path of [join(dir, 'inner'), dir]) chmodSync(path, 0)
  // Root enters every folder by capabilities, which are dropped here.
  const drop = ['setpriv', '--bounding-set=-dac_override,-dac_read_search']
  const asOwner = process.geteuid!() === 0 ? drop : []
  const [command, ...args] = [...asOwner, 'sh', '-c', `path=$1; ${removalScript}`, 'sh', dir]
  const { status, stderr } = spawnSync(command!, args, { encoding: 'utf8' })
  t.equal(status, 0, stderr)
  t.notOk(existsSync(dir))
})

t.test('what cannot be removed is said', async (t) => {
  const guard = new Guard()
  t.teardown(() => guard.stop())
  await t.rejects(removeFolders(guard, 'removal', ['/proc/self/fd']), /rm ended with 1: .*fd/)
})

t.test('a later order for a key replaces the earlier one', async (t) => {
  const guard = new Guard()
  const [first, second] = [folder('first'), folder('second')]
  guard.hold('key', { paths: [first] })
  guard.hold('other', { paths: [] })
  guard.hold('key', { paths: [second] })
  guard.stop()
  await until('the second is gone', () => !existsSync(second))
  t.ok(existsSync(first))
})

t.test('a socket file is removed unless something listens on it', async (t) => {
  const guard = new Guard()
  const place = folder('sockets')
  const [dead, live] = [join(place, 'dead'), join(place, 'live')]
  const script = `require('net').createServer().listen(${JSON.stringify(dead)}, () => {
    console.log('up')
  })`
  const server = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  await new Promise((resolve) => server.stdout.once('data', resolve))
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGKILL') // So it leaves its socket.
  await ended
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(live, resolve))
  t.teardown(() => other.close())
  t.ok(existsSync(dead))
  guard.hold('sockets', { paths: [live, dead] })
  guard.stop()
  await until('the dead one is gone', () => !existsSync(dead))
  t.ok(existsSync(live))
})

t.test('a reused pid is left alone', async (t) => {
  const guard = new Guard()
  const family = startFamily(new Guard(), 'stranger')
  const group = family.group!
  const marker = folder('marker')
  guard.hold('old', { group: { pgid: group.pgid, startTime: '1' }, paths: [marker] })
  guard.stop()
  await until('the guard has done its work', () => !existsSync(marker))
  t.ok(isAlive(group))
  killGroup({ ...group, startTime: '1' })
  t.ok(isAlive(group), 'nor does killGroup')
  killGroup(group)
  t.equal((await family.exited).signal, 'SIGKILL')
})

t.test('a killed guard is replaced by one with the same list', async (t) => {
  const guard = new Guard()
  const path = folder('survivor')
  guard.hold('before', { paths: [path] })
  const first = guard.pids
  for (const pid of first) process.kill(pid, 'SIGKILL')
  const isNew = (pid: number) => !first.includes(pid)
  await until('others are there', () => guard.pids.length === 2 && guard.pids.every(isNew))
  guard.stop()
  await until('the folder is gone', () => !existsSync(path))
  t.pass()
})

t.test('what is bequeathed waits for its grace, and then ends', async (t) => {
  const guard = new Guard()
  const [one, marker] = [folder('bequeathed'), folder('other marker')]
  const family = startFamily(guard, 'brw_1', [one])
  guard.hold('brw_1.more', { paths: [folder('more of it')] })
  guard.hold('brw_10', { paths: [marker] })
  const heir = join(root, 'nobody came')
  guard.bequeath('brw_1', { heir, graceSeconds: 2 })
  guard.stop()
  await until('the rest has ended', () => !existsSync(marker))
  t.ok(isAlive(family.group!), 'it is left alone')
  t.ok(existsSync(one) && existsSync(join(root, 'more of it')))
  t.equal((await family.exited).signal, 'SIGKILL')
  await until(
    'the folders are gone',
    () => !existsSync(one) && !existsSync(join(root, 'more of it')),
  )
  t.ok(existsSync(heir), 'and nobody can take it any more')
})

t.test('what an heir has taken is left alone', async (t) => {
  const guard = new Guard()
  const [taken, other] = [folder('taken'), folder('not taken')]
  const family = startFamily(guard, 'brw_2', [taken])
  guard.hold('brw_3', { paths: [other] })
  const heir = join(root, 'somebody came')
  guard.bequeath('brw_2', { heir, graceSeconds: 2 })
  guard.bequeath('brw_3', { heir: join(root, 'nobody came again'), graceSeconds: 2 })
  const pids = [...guard.pids]
  guard.stop()
  mkdirSync(heir)
  await until('the guards have done their work', () => !pids.some(isRunning))
  t.notOk(existsSync(other))
  t.ok(existsSync(taken) && isAlive(family.group!))
  const next = new Guard()
  t.teardown(() => next.stop())
  const options = { key: 'brw_2', paths: [taken], clock: systemClock, everyMs: 10 }
  const adopted = adoptGuarded(next, family.group!, options)
  killGroup(adopted.group!)
  t.same(await adopted.exited, { code: null, signal: null })
})

t.test('nothing waits if the process that would start an heir is gone', async (t) => {
  const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' })
  const parent = { pgid: sleeper.pid!, startTime: startTimeOf(sleeper.pid!)! }
  const guard = new Guard(parent)
  const path = folder('without a parent')
  guard.hold('brw_5', { paths: [path] })
  guard.bequeath('brw_5', { heir: join(root, 'never comes'), graceSeconds: 600 })
  const pids = [...guard.pids]
  guard.stop()
  t.ok(pids.every(isRunning) && existsSync(path), 'it waits while that runs')
  sleeper.kill('SIGKILL')
  await until('the folder is gone', () => !existsSync(path))
})

t.test('a process that disinherits leaves nothing', async (t) => {
  const guard = new Guard()
  const path = folder('disinherited')
  guard.hold('brw_4', { paths: [path] })
  const heir = join(root, 'was to come')
  guard.bequeath('brw_4', { heir, graceSeconds: 600 })
  guard.disinherit()
  guard.stop()
  await until('the folder is gone', () => !existsSync(path))
  t.notOk(existsSync(heir))
})

t.test('a program that may outlive this process starts only once it is on the list', async (t) => {
  const guard = new Guard()
  t.teardown(() => guard.stop())
  const hold = guard.hold.bind(guard)
  const held: string[] = []
  guard.hold = (key, entry) => {
    held.push(key)
    hold(key, entry)
  }
  const { child, exited } = spawnGuarded(guard, 'sh', ['-c', 'cat; echo "$0 started"', 'it'], {
    key: 'outlives',
    stdio: ['ignore', 'pipe', 'ignore'],
    outlives: true,
  })
  const said = new Promise((resolve) => child.stdout!.once('data', (text) => resolve(String(text))))
  t.same(held, ['outlives'])
  t.equal(await said, 'it started\n', 'its standard input is empty')
  t.match(await exited, { code: 0 })
})

t.test('when a leader ends, the rest of its group is ended', async (t) => {
  const guard = new Guard()
  t.teardown(() => guard.stop())
  const args = ['-c', 'sleep 60 & echo $!; exit 7']
  const started = spawnGuarded(guard, 'sh', args, { key: 'k', stdio: ['ignore', 'pipe', 'ignore'] })
  const childPid = await new Promise<number>((resolve) =>
    started.child.stdout!.once('data', (line) => resolve(Number(line))),
  )
  t.match(await started.exited, { code: 7, signal: null })
  await until('its child has ended too', () => !isRunning(childPid))
})

t.test('an order that does not fit on one line is refused', async (t) => {
  const guard = new Guard()
  t.teardown(() => guard.stop())
  t.throws(() => guard.hold('key', { paths: ['a\nremove key'] }))
})
