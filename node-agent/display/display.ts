/**
 * The desktop of one headful browser: an X server, a window manager and a VNC server of its own.
 * They start and end together; when one falls, all have.
 */
import { stat, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { BrowserId } from '../../proto/ids.ts'
import type { DisplayAddress } from '../../proto/session/browser-claim.ts'
import { settleWithin, withDeadline, type Clock } from '../../runtime/lib/clock.ts'
import { pollUntil } from '../../runtime/lib/poll-until.ts'
import {
  killGroup,
  spawnGuarded,
  type Guard,
  type GuardedProcess,
  type ProcessExit,
} from '../../runtime/process/guard.ts'
import type { Isolation } from '../../runtime/browser-host/isolation/isolation.ts'
import { writeAuthority } from './authority.ts'
import type { ScratchDirs } from '../files/scratch.ts'
import { openboxConfig } from './openbox.ts'
import { makePlace, type Place } from './place.ts'
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
  /** Comes before all else on the command line of each of its processes. */
  readonly enter: readonly string[]
  /** Of a program whose files all go to that folder. */
  readonly env: (folder: string) => NodeJS.ProcessEnv
}

/** In the order of blame: when the X server ends, its clients end too, and perhaps sooner known. */
const names = {
  xvfb: 'The X server (Xvfb)',
  openbox: 'The window manager (openbox)',
  x11vnc: 'The VNC server (x11vnc)',
} as const
type Part = keyof typeof names

interface XServer {
  /** Of its display. */
  readonly number: number
  readonly pid: number
}

export class Display {
  readonly address: DisplayAddress
  /** For the browser: DISPLAY is `:<number>`. */
  readonly number: number
  /** Comes before all else on the browser's command line. */
  readonly browserPrefix: readonly string[]
  /** Resolves when a part has ended, whether by itself or because we closed. */
  readonly lost: Promise<unknown>
  readonly #options: DisplayOptions
  readonly #parts: Readonly<Record<Part, GuardedProcess>>
  readonly #exits = new Map<Part, ProcessExit>()
  #closing: Promise<void> | undefined

  private constructor(
    options: DisplayOptions,
    { address, number, browserPrefix }: Pick<Display, 'address' | 'number' | 'browserPrefix'>,
    parts: Readonly<Record<Part, GuardedProcess>>,
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

  /** Resolves when the X server takes clients; the others are on their way, see `ready`. */
  static async open(options: DisplayOptions): Promise<Display> {
    const { guard, id, scratch, isolation } = options
    const { authority, desktop, tmpLink } = scratch
    const place = await makePlace(scratch, isolation.desktop)
    await writeFile(join(desktop, 'openbox.xml'), openboxConfig)
    await writeAuthority(authority)
    const { xvfb, server } = await startServer(options, place)
    const { number, pid } = server
    const xSocket = xSocketOf(number, place.xSockets)
    guard.hold(socketKey(id), { paths: [xSocket] })
    const address = { xSocket, vncSocket: join(tmpLink, 'desktop', 'vnc'), authority }
    const config = ['--sm-disable', '--config-file', join(place.folder, 'openbox.xml')]
    return new Display(
      options,
      { address, number, browserPrefix: place.browser(pid) },
      {
        xvfb,
        openbox: run(options, 'openbox', config, place, server),
        x11vnc: run(options, 'x11vnc', vncFlags(number, place), place, server),
      },
    )
  }

  /** Resolves when the VNC server listens, which it does last. */
  async ready(): Promise<void> {
    const times = { everyMs: nodeAgentLimits.displayPollMs, withinMs: displayLimits.displayStartMs }
    const listens = await pollUntil(this.#options.clock, times, async () => {
      if (await exists(this.address.vncSocket)) return true
      const fallen = this.#first()
      if (fallen !== undefined) throw new Error(fallen)
      return false
    })
    if (!listens) throw new Error('the VNC server does not listen')
  }

  /** For the record of the browser's folder. */
  belongings() {
    const groups = Object.values(this.#parts).flatMap(({ group }) => (group ? [group] : []))
    return { display: groups, xSocket: this.address.xSocket }
  }

  /**
   * Which part ended first, if one did before we closed. A dead X server's clients may be known to
   * have ended a moment before the server itself is.
   */
  async fallen(): Promise<string | undefined> {
    if (this.#closing) return undefined
    await settleWithin(this.#options.clock, displayLimits.displayBlameMs, this.#parts.xvfb.exited)
    return this.#first()
  }

  /** Ends what runs and removes what the X server leaves. May be called twice. */
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
      if (exit) return `${names[part]} ended with ${howItEnded(exit)}.`
    }
    return undefined
  }
}

const socketKey = (id: BrowserId) => `${id}.x-socket`

/** The server chooses its number itself: the kernel gives a socket's name to one of them only. */
async function startServer(options: DisplayOptions, place: Place) {
  const { width, height } = options.screen
  const flags = [
    ...['-displayfd', '3', '-screen', '0', `${width}x${height}x24`],
    ...['-auth', options.scratch.authority, '-nolisten', 'tcp', '-noreset', '-dpi', '96'],
  ]
  const xvfb = run(options, 'Xvfb', flags, place)
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
    throw new Error(`${names.xvfb} ended with ${howItEnded(exit)}`)
  })
  const late = () =>
    new Error(`${names.xvfb} did not start within ${displayLimits.displayStartMs} ms`)
  const { displayStartMs } = displayLimits
  return withDeadline(clock, displayStartMs, Promise.race([reportedNumber, ended]), late)
}

/**
 * A unix socket and nothing else: both TCP ports are off, the one of IPv6 by a switch of its own.
 * The screen is read at most a hundred times a second, and only while somebody looks. On the host not
 * through shared memory: what a killed x11vnc had of it would stay, and the kernel has 4096 segments.
 * It leaves the clipboard alone, which it would send to every viewer, and in Latin-1. Guessing what
 * moves or scrolls, and at what a viewer's line can carry, costs it more than half of its frames.
 */
function vncFlags(display: number, { folder, freesMemory }: Place): string[] {
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
  program: string,
  args: readonly string[],
  place: Place,
  server?: XServer,
) {
  const prefix = server ? place.beside(server.pid) : place.first
  const [command, ...rest] = [...enter, ...prefix, program, ...args]
  return spawnGuarded(guard, command!, rest, {
    key: `${id}.${program}`,
    cwd: scratch.desktop,
    env: {
      ...env(place.folder),
      XAUTHORITY: scratch.authority,
      ...(server && { DISPLAY: `:${server.number}` }),
    },
    stdio: ['ignore', 'ignore', 'ignore', server ? 'ignore' : 'pipe'],
  })
}

/** When a signal ended a program behind walls, they end as a shell would: with a code above 128. */
function howItEnded({ code, signal, error }: ProcessExit): string {
  if (error) return error.message
  const name = signal ?? signals.get((code ?? 0) - 128)
  return name === undefined ? `exit code ${code}` : `signal ${name}`
}

const signals = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
