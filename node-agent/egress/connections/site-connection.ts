/**
 * A connection to a site, and the bytes that it passes on. What the site sends is read into buffers
 * that are used again: with those of Node's streams, which are smaller and used once, a large answer
 * takes half as much processor time again.
 */
import { connect, type Socket } from 'node:net'
import { contained } from '../../../runtime/lib/network/contained.ts'
import type { ResolvedAddress } from '../../../runtime/lib/network/system-names.ts'
import { egressLimits } from '../limits.ts'
import { ReadBuffers } from './read-buffers.ts'

type LookupCallback = (
  error: Error | null,
  address: string | ResolvedAddress[],
  family?: number,
) => void

/**
 * A lookup function that returns the addresses resolved before. Not in the same tick: a connection
 * that fails at once, for lack of IPv6 or of descriptors, would fail before its errors are listened
 * for.
 */
export const pinnedTo =
  (addresses: readonly ResolvedAddress[]) =>
  (_host: string, options: { readonly all?: boolean }, done: LookupCallback): void => {
    setImmediate(() => {
      if (options.all) done(null, [...addresses])
      else done(null, addresses[0]!.address, addresses[0]!.family)
    })
  }

const buffers = new ReadBuffers()

export class SiteConnection {
  readonly #socket: Socket
  /** What is read before there is anyone to pass it to. */
  readonly #early: [buffer: Buffer, count: number][] = []
  #browser: Socket | undefined
  /** The buffer that the next bytes are read into. */
  #buffer = buffers.take()

  private constructor(addresses: readonly ResolvedAddress[], port: number) {
    const onread = {
      buffer: () => this.#buffer,
      callback: (count: number) => {
        const buffer = this.#buffer
        this.#buffer = buffers.take()
        this.#pass(buffer, count)
        return true
      },
    }
    const to = { host: 'checked', port, lookup: pinnedTo(addresses) as never }
    const how = { noDelay: true, allowHalfOpen: true, highWaterMark: egressLimits.waitingBytes }
    this.#socket = contained(connect({ ...to, ...how, onread }))
    this.#socket.once('close', () => buffers.give(this.#buffer))
  }

  /** Resolves when it is open. Ends with the signal until then. */
  static async open(
    addresses: readonly ResolvedAddress[],
    port: number,
    signal: AbortSignal,
  ): Promise<SiteConnection> {
    signal.throwIfAborted()
    const site = new SiteConnection(addresses, port)
    const socket = site.#socket
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject).once('connect', () => resolve())
      socket.once('close', () => reject(signal.reason ?? new Error('closed before it was open')))
    })
    return site
  }

  /** From now on, bytes pass in both directions, and the end of each. */
  passTo(browser: Socket): void {
    const site = this.#socket
    this.#browser = browser
    for (const [buffer, count] of this.#early) this.#pass(buffer, count)
    site.setTimeout(egressLimits.idleConnectionMs, () => site.destroy())
    browser.on('drain', () => site.resume())
    site.once('end', () => browser.end())
    // What it has sent before its end is passed on.
    site.once('close', () => site.readableEnded || browser.destroy())
    browser.pipe(site)
  }

  #pass(buffer: Buffer, count: number): void {
    const browser = this.#browser
    if (!browser) return void this.#early.push([buffer, count])
    const hasRoom = browser.write(buffer.subarray(0, count), () => buffers.give(buffer))
    const most = buffers.isCrowded ? 0 : 2 * egressLimits.readBytes
    // Its end is announced by `drain`.
    if (!hasRoom && browser.writableLength > most) this.#socket.pause()
  }
}
