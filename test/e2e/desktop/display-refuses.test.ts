/**
 * Goal: a display that refuses a connection, or ends it, costs no command, and the log says why one
 * failed. Method: a real X server behind a socket that the test opens, cuts and closes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import {
  CommandContext,
  type CommandContextParts,
} from '../../../node-agent/commands/command-context.ts'
import { CommandExecutor } from '../../../node-agent/commands/command-executor.ts'
import { desktopToolsOf } from '../../../node-agent/commands/desktop-tools.ts'
import { FilledValues } from '../../../node-agent/logins/filled-values.ts'
import type { OsInput } from '../../../node-agent/input/x11/os-input.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { until } from '../../helpers/lib/until.ts'
import { noEvents, noLogins } from '../../helpers/browser/page-session.ts'
import { openDesktop } from '../../helpers/browser/desktop.ts'

const desktop = await openDesktop('<title>Display</title>')
t.teardown(() => desktop.close())

/** A socket that leads to the display from the moment that `letIn` says so. */
function openSocket(t: Test, letIn: (attempt: number) => boolean) {
  // A path of a socket must be short.
  const folder = mkdtempSync(join(tmpdir(), 'troupe-x-'))
  const xSocket = join(folder, 'x')
  const open = new Set<Socket>()
  let attempts = 0
  const server = createServer((near) => {
    if (!letIn(++attempts)) return void near.destroy()
    const far = connect(desktop.display.xSocket)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
    }
    near.pipe(far).pipe(near)
  })
  const cut = () => open.forEach((socket) => socket.destroy())
  t.teardown(() => {
    cut()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return {
    address: { xSocket, authority: desktop.display.authority },
    attempts: () => attempts,
    listen: () => server.listen(xSocket),
    cut,
  }
}

const center = { x: 300, y: 300 }

t.test('a connection that is refused at the start is tried again', async (t) => {
  const socket = openSocket(t, (attempt) => attempt > 2)
  socket.listen()
  const { inputDevice } = desktopToolsOf(socket.address, systemClock)
  await (await inputDevice()).move(center)
  t.equal(socket.attempts(), 3)
})

t.test('and one to a display that does not listen yet', async (t) => {
  const socket = openSocket(t, () => true)
  const { inputDevice } = desktopToolsOf(socket.address, systemClock)
  const opening = inputDevice()
  socket.listen()
  await (await opening).move(center)
})

t.test('a connection that has ended is opened again', async (t) => {
  const socket = openSocket(t, () => true)
  socket.listen()
  const { inputDevice } = desktopToolsOf(socket.address, systemClock)
  const [first, same] = await Promise.all([inputDevice(), inputDevice()])
  t.equal(first, same)
  await first.move(center)
  socket.cut()
  await until('it is known to have ended', () => (first as OsInput).closed)
  await t.rejects(first.move(center), { message: /does not answer/ })
  await (await inputDevice()).move(center)
  t.equal(socket.attempts(), 2)
})

t.test('the log says why a display does not answer', async (t) => {
  const socket = openSocket(t, () => true)
  const lines: string[] = []
  const logins = { ask: noLogins, filled: new FilledValues() }
  const parts = { logins, desktop: desktopToolsOf(socket.address, systemClock) }
  const context = CommandContext.of(parts as unknown as CommandContextParts)
  const executor = new CommandExecutor({
    benchOf: () => context,
    traces: { record: (_, work) => work() },
    events: noEvents,
    clock: systemClock,
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  })
  const actions = [{ command: 'mouse_move', input: center } as const]
  const request = { sessionId: 'ses_1', epoch: 1, actions, withinMs: 10_000 }
  t.match(await executor.run(request as never), [{ ok: false, error: { type: 'unavailable' } }])
  t.equal(lines.length, 1)
  t.match(lines[0], /mouse_move.*ENOENT/)
})
