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
  Guard,
  isAlive,
  killGroup,
  removalScript,
  spawnGuarded,
} from '../../../../runtime/process/guard.ts'
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
  const first = guard.pid!
  process.kill(first, 'SIGKILL')
  await until('another guard is there', () => guard.pid !== undefined && guard.pid !== first)
  guard.stop()
  await until('the folder is gone', () => !existsSync(path))
  t.pass()
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
