/**
 * The desktop of one headful browser: an X server, a window manager and a VNC server of its own.
 * They start and end together: if one ends, the others are ended too.
 */
import { stat, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { BrowserId } from '../../proto/ids.ts'
import type { DisplayAddress } from '../../proto/session/browser-claim.ts'
import { settleWithin, withDeadline, type Clock } from '../../runtime/lib/clock.ts'
import { pollUntil } from '../../runtime/lib/poll-until.ts'
import { isMissingFile } from '../../runtime/lib/files/missing-file.ts'
import {
  adoptGuarded,
  killGroup,
  spawnGuarded,
  type Guard,
  type GuardedProcess,
  type ProcessExit,
  type RunningGroup,
} from '../../runtime/process/guard.ts'
import type { Isolation } from '../../runtime/browser-host/isolation/isolation.ts'
import { writeAuthority } from './authority.ts'
import type { ScratchRecord } from '../files/browser-record.ts'
import type { ScratchDirs } from '../files/scratch.ts'
import { openboxConfig } from './openbox.ts'
import { makeDesktopSandbox, type DesktopSandbox } from './desktop-sandbox.ts'
import { removeDeadSocket, xSocketOf } from './x-socket.ts'
import type { ViewSize } from './screen.ts'
import { nodeAgentLimits } from '../limits.ts'
import { displayLimits } from './limits.ts'

export interface DisplayOptions {
  readonly guard: Guard
  readonly clock: Clock
  readonly id: BrowserId
  readonly scratch: ScratchDirs
  readonly screen: ViewSize
  readonly isolation: Pick<Isolation, 'desktop'>
  /**
   * Command-line prefix of each of its processes: puts the process into the browser's control
   * group.
   */
  readonly enter: readonly string[]
  /** The environment of a program that writes all its files to that folder. */
  readonly env: (folder: string) => NodeJS.ProcessEnv
}

type DisplayMeans = Pick<DisplayOptions, 'guard' | 'clock' | 'id'>

/**
 * Ordered by blame: when the X server ends, its clients end too, perhaps before its own exit is
 * seen.
 */
const names = {
  xvfb: 'The X server (Xvfb)',
  openbox: 'The window manager (openbox)',
  x11vnc: 'The VNC server (x11vnc)',
} as const
type Part = keyof typeof names

interface XServer {
  /** The display number. */
  readonly number: number
  readonly pid: number
}

export class Display {
  readonly address: DisplayAddress
  /** For the browser: DISPLAY is `:<number>`. */
  readonly number: number
  /** Command-line prefix of the browser. */
  readonly browserPrefix: readonly string[]
  /** Resolves when one of the processes has ended, whether by itself or because of `close`. */
  readonly lost: Promise<unknown>
  readonly #options: DisplayMeans
  readonly #parts: Readonly<Record<Part, RunningGroup>>
  readonly #exits = new Map<Part, ProcessExit>()
  #closing: Promise<void> | undefined

  private constructor(
    options: DisplayMeans,
    { address, number, browserPrefix }: Pick<Display, 'address' | 'number' | 'browserPrefix'>,
    parts: Readonly<Record<Part, RunningGroup>>,
  ) {
    this.#options = options
    this.address = address
    this.number = number
    this.browserPrefix = browserPrefix
    this.#parts = parts
    const ends = Object.entries(parts).map(([part, { exited }]) =>
      exited.then((exit) => {
        if (!this.#closing) this.#exits.set(part as Part, exit)
      }),
    )
    this.lost = Promise.race(ends)
  }

  /**
   * Resolves when the X server accepts clients; the other processes are still starting, see
   * `ready`.
   */
  static async open(options: DisplayOptions): Promise<Display> {
    const { guard, id, scratch, isolation } = options
    const { authority, desktop } = scratch
    const sandbox = await makeDesktopSandbox(scratch, isolation.desktop)
    await writeFile(join(desktop, 'openbox.xml'), openboxConfig)
    await writeAuthority(authority)
    const { xvfb, server } = await startServer(options, sandbox)
    const { number, pid } = server
    const xSocket = xSocketOf(number, sandbox.xSockets)
    guard.hold(socketKey(id), { paths: [xSocket] })
    const address = addressOf(scratch, xSocket)
    const config = ['--sm-disable', '--config-file', join(sandbox.folder, 'openbox.xml')]
    return new Display(
      options,
      { address, number, browserPrefix: sandbox.browser(pid) },
      {
        xvfb,
        openbox: run(options, 'openbox', config, sandbox, server),
        x11vnc: run(options, 'x11vnc', vncFlags(number, sandbox), sandbox, server),
      },
    )
  }

  /** Takes over a display that an earlier agent has opened. Throws if the record names none. */
  static adopt(
    means: DisplayMeans,
    scratch: ScratchDirs,
    { display: groups = [], xSocket }: Pick<ScratchRecord, 'display' | 'xSocket'>,
  ): Display {
    const { guard, clock, id } = means
    if (xSocket === undefined) throw new Error('its record names no display')
    guard.hold(socketKey(id), { paths: [xSocket] })
    const [xvfb, openbox, x11vnc] = displayKeys(id).map((key, at) => {
      const group = groups[at]
      if (!group) throw new Error('its record does not name all processes of its display')
      return adoptGuarded(guard, group, { key, clock, everyMs: displayLimits.displayLookMs })
    }) as [RunningGroup, RunningGroup, RunningGroup]
    const number = Number(/\d+$/.exec(xSocket)?.[0])
    const address = addressOf(scratch, xSocket)
    return new Display(means, { address, number, browserPrefix: [] }, { xvfb, openbox, x11vnc })
  }

  /** Resolves when the VNC server listens, which is the last step of the start. */
  async ready(): Promise<void> {
    const times = { everyMs: nodeAgentLimits.displayPollMs, withinMs: displayLimits.displayStartMs }
    const listens = await pollUntil(this.#options.clock, times, async () => {
      if (await exists(this.address.vncSocket)) return true
      const failure = this.#first()
      if (failure !== undefined) throw new Error(failure)
      return false
    })
    if (!listens) throw new Error('the VNC server does not listen')
  }

  /** What a later sweep has to kill and remove, for the record in the browser's folder. */
  cleanupRecord() {
    const groups = Object.values(this.#parts).flatMap(({ group }) => (group ? [group] : []))
    return { display: groups, xSocket: this.address.xSocket }
  }

  /**
   * The process that ended first, as a sentence; undefined if none ended before `close`. After the
   * X server dies, the exits of its clients may be seen before its own.
   */
  async failure(): Promise<string | undefined> {
    if (this.#closing) return undefined
    await settleWithin(this.#options.clock, displayLimits.displayBlameMs, this.#parts.xvfb.exited)
    return this.#first()
  }

  /** Ends the processes and removes the X server's socket. May be called twice. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    const parts = Object.values(this.#parts)
    for (const { group } of parts) if (group) killGroup(group)
    await Promise.all(parts.map(({ exited }) => exited))
    await removeDeadSocket(this.address.xSocket)
    this.#options.guard.release(socketKey(this.#options.id))
  }

  #first(): string | undefined {
    for (const part of Object.keys(names) as Part[]) {
      const exit = this.#exits.get(part)
      if (exit) return `${names[part]} ended${howItEnded(exit)}.`
    }
    return undefined
  }
}

const socketKey = (id: BrowserId) => `${id}.x-socket`

/** The guard's keys of its processes, in the order of {@link names} and of the record. */
const programs = ['Xvfb', 'openbox', 'x11vnc'] as const
export const displayKeys = (id: string) => programs.map((program) => `${id}.${program}`)

const addressOf = ({ tmpLink, authority }: ScratchDirs, xSocket: string): DisplayAddress => ({
  xSocket,
  vncSocket: join(tmpLink, 'desktop', 'vnc'),
  authority,
})

/**
 * The server chooses its display number itself: the kernel gives a socket name to one server only.
 */
async function startServer(options: DisplayOptions, sandbox: DesktopSandbox) {
  const { width, height } = options.screen
  const flags = [
    ...['-displayfd', '3', '-screen', '0', `${width}x${height}x24`],
    ...['-auth', options.scratch.authority, '-nolisten', 'tcp', '-noreset', '-dpi', '96'],
  ]
  const xvfb = run(options, 'Xvfb', flags, sandbox)
  try {
    const number = await displayNumber(xvfb, options.clock)
    return { xvfb, server: { number, pid: xvfb.child.pid! } }
  } catch (error) {
    if (xvfb.group) killGroup(xvfb.group)
    await xvfb.exited
    throw error
  }
}

function displayNumber({ child, exited }: GuardedProcess, clock: Clock): Promise<number> {
  let text = ''
  const reportedNumber = new Promise<number>((resolve) => {
    const from = child.stdio[3] as Readable | null | undefined
    from?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n')) resolve(Number(text))
    })
  })
  const ended = exited.then((exit) => {
    throw new Error(`${names.xvfb} ended${howItEnded(exit)}`)
  })
  const late = () =>
    new Error(`${names.xvfb} did not start within ${displayLimits.displayStartMs} ms`)
  const { displayStartMs } = displayLimits
  return withDeadline(clock, displayStartMs, Promise.race([reportedNumber, ended]), late)
}

/**
 * Listens on a unix socket only: TCP is off, with a separate switch for IPv6. The screen is read at
 * most a hundred times a second, and only while a viewer is connected. On the host, shared memory
 * is off: segments of a killed x11vnc would remain, and the kernel has only 4096. The clipboard is
 * off (`-nosel`), because it would be sent to every viewer, in Latin-1. Heuristics for moving
 * windows, scrolling and line speed are off, because they cost more than half of the frames.
 */
function vncFlags(display: number, { folder, freesMemory }: DesktopSandbox): string[] {
  const socket = join(folder, 'vnc')
  return [
    ...['-display', `:${display}`, '-unixsock', socket, '-rfbport', '0', '-rfbportv6', '0'],
    ...['-shared', '-forever', '-nopw', '-quiet', '-norc', '-noremote', '-nolookup', '-nobell'],
    ...(freesMemory ? [] : ['-noshm']),
    ...['-cursor', 'most', '-nosel'],
    ...['-wait', '10', '-defer', '5', '-nowireframe', '-noscrollcopyrect', '-speeds', 'lan'],
  ]
}

/** Without `server`, the program is the X server itself. */
function run(
  { guard, id, scratch, enter, env }: DisplayOptions,
  program: (typeof programs)[number],
  args: readonly string[],
  sandbox: DesktopSandbox,
  server?: XServer,
) {
  const prefix = server ? sandbox.beside(server.pid) : sandbox.first
  const [command, ...rest] = [...enter, ...prefix, program, ...args]
  return spawnGuarded(guard, command!, rest, {
    key: `${id}.${program}`,
    cwd: scratch.desktop,
    env: {
      ...env(sandbox.folder),
      XAUTHORITY: scratch.authority,
      ...(server && { DISPLAY: `:${server.number}` }),
    },
    stdio: ['ignore', 'ignore', 'ignore', server ? 'ignore' : 'pipe'],
    outlives: true,
  })
}

/**
 * If a signal ends a program in the sandbox, the sandbox exits like a shell: with a code above 128.
 */
function howItEnded({ code, signal, error }: ProcessExit): string {
  if (error) return `: ${error.message}`
  // How a process ended that an earlier agent has started is not known.
  if (signal === null && code === null) return ''
  const name = signal ?? signals.get((code ?? 0) - 128)
  return name === undefined ? ` with exit code ${code}` : ` with signal ${name}`
}

const signals = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isMissingFile(error)) return false
    throw error
  }
}
