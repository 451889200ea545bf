/**
 * What a viewer without the right to move anything may say to a VNC server. The client's half of
 * the RFB protocol is read as it streams by: requests for the picture pass, one whole message at a
 * time, and whatever would move, type, paste or resize is left out. What is not known is refused,
 * because nobody could tell where it ends.
 */
import { limits } from '../../proto/limits.ts'

/** Says why the viewer is to be cut off, in words that fit into a close frame. */
export class RfbRefused extends Error {}

/** Of one message: how many bytes it has in all, and whether it may pass. */
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

/** Needs `headBytes` to be read before it can tell. */
const measured = (headBytes: number, measure: (head: Buffer) => Verdict): Reader => {
  return (start) => (start.length < headBytes ? undefined : measure(start))
}

/** By the first byte of a message; undefined from a reader asks for more of it. */
const messages: ReadonlyMap<number, Reader> = new Map([
  [0, pass(20)], // SetPixelFormat
  [2, measured(4, setEncodings)],
  [3, pass(10)], // FramebufferUpdateRequest
  [4, leaveOut(8)], // KeyEvent
  // The eighth bit marks the longer form, which has two more buttons.
  [5, measured(2, (head) => ({ bytes: head[1]! & 0x80 ? 7 : 6, passes: false }))], // PointerEvent
  [6, measured(8, clientCutText)],
  [150, pass(10)], // EnableContinuousUpdates
  [248, measured(9, clientFence)],
  [250, leaveOut(4)], // xvp: shut down, restart
  [251, measured(8, (head) => ({ bytes: 8 + 16 * head[6]!, passes: false }))], // SetDesktopSize
  [253, measured(4, gii)],
  [255, measured(2, qemu)],
])

function setEncodings(head: Buffer): Verdict {
  const count = head.readUInt16BE(2)
  if (count > limits.rfbEncodings) throw new RfbRefused('Too many encodings are asked for.')
  return { bytes: 4 + 4 * count, passes: true }
}

/** A negative length is the extended form's, which has as many bytes as it is below zero. */
function clientCutText(head: Buffer): Verdict {
  const bytes = Math.abs(head.readInt32BE(4))
  if (bytes > limits.rfbCutTextBytes) throw new RfbRefused('The clipboard is too large.')
  return { bytes: 8 + bytes, passes: false }
}

function clientFence(head: Buffer): Verdict {
  const bytes = head[8]!
  if (bytes > 64) throw new RfbRefused('A fence has 64 bytes at most.')
  return { bytes: 9 + bytes, passes: true }
}

/** Pointers of another kind; the byte order is a bit of the kind. */
function gii(head: Buffer): Verdict {
  const isBigEndian = (head[1]! & 0x80) !== 0
  const bytes = isBigEndian ? head.readUInt16BE(2) : head.readUInt16LE(2)
  return { bytes: 4 + bytes, passes: false }
}

function qemu(head: Buffer): Verdict {
  if (head[1] !== 0) throw new RfbRefused('Of the QEMU messages only keys are known.')
  return { bytes: 12, passes: false }
}

/** What precedes the messages, each of one size: version, kind of security, whether to share. */
const prelude: readonly ((start: Buffer) => Buffer | undefined)[] = [
  (start) => {
    if (start.length < 12) return undefined
    const version = start.subarray(0, 12)
    // Before 3.7 the client's half has no kind of security in it.
    if (/^RFB 003\.00[78]\n$/.test(version.toString('latin1'))) return version
    throw new RfbRefused('Only RFB 3.7 and 3.8 are spoken here.')
  },
  (start) => {
    if (start[0] === 1) return start.subarray(0, 1)
    throw new RfbRefused('There is no security to choose but None.')
  },
  // A viewer that would not share would shut the others out.
  () => Buffer.from([1]),
]

/** A message that is left out and no longer than this is told of whole. */
const toldBytes = 12

export class RfbFilter {
  readonly #leftOut: (message: Buffer) => void
  /** The start of something that is not whole yet; never longer than what may pass. */
  #rest = Buffer.alloc(0)
  /** Still to come of a message that is left out. */
  #skipBytes = 0
  #preludeStep = 0

  /** `leftOut` is told of keys, pointers and whatever else is short and does not pass. */
  constructor(leftOut: (message: Buffer) => void = () => {}) {
    this.#leftOut = leftOut
  }

  /** What of it may go to the server, maybe nothing. Throws {@link RfbRefused}. */
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

  /** How far it has read; undefined when it needs more to go on. */
  #next(start: Buffer, passed: Buffer[]): number | undefined {
    if (this.#skipBytes > 0) return this.#skip(start)
    if (this.#preludeStep < prelude.length) return this.#beforeMessages(start, passed)
    const reader = messages.get(start[0]!)
    if (!reader) throw new RfbRefused(`Messages of type ${start[0]} are not known here.`)
    const verdict = reader(start)
    if (!verdict) return undefined
    const { bytes, passes } = verdict
    if (!passes && bytes > toldBytes) {
      this.#skipBytes = bytes
      return this.#skip(start)
    }
    if (start.length < bytes) return undefined
    const message = start.subarray(0, bytes)
    if (passes) passed.push(message)
    else this.#leftOut(message)
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
