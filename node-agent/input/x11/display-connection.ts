/**
 * A typed connection to one X display over its unix socket. This is the only file that imports
 * `x11`.
 */
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { contained } from '../../../runtime/lib/network/contained.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { DisplayAddress } from '../../../proto/session/browser-claim.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { readAuthority } from '../../display/authority.ts'
import type {
  XReplyCallback,
  X11,
  XAuth,
  XClient,
  XDisplay,
  XEvent,
  XFixes,
  XImage,
  XTest,
} from './x-client.ts'
import { inputLimits } from '../limits.ts'

const { createClient } = createRequire(import.meta.url)('x11') as X11
const fake = { keyPress: 2, keyRelease: 3, buttonPress: 4, buttonRelease: 5, motion: 6 } as const
const lockMask = 2
const inputOnly = 2
const propertyChange = 1 << 22
const ownerChanges = 1 | 2 | 4
const zPixmap = 2
const allPlanes = 0xffffffff

/** The number of a display, and the file with its cookie. */
export type XAddress = Pick<DisplayAddress, 'xSocket' | 'authority'>

export interface ScreenSize {
  readonly width: number
  readonly height: number
}

/** The keysyms of each keycode from `first` on, one row per keycode. */
export interface Keymap {
  readonly first: number
  readonly rows: readonly (readonly number[])[]
}

export interface KeyboardState {
  readonly keymap: Keymap
  readonly capsLocked: boolean
  /** The keycodes that are pressed, by any client. */
  readonly down: readonly number[]
}

export class DisplayConnection {
  readonly screen: ScreenSize
  readonly #display: XDisplay
  readonly #xtest: XTest
  readonly #fixes: XFixes
  readonly #clock: Clock
  readonly #pending = new Set<(reason: Error) => void>()
  readonly #listeners = new Set<(event: XEvent) => void>()
  /** Why it was closed. */
  #closed: Error | undefined

  private constructor(display: XDisplay, xtest: XTest, fixes: XFixes, clock: Clock) {
    this.#display = display
    this.#xtest = xtest
    this.#fixes = fixes
    this.#clock = clock
    const { pixel_width: width, pixel_height: height } = display.screen[0]
    this.screen = { width, height }
    display.client.atoms = { ...display.client.atoms }
    display.client.on('event', (event) => {
      for (const listener of this.#listeners) listener(event)
    })
  }

  static async open(display: XAddress, clock: Clock): Promise<DisplayConnection> {
    const auth = await readAuthority(display.authority).catch((why: Error) => {
      throw displayGoneError(why)
    })
    return DisplayConnection.#connect(display.xSocket, auth, clock)
  }

  static #connect(socket: string, auth: XAuth, clock: Clock): Promise<DisplayConnection> {
    return new Promise((resolve, reject) => {
      let connection: DisplayConnection | undefined
      const fail = (why: Error) => {
        timer.cancel()
        connection?.close(why)
        stream.destroy()
        reject(displayGoneError(why))
      }
      const timer = clock.timer(inputLimits.displayConnectMs, () => fail(new Error('no answer')))
      // The socket is opened here, because the package would try TCP if there is no unix socket.
      const stream = contained(connect(socket))
      const options = { stream, auth, shm: false, bufferRequests: true } as const
      const client = createClient(options, (error, display) => {
        if (error) return fail(error)
        client.require('xtest', (noXtest, xtest) => {
          if (noXtest) return fail(noXtest)
          client.require('fixes', (noFixes, fixes) => {
            if (noFixes) return fail(noFixes)
            timer.cancel()
            connection = new DisplayConnection(display, xtest, fixes, clock)
            resolve(connection)
          })
        })
      })
      client.on('error', (error) => {
        // An error reply to one request does not close the connection: windows of other programs
        // may disappear at any time, and requests that wait for them have deadlines.
        if (error.error === undefined) fail(error)
      })
      stream.once('error', fail)
      stream.once('close', () => fail(new Error('the display closed')))
    })
  }

  /** The root window. */
  get root(): number {
    return this.#display.screen[0].root
  }

  key(keycode: number, down: boolean): void {
    this.#fake(down ? fake.keyPress : fake.keyRelease, keycode)
  }

  /** With `afterMs`, the server waits before this event; later requests wait too. */
  button(button: number, down: boolean, afterMs = 0): void {
    this.#fake(down ? fake.buttonPress : fake.buttonRelease, button, { afterMs })
  }

  motion(x: number, y: number): void {
    this.#fake(fake.motion, 0, { x, y })
  }

