/** A typed connection to one X display over its unix socket: the only importer of `x11`. */
import { createRequire } from 'node:module'
import { connect, type Socket } from 'node:net'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { Clock } from '../../runtime/clock.ts'

type Reply<T> = (error: Error | null | undefined, value: T) => void

/** The part of the package's client that is used here. */
interface XClient {
  GetKeyboardMapping(first: number, count: number, reply: Reply<number[][]>): void
  GetInputFocus(reply: Reply<unknown>): void
  GetImage(
    format: number,
    drawable: number,
    ...rest: readonly [
      x: number,
      y: number,
      width: number,
      height: number,
      planes: number,
      Reply<XImage>,
    ]
  ): void
  require(name: 'xtest', reply: Reply<XTest>): void
  on(event: 'error', listener: (error: Error) => void): void
  terminate(): void
}

interface XImage {
  readonly data: Uint8Array
}

interface XTest {
  FakeInput(type: number, detail: number, time: number, root: number, x: number, y: number): void
}

interface XDisplay {
  readonly client: XClient
  readonly screen: readonly [{ root: number; pixel_width: number; pixel_height: number }]
  readonly min_keycode: number
  readonly max_keycode: number
}

interface X11 {
  createClient(options: { stream: Socket; shm: false }, ready: Reply<XDisplay>): XClient
}

const { createClient } = createRequire(import.meta.url)('x11') as X11
const fake = { keyPress: 2, keyRelease: 3, buttonPress: 4, buttonRelease: 5, motion: 6 } as const
const zPixmap = 2
const allPlanes = 0xffffffff

export interface Screen {
  readonly width: number
  readonly height: number
}

/** Keysyms of every keycode from `first` on, one row for each. */
export interface Keymap {
  readonly first: number
  readonly rows: readonly (readonly number[])[]
}

export class DisplayConnection {
  readonly screen: Screen
  readonly #display: XDisplay
  readonly #xtest: XTest
  readonly #pending = new Set<(reason: Error) => void>()
  #closed = false

  private constructor(display: XDisplay, xtest: XTest) {
    this.#display = display
    this.#xtest = xtest
    const { pixel_width: width, pixel_height: height } = display.screen[0]
    this.screen = { width, height }
  }

  static open(displayNumber: number, clock: Clock): Promise<DisplayConnection> {
    return new Promise((resolve, reject) => {
      let connection: DisplayConnection | undefined
      const fail = (why: Error) => {
        timer.cancel()
        connection?.close()
        stream.destroy()
        reject(gone(why))
      }
      const timer = clock.timer(limits.displayConnectMs, () => fail(new Error('no answer')))
      // A socket of our own: the package would try TCP when the unix socket is not there.
      const stream = connect(`/tmp/.X11-unix/X${displayNumber}`)
      const client = createClient({ stream, shm: false }, (error, display) => {
        if (error) return fail(error)
        client.require('xtest', (missing, xtest) => {
          if (missing) return fail(missing)
          timer.cancel()
          connection = new DisplayConnection(display, xtest)
          resolve(connection)
        })
      })
      client.on('error', fail)
      stream.once('error', fail)
      stream.once('close', () => fail(new Error('the display closed')))
    })
  }

  key(keycode: number, down: boolean): void {
    this.#fake(down ? fake.keyPress : fake.keyRelease, keycode)
  }

  button(button: number, down: boolean): void {
    this.#fake(down ? fake.buttonPress : fake.buttonRelease, button)
  }

  motion(x: number, y: number): void {
    this.#fake(fake.motion, 0, x, y)
  }

  async keymap(): Promise<Keymap> {
    const { min_keycode: first, max_keycode: last, client } = this.#display
    const rows = await this.#ask<number[][]>((reply) => {
      client.GetKeyboardMapping(first, last - first + 1, reply)
    })
    return { first, rows }
  }

  /** What is on the screen: four bytes a pixel, blue, green, red and one to spare. */
  async image(): Promise<Uint8Array> {
    const { width, height } = this.screen
    const { root } = this.#display.screen[0]
    const { data } = await this.#ask<XImage>((reply) => {
      this.#display.client.GetImage(zPixmap, root, 0, 0, width, height, allPlanes, reply)
    })
    return data
  }

  /** Resolves once the server has done everything asked so far. */
  async settle(): Promise<void> {
    await this.#ask((reply) => this.#display.client.GetInputFocus(reply))
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#display.client.terminate()
    for (const reject of this.#pending) reject(gone())
    this.#pending.clear()
  }

  #fake(type: number, detail: number, x = 0, y = 0): void {
    this.#mustBeOpen()
    this.#xtest.FakeInput(type, detail, 0, this.#display.screen[0].root, x, y)
  }

  #ask<T>(send: (reply: Reply<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#mustBeOpen()
      this.#pending.add(reject)
      send((error, value) => {
        this.#pending.delete(reject)
        if (error) reject(gone(error))
        else resolve(value)
        return true
      })
    })
  }

  #mustBeOpen(): void {
    if (this.#closed) throw gone()
  }
}

function gone(cause?: Error): ServiceError {
  return new ServiceError('unavailable', "The session's display does not answer.", {}, cause)
}
