/**
 * Goal: whichever process is killed, no process and no folder is left. Method: a program that holds
 * a pool, as an agent does, is killed together with others; /proc and its folder are read until
 * both are empty.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import t, { type Test as Tap } from 'tap'
import type { BrowserId } from '../../../proto/ids.ts'
import { recordName, type ScratchRecord } from '../../../node-agent/files/browser-record.ts'
import { scratchOf } from '../../../node-agent/files/scratch.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { sweepLeftovers } from '../../../node-agent/sessions/sweep.ts'
import { Guard, startTimeOf } from '../../../runtime/process/guard.ts'
import { newRoot } from '../../helpers/browser/browser-host.ts'
import { isRunning, processesNaming } from '../../helpers/lib/processes.ts'
import { until } from '../../helpers/lib/until.ts'

const program = fileURLToPath(new URL('../../helpers/browser/pool-program.js', import.meta.url))
const log = pino({ level: 'silent' })
const means = { guard: new Guard(), clock: systemClock, log }
t.teardown(() => means.guard.stop())
const goneWithinMs = 20_000

interface Running {
  readonly root: string
  /** The short links to its browsers' temporary folders, which are outside of it. */
  readonly links: readonly string[]
  /** The sockets of its X servers, also outside of it. */
  readonly xSockets: readonly string[]
  readonly child: ChildProcess
  readonly guards: readonly number[]
  /** The pids of the guards once one has been replaced. */
  nextGuards(): Promise<readonly number[]>
}

/** Resolves when the program has one warm and one claimed browser. */
async function start(t: Pick<Tap, 'teardown'>): Promise<Running> {
  const root = ownRoot(t)
  const child = spawn(process.execPath, [program, root], { stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  const nextGuards = async () => JSON.parse((await lines.next()).value ?? '[]') as number[]
  const guards = await nextGuards()
  if (guards.length === 0) throw new Error('the program ended early')
  const ids = readdirSync(root) as BrowserId[]
  const links = ids.map((id) => scratchOf(root, id).tmpLink)
  const records = ids.map((id) => readFileSync(join(root, id, recordName), 'utf8'))
  const xSockets = records.flatMap((text) => {
    const { xSocket } = JSON.parse(text) as ScratchRecord
    return xSocket === undefined ? [] : [xSocket]
  })
  if (xSockets.length !== 1) throw new Error('there should be one display')
  return { root, links, xSockets, child, guards, nextGuards }
}

function ownRoot(t: Pick<Tap, 'teardown'>): string {
  const root = newRoot()
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  return root
}

const linkExists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const browsersOf = (root: string) =>
  processesNaming(root).filter(({ command }) => command.includes('--user-data-dir'))

async function nothingRuns({ root }: Running): Promise<void> {
  await until('no process is left', () => processesNaming(root).length === 0, goneWithinMs)
}

async function nothingIsLeft(running: Running): Promise<void> {
  await nothingRuns(running)
  const { root, links, xSockets } = running
  const outside = [...links, ...xSockets]
  const folders = () => readdirSync(root).length === 0 && !outside.some(linkExists)
  await until('no folder is left', folders, goneWithinMs)
}

t.test('SIGKILL of the agent: its guard ends the browsers and removes their folders', async (t) => {
  const running = await start(t)
  t.ok(browsersOf(running.root).length >= 2)
  const before = performance.now()
  running.child.kill('SIGKILL')
  await nothingIsLeft(running)
  t.comment(`nothing left after ${Math.round(performance.now() - before)} ms`)
})

t.test('SIGKILL of the guard: a new one takes over the list', async (t) => {
  const running = await start(t)
  const [killed] = running.guards
  process.kill(killed!, 'SIGKILL')
  t.notOk((await running.nextGuards()).includes(killed!))
  running.child.kill('SIGKILL')
  await nothingIsLeft(running)
})

t.test('SIGKILL of the agent and a guard at once: the other guard ends everything', async (t) => {
  const running = await start(t)
  process.kill(running.guards[1]!, 'SIGKILL')
  running.child.kill('SIGKILL')
  await nothingIsLeft(running)
})

t.test(
  'SIGKILL of the agent and both guards at once: the next start ends everything',
  async (t) => {
    const running = await start(t)
    for (const pid of [...running.guards, running.child.pid!]) process.kill(pid, 'SIGKILL')
    await until('the agent is gone', () => !isRunning(running.child.pid!))
    t.equal((await sweepLeftovers(running.root, means)).removed, 2)
    await nothingIsLeft(running)
  },
)

t.test('a sweep kills the recorded processes, and no others', async (t) => {
  const root = ownRoot(t)
  const left = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  t.teardown(() => stranger.kill('SIGKILL'))
  const ended = new Promise((resolve) => left.once('exit', resolve))
  const leave = (name: string, agent: object, browser: object) => {
    const dir = join(root, name)
    mkdirSync(dir)
    const content = { browserId: name, agent, browser, tmpLink: join(root, `${name}-tmp`) }
    writeFileSync(join(dir, recordName), JSON.stringify(content))
  }
  const dead = { pgid: 999_999_999, startTime: '1' }
  const startTime = startTimeOf(left.pid!)
  leave('left', dead, { pgid: left.pid, startTime })
  leave('reused-pid', dead, { pgid: stranger.pid, startTime: '1' })
  const self = { pgid: process.pid, startTime: startTimeOf(process.pid) }
  leave('of-a-live-agent', self, { pgid: stranger.pid, startTime: startTimeOf(stranger.pid!) })
  mkdirSync(join(root, 'without-record'))

  t.equal((await sweepLeftovers(root, means)).removed, 3)
  await ended
  t.same(readdirSync(root), ['of-a-live-agent'])
  t.match(readFileSync(`/proc/${stranger.pid}/stat`, 'utf8'), /\(sleep\) [RS]/)
})

t.test('a sweep in a folder without an agent finds nothing', async (t) => {
  t.same(await sweepLeftovers(join(ownRoot(t), 'nowhere'), means), { removed: 0, heirlooms: [] })
})