  async keyboard(): Promise<KeyboardState> {
    const { min_keycode: first, max_keycode: last, screen } = this.#display
    const [rows, { keyMask }, bits] = await Promise.all([
      this.ask<number[][]>((client, reply) =>
        client.GetKeyboardMapping(first, last - first + 1, reply),
      ),
      this.ask<{ keyMask: number }>((client, reply) => client.QueryPointer(screen[0].root, reply)),
      this.ask<Buffer>((client, reply) => client.QueryKeymap(reply)),
    ])
    const down: number[] = []
    for (let keycode = first; keycode <= last; keycode++) {
      if ((bits[keycode >> 3]! >> (keycode & 7)) & 1) down.push(keycode)
    }
    return { keymap: { first, rows }, capsLocked: (keyMask & lockMask) !== 0, down }
  }

  /** The screen's pixels, four bytes each: blue, green, red and one unused. */
  async image(): Promise<Uint8Array> {
    const { width, height } = this.screen
    const { root } = this.#display.screen[0]
    const { data } = await this.ask<XImage>((client, reply) =>
      client.GetImage(zPixmap, root, 0, 0, width, height, allPlanes, reply),
    )
    return data
  }

  /** Resolves when the server has processed all earlier requests. */
  async settle(): Promise<void> {
    await this.ask((client, reply) => client.GetInputFocus(reply))
  }

  /** The client whose window has the keyboard focus; 0 if none has. */
  async focusedClient(): Promise<number> {
    const { focus } = await this.ask<{ focus: number }>((client, reply) =>
      client.GetInputFocus(reply),
    )
    return this.clientOf(focus)
  }

  /** The client that a window belongs to; a program with several connections is several clients. */
  clientOf(window: number): number {
    return (window & ~this.#display.resource_mask) >>> 0
  }

  async atom(name: string): Promise<number> {
    return this.ask<number>((client, reply) => client.InternAtom(false, name, reply))
  }

  /** An invisible window that receives events and properties. */
  openWindow(): number {
    const id = this.#display.client.AllocID()
    const { root } = this.#display.screen[0]
    this.tell((client) => {
      client.CreateWindow(id, root, -1, -1, 1, 1, 0, 0, inputOnly, 0, { eventMask: propertyChange })
    })
    return id
  }

  /** There are few ids, but an id that another client may still write to must not be reused. */
  closeWindow(id: number, forgotten: boolean): void {
    this.tell((client) => {
      client.DestroyWindow(id)
      if (forgotten) client.ReleaseID(id)
    })
  }

  /** Starts or stops events of a window of another client. */
  watchProperties(window: number, watch: boolean): void {
    this.tell((client) => {
      client.ChangeWindowAttributes(window, { eventMask: watch ? propertyChange : 0 })
    })
  }

  watchOwner(window: number, selection: number): void {
    this.tell(() => this.#fixes.SelectSelectionInput(window, selection, ownerChanges))
  }

  listen(listener: (event: XEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(send: (client: XClient) => void): void {
    this.#mustBeOpen()
    send(this.#display.client)
  }

  ask<T>(send: (client: XClient, reply: XReplyCallback<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#mustBeOpen()
      const fail = (why: Error) => {
        end()
        reject(displayGoneError(why))
      }
      const timer = this.#clock.timer(inputLimits.displayAnswerMs, () =>
        fail(new Error(`no answer within ${inputLimits.displayAnswerMs} ms`)),
      )
      const end = () => {
        timer.cancel()
        this.#pending.delete(fail)
      }
      this.#pending.add(fail)
      send(this.#display.client, (error, value) => {
        end()
        if (error) reject(displayGoneError(error))
        else resolve(value)
        return true
      })
    })
  }

  get closed(): boolean {
    return this.#closed !== undefined
  }

  close(why = new Error('the connection was closed')): void {
    if (this.#closed) return
    this.#closed = why
    this.#display.client.terminate()
    for (const fail of [...this.#pending]) fail(why)
    this.#listeners.clear()
  }

  #fake(type: number, detail: number, { afterMs = 0, x = 0, y = 0 } = {}): void {
    this.#mustBeOpen()
    this.#xtest.FakeInput(type, detail, afterMs, this.#display.screen[0].root, x, y)
  }

  #mustBeOpen(): void {
    if (this.#closed) throw displayGoneError(this.#closed)
  }
}

function displayGoneError(cause: Error): ServiceError {
  return new ServiceError('unavailable', "The session's display does not answer.", {}, cause)
}
