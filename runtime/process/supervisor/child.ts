/**
 * One process that is kept running: restarted when it ends, with growing delays while it keeps
 * failing. If it has never been up, it is not restarted after a few attempts, because then the
 * machine or the settings need a person's attention.
 */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Incarnation } from '../../../proto/ids.ts'
import { limits } from '../../../proto/limits.ts'
import { backoffMs, settleWithin, type Clock, type Timer } from '../../lib/clock.ts'
import { exitCodes } from '../exit-codes.ts'
import { killGroup, type GuardedProcess, type ProcessExit } from '../guard.ts'
import { Heartbeat, isHeartbeat } from './heartbeat.ts'
import { StderrTail } from './stderr-tail.ts'
import { processLimits } from '../limits.ts'

/** The message of a role to its supervisor when it is ready. */
export interface ReadyMessage {
  readonly type: 'ready'
  readonly incarnation: Incarnation
  readonly info: Readonly<Record<string, unknown>>
}

export interface ChildEnd {
  readonly exit: ProcessExit
  /** The reason, as far as the process reported one. */
  readonly reason: string
  /** Delay until the restart; undefined if it is not restarted. */
  readonly waitMs: number | undefined
}

export interface ChildSpec {
  readonly name: string
  readonly start: () => GuardedProcess
  readonly onLine: (line: string) => void
  readonly onReady?: (message: ReadyMessage, process: GuardedProcess) => void
  /** Called at once when it ends unexpectedly, before its last output has been read. */
  readonly onDeath?: (incarnation: Incarnation) => void
  readonly onEnd: (end: ChildEnd) => void
  /** Ends a child that is ready and has not answered for so long, so that it is restarted. */
  readonly hungAfterMs?: number
}

export class StartFailed extends Error {
  constructor(name: string, reason: string) {
    super(`${name} does not start: ${reason}`)
    this.name = 'StartFailed'
  }
}

export class SupervisedChild {
  readonly name: string
  /** Resolves when it is up for the first time; rejects with {@link StartFailed}. */
  readonly up: Promise<void>
  readonly #spec: ChildSpec
  readonly #clock: Clock
  #cameUp!: () => void
  #gaveUp!: (error: StartFailed) => void
  #process: GuardedProcess | undefined
  #incarnation: Incarnation | undefined
  #startedAtMs = 0
  #heartbeat: Heartbeat | undefined
  /** Set if it was ended because it did not answer. */
  #isHung = false
  #failures = 0
  #everUp = false
  #retired = false
  #timer: Timer | undefined

  constructor(spec: ChildSpec, clock: Clock) {
    this.name = spec.name
    this.#spec = spec
    this.#clock = clock
    this.up = new Promise((resolve, reject) => {
      this.#cameUp = resolve
      this.#gaveUp = reject
    })
    // Callers that wait for it get the error; it must not be unhandled if none does.
    this.up.catch(() => {})
  }

  get pid(): number | undefined {
    return this.#process?.child.pid
  }

  start(): void {
    this.#startedAtMs = this.#clock.monotonic()
    this.#incarnation = undefined
    const process = this.#spec.start()
    this.#process = process
    const { child, exited } = process
    const words = new StderrTail()
    const spoken = [child.stdout, child.stderr].map((stream) => this.#listen(stream, words))
    this.#isHung = false
    child.on('message', (message) => {
      if (isReady(message)) this.#ready(message, process)
      else if (isHeartbeat(message)) this.#heartbeat?.answered()
    })
    void exited.then((exit) => this.#ended(exit, words, Promise.all(spoken)))
  }

  /** For a child that does not report readiness itself: called once it has answered a request. */
  confirm(): void {
    this.#everUp = true
    this.#cameUp()
  }

  /** From now on it is not restarted. */
  retire(): void {
    this.#retired = true
    this.#timer?.cancel()
  }

  /** Asks it to end, and kills it after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.retire()
    const process = this.#process
    if (!process) return
    process.child.kill('SIGTERM')
    const late = this.#clock.timer(graceMs, () => this.kill())
    await process.exited
    late.cancel()
  }

  kill(): void {
    this.retire()
    if (this.#process?.group) killGroup(this.#process.group)
  }

  #listen(stream: Readable | null, words: StderrTail): Promise<void> {
    if (!stream) return Promise.resolve()
    const lines = createInterface({ input: stream, crlfDelay: Infinity })
    lines.on('line', (line) => {
      words.add(line)
      this.#spec.onLine(line)
    })
    return new Promise((resolve) => lines.once('close', resolve))
  }

  #ready(message: ReadyMessage, process: GuardedProcess): void {
    this.#incarnation = message.incarnation
    this.#watch(process)
    this.#spec.onReady?.(message, process)
    this.confirm()
  }

  #watch({ child, group }: GuardedProcess): void {
    const { hungAfterMs } = this.#spec
    if (hungAfterMs === undefined || !group) return
    this.#heartbeat = new Heartbeat({
      child,
      clock: this.#clock,
      missesMax: Math.ceil(hungAfterMs / processLimits.heartbeatMs),
      onHung: () => {
        this.#isHung = true
        killGroup(group)
      },
    })
  }

  async #ended(exit: ProcessExit, words: StderrTail, spoken: Promise<unknown>): Promise<void> {
    this.#process = undefined
    this.#heartbeat?.stop()
    const inOrder = exit.code === exitCodes.ok
    if (this.#incarnation && !inOrder) this.#spec.onDeath?.(this.#incarnation)
    const ranMs = this.#clock.monotonic() - this.#startedAtMs
    this.#failures = ranMs >= processLimits.roleStableMs ? 1 : this.#failures + 1
    await settleWithin(this.#clock, limits.stderrFlushMs, spoken)
    // What it said last is not why it was killed.
    const isStruck = exit.signal === 'SIGKILL' || exit.signal === 'SIGTERM'
    const said = inOrder || isStruck ? '' : (exit.error?.message ?? words.text)
    const reason = this.#isHung ? hungReason(this.#spec) : said || howItEnded(exit)
    const waitMs = this.#waitMs(exit)
    this.#spec.onEnd({ exit, reason, waitMs })
    if (waitMs !== undefined) this.#timer = this.#clock.timer(waitMs, () => this.start())
    else if (!this.#everUp) this.#gaveUp(new StartFailed(this.name, reason))
  }

  #waitMs(exit: ProcessExit): number | undefined {
    if (this.#retired) return undefined
    if (!this.#everUp && this.#failures >= processLimits.firstStartAttempts) return undefined
    const isFenced = exit.code === exitCodes.fenced
    if (this.#failures === 1 && (this.#everUp || isFenced)) return 0
    return backoffMs(this.#failures, processLimits.roleBackoffMs, processLimits.roleBackoffMaxMs)
  }
}

function isReady(message: unknown): message is ReadyMessage {
  return (message as Partial<ReadyMessage> | null)?.type === 'ready'
}

const hungReason = ({ hungAfterMs = 0 }: ChildSpec): string =>
  `it did not answer for ${hungAfterMs / 1_000} s and was ended`

function howItEnded({ code, signal }: ProcessExit): string {
  return signal === null ? `exit code ${code}` : `killed by ${signal}`
}
