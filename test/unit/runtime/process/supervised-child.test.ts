// Goal: a child is kept running, with growing delays while it fails, and its last output is kept.
// Method: tiny programs under a real guard.
import t from 'tap'
import { limits } from '../../../../proto/limits.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { exitCodes } from '../../../../runtime/process/exit-codes.ts'
import { Guard, spawnGuarded } from '../../../../runtime/process/guard.ts'
import {
  StartFailed,
  SupervisedChild,
  type ChildEnd,
  type ChildSpec,
} from '../../../../runtime/process/supervisor/child.ts'
import { StderrTail } from '../../../../runtime/process/supervisor/stderr-tail.ts'
import { isRunning } from '../../../helpers/lib/processes.ts'
import type { Teardown } from '../../../helpers/nats/nats.ts'
import { until } from '../../../helpers/lib/until.ts'
import { processLimits } from '../../../../runtime/process/limits.ts'

const guard = new Guard()
t.teardown(() => guard.stop())

const ready = `process.send({type:'ready',incarnation:'n.actors.'+process.pid,info:{}});`
const idle = `setInterval(() => {}, 1e6);`

let key = 0

function supervise(t: Teardown, program: string, more: Partial<ChildSpec> = {}) {
  const ends: ChildEnd[] = []
  const lines: string[] = []
  const child = new SupervisedChild(
    {
      name: 'tiny',
      start: () =>
        spawnGuarded(guard, process.execPath, ['-e', program], {
          key: `tiny-${key++}`,
          stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        }),
      onLine: (line) => lines.push(line),
      onEnd: (end) => ends.push(end),
      ...more,
    },
    systemClock,
  )
  t.teardown(() => child.kill())
  child.start()
  return { child, ends, lines }
}

t.test('it is up when it says so, and its output is passed on line by line', async (t) => {
  const { child, lines } = supervise(t, `console.log('one'); console.error('two'); ${ready}${idle}`)
  await child.up
  await until('both lines', () => lines.length === 2)
  t.same(lines.toSorted(), ['one', 'two'])
})

const answering = `process.on('message', (message) => process.send(message));`

t.test('a child that no longer answers is ended and restarted, with the reason', async (t) => {
  const hangs = `${ready}${answering} setTimeout(() => { for (;;); }, 100);`
  const hungAfterMs = 2 * processLimits.heartbeatMs
  const { child, ends } = supervise(t, hangs, { hungAfterMs })
  await child.up
  const first = child.pid!
  await until('it is restarted', () => child.pid !== undefined && child.pid !== first)
  t.notOk(isRunning(first))
  t.match(ends[0], {
    exit: { signal: 'SIGKILL' },
    reason: 'it did not answer for 2 s and was ended',
  })
})

t.test('one that is stopped is ended too, and one that answers is not', async (t) => {
  const hungAfterMs = 2 * processLimits.heartbeatMs
  const good = supervise(t, `${ready}${answering}`, { hungAfterMs })
  const stopped = supervise(t, `${ready}${answering}`, { hungAfterMs })
  await Promise.all([good.child.up, stopped.child.up])
  const first = stopped.child.pid!
  process.kill(first, 'SIGSTOP')
  await until('it is ended', () => stopped.ends.length > 0 && !isRunning(first))
  t.same(good.ends, [])
})

t.test('it is restarted when it ends, with the error it threw as the reason', async (t) => {
  const program = `${ready} process.on('disconnect', () => {}); setImmediate(() => { throw new Error('out of bread') })`
  const { child, ends } = supervise(t, program)
  await child.up
  await until('three ends', () => ends.length >= 3)
  const [first, second, third] = ends.map((end) => end.waitMs!)
  t.equal(ends[0]!.reason, 'out of bread')
  t.equal(first, 0, 'one that was up is restarted at once')
  t.ok(
    second! >= processLimits.roleBackoffMs && third! >= 2 * processLimits.roleBackoffMs,
    'then they grow',
  )
})

t.test('one that is killed ended because of that, whatever it said last', async (t) => {
  const { child, ends } = supervise(t, `console.error('all is well'); ${ready}${idle}`)
  await child.up
  process.kill(child.pid!, 'SIGKILL')
  await until('it ends', () => ends.length > 0)
  t.equal(ends[0]!.reason, 'killed by SIGKILL')
})

t.test('a fenced one is restarted at once, unless it is fenced repeatedly', async (t) => {
  const { ends } = supervise(t, `${ready} setImmediate(() => process.exit(${exitCodes.fenced}))`)
  await until('two ends', () => ends.length >= 2)
  t.equal(ends[0]!.waitMs, 0)
  t.ok(ends[1]!.waitMs! > 0)
})

t.test('its death is reported at once and by name, a regular end is not', async (t) => {
  const dead: string[] = []
  const onDeath = (incarnation: string) => dead.push(incarnation)
  const killed = supervise(t, ready + idle, { onDeath })
  await killed.child.up
  const { pid } = killed.child
  process.kill(pid!, 'SIGKILL')
  await until('the death is told', () => dead.length === 1)
  t.same(dead, [`n.actors.${pid}`])

  const orderly = supervise(t, `process.on('SIGTERM', () => process.exit(0)); ${ready}${idle}`, {
    onDeath,
  })
  await orderly.child.up
  await orderly.child.stop(limits.drainMs)
  await until('its end is told', () => orderly.ends.length === 1)
  t.equal(dead.length, 1)
})

t.test('one that never comes up is given up, with its last output', async (t) => {
  const { child, ends } = supervise(t, `console.error('the port is taken'); process.exit(1)`)
  await t.rejects(child.up, new StartFailed('tiny', 'the port is taken'))
  t.equal(ends.length, processLimits.firstStartAttempts)
  t.equal(ends.at(-1)!.waitMs, undefined)
})

t.test('a missing program is given up too', async (t) => {
  const start = () =>
    spawnGuarded(guard, '/nowhere/to/be/found', [], {
      key: `tiny-${key++}`,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const { child } = supervise(t, '', { start })
  await t.rejects(child.up, { name: 'StartFailed', message: /nowhere/ })
})

t.test('one that ignores SIGTERM is killed after its time', async (t) => {
  const { child, ends } = supervise(t, `process.on('SIGTERM', () => {}); ${ready}${idle}`)
  await child.up
  const { pid } = child
  await child.stop(50)
  t.notOk(isRunning(pid!))
  await until('its end is told', () => ends.length === 1)
  t.match(ends[0], { exit: { signal: 'SIGKILL' }, waitMs: undefined })
})

const said: readonly (readonly [string, readonly string[], string])[] = [
  [
    'the message at the head of a stack',
    ['    throw new Gone()', 'Gone: it left', '    at x (y:1:2)', '}', '', 'Node.js v20.1.0'],
    'it left',
  ],
  [
    'the last entry of the log that is an error',
    ['{"level":50,"msg":"it broke","err":{"message":"in two"}}', '{"level":30,"msg":"bye"}'],
    'it broke: in two',
  ],
  ['what nats-server calls fatal', ['[1] 2026/01/01 00:00:00 [FTL] no disk'], 'no disk'],
  ['else the last line that is not empty', ['first', 'second', ''], 'second'],
  ['nothing where only the log spoke, and of good things', ['{"level":30,"msg":"ready"}'], ''],
]
for (const [what, lines, expected] of said) {
  t.test(`last output: ${what}`, async (t) => {
    const words = new StderrTail()
    for (const line of lines) words.add(line)
    t.equal(words.text, expected)
  })
}
