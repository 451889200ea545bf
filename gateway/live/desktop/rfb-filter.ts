/**
 * Filters what a view-only viewer sends to a VNC server. The client's half of the RFB protocol is
 * parsed as a stream: requests for the picture pass, one whole message at a time, and messages for
 * keys, pointer, cut text and resizing are dropped. Unknown messages end the connection, because
 * their length is not known.
 */
import { liveLimits } from '../limits.ts'

/** Its message is the close reason of the viewer's socket. */
export class RfbRefused extends Error {}

/** The total length of a message, and whether it may pass. */
interface Verdict {
  readonly bytes: number
  readonly passes: boolean
}

type Reader = (start: Buffer) => Verdict | undefined

const pass = (bytes: number): Reader => {
  return () => ({ bytes, passes: true })
}
const leaveOut = (bytes: number): Reader => {
  return () => ({ bytes, passes: false })
}

/** For messages whose length is found in their first `headBytes` bytes. */
const lengthReader = (headBytes: number, measure: (head: Buffer) => Verdict): Reader => {
  return (start) => (start.length < headBytes ? undefined : measure(start))
}

/** By a message's first byte, its type. A reader returns undefined if it needs more bytes. */
const messages: ReadonlyMap<number, Reader> = new Map([
  [0, pass(20)], // SetPixelFormat
  [2, lengthReader(4, setEncodings)],
  [3, pass(10)], // FramebufferUpdateRequest
  [4, leaveOut(8)], // KeyEvent
  // Bit 7 marks the extended form, which has two more buttons.
  [5, lengthReader(2, (head) => ({ bytes: head[1]! & 0x80 ? 7 : 6, passes: false }))], // PointerEvent
  [6, lengthReader(8, clientCutText)],
  [150, pass(10)], // EnableContinuousUpdates
  [248, lengthReader(9, clientFence)],
  [250, leaveOut(4)], // xvp: shut down, restart
  [251, lengthReader(8, (head) => ({ bytes: 8 + 16 * head[6]!, passes: false }))], // SetDesktopSize
  [253, lengthReader(4, gii)],
  [255, lengthReader(2, qemu)],
])

function setEncodings(head: Buffer): Verdict {
  const count = head.readUInt16BE(2)
  if (count > liveLimits.rfbEncodings) throw new RfbRefused('Too many encodings were requested.')
  return { bytes: 4 + 4 * count, passes: true }
}

/** A negative length marks the extended form; its absolute value is the length. */
function clientCutText(head: Buffer): Verdict {
  const bytes = Math.abs(head.readInt32BE(4))
  if (bytes > liveLimits.rfbCutTextBytes) throw new RfbRefused('The clipboard text is too large.')
  return { bytes: 8 + bytes, passes: false }
}

function clientFence(head: Buffer): Verdict {
  const bytes = head[8]!
  if (bytes > 64) throw new RfbRefused('A fence can have at most 64 bytes.')
  return { bytes: 9 + bytes, passes: true }
}

/** A generalised pointer message (GII); a bit of its second byte gives the byte order. */
function gii(head: Buffer): Verdict {
  const isBigEndian = (head[1]! & 0x80) !== 0
  const bytes = isBigEndian ? head.readUInt16BE(2) : head.readUInt16LE(2)
  return { bytes: 4 + bytes, passes: false }
}

function qemu(head: Buffer): Verdict {
  if (head[1] !== 0) throw new RfbRefused('The only QEMU messages supported are key events.')
  return { bytes: 12, passes: false }
}

/** The parts of the handshake, each of fixed size: version, security type, shared flag. */
const prelude: readonly ((start: Buffer) => Buffer | undefined)[] = [
  (start) => {
    if (start.length < 12) return undefined
    const version = start.subarray(0, 12)
    // Before 3.7 the client sends no security type.
    if (/^RFB 003\.00[78]\n$/.test(version.toString('latin1'))) return version
    throw new RfbRefused('Only RFB 3.7 and 3.8 are supported.')
  },
  (start) => {
    if (start[0] === 1) return start.subarray(0, 1)
    throw new RfbRefused('The only security type is None.')
  },
  // Always shared: an exclusive viewer would disconnect the others.
  () => Buffer.from([1]),
]

/** Dropped messages up to this length are passed to `onDropped`. */
const reportedBytes = 12

export class RfbFilter {
  readonly #onDropped: (message: Buffer) => void
  /**
   * The start of an incomplete message or part; at most as long as the longest one that may pass.
   */
  #rest = Buffer.alloc(0)
  /** Remaining bytes of a message that is being dropped. */
  #skipBytes = 0
  #preludeStep = 0

  /**
   * `onDropped` is called with dropped messages of up to `reportedBytes`: keys, pointers and
   * others.
   */
  constructor(onDropped: (message: Buffer) => void = () => {}) {
    this.#onDropped = onDropped
  }

  /** Returns the bytes that may go to the server, possibly none. Throws {@link RfbRefused}. */
  pass(data: Uint8Array): Buffer {
    let rest = Buffer.concat([this.#rest, data])
    const passed: Buffer[] = []
    while (rest.length > 0) {
      const bytes = this.#next(rest, passed)
      if (bytes === undefined) break
      rest = rest.subarray(bytes)
    }
    this.#rest = rest
    return Buffer.concat(passed)
  }

  /** Returns the number of bytes consumed; undefined if more bytes are needed. */
  #next(start: Buffer, passed: Buffer[]): number | undefined {
    if (this.#skipBytes > 0) return this.#skip(start)
    if (this.#preludeStep < prelude.length) return this.#beforeMessages(start, passed)
    const reader = messages.get(start[0]!)
    if (!reader) throw new RfbRefused(`Messages of type ${start[0]} are not supported.`)
    const verdict = reader(start)
    if (!verdict) return undefined
    const { bytes, passes } = verdict
    if (!passes && bytes > reportedBytes) {
      this.#skipBytes = bytes
      return this.#skip(start)
    }
    if (start.length < bytes) return undefined
    const message = start.subarray(0, bytes)
    if (passes) passed.push(message)
    else this.#onDropped(message)
    return bytes
  }

  #skip(start: Buffer): number {
    const bytes = Math.min(this.#skipBytes, start.length)
    this.#skipBytes -= bytes
    return bytes
  }

  #beforeMessages(start: Buffer, passed: Buffer[]): number | undefined {
    const part = prelude[this.#preludeStep]!(start)
    if (!part) return undefined
    passed.push(part)
    this.#preludeStep++
    return part.length
  }
}
