/** A client of `/ws`: sends it the records of the tasks it follows, as text frames. */
import type { Logger } from 'pino'
import type { TaskRecord } from '../../../proto/task/task.ts'
import { ClientSocket } from '../../sessions/sockets/client-socket.ts'
import { socketCodes, type Closing } from '../../server/closing.ts'
import type { TailReader, TaskTail } from './tail.ts'
import { gatewayLimits } from '../../limits.ts'
import { taskFeedLimits } from '../limits.ts'

const cutOff: Closing = {
  code: socketCodes.overloaded,
  reason: 'slow: the client cannot keep up; connect again with since=<n>.',
}

export interface RecordSocketOptions {
  readonly log: Logger
  readonly nowMs: number
  /** Called when one of its tasks is over. */
  readonly onOver: (socket: RecordSocket, last: TaskRecord | undefined) => void
  /** Called exactly once, however the socket was closed. */
  readonly onClosed: (socket: RecordSocket) => void
}

export class RecordSocket extends ClientSocket implements TailReader {
  /** The wall-clock ms at which the socket was created. */
  readonly sinceMs: number
  readonly #options: RecordSocketOptions
  readonly #tails = new Map<string, TaskTail>()
  /** The ids of all tasks that it has ever followed. */
  readonly #started = new Set<string>()
  /** Records that arrived before the socket opened. */
  #early: TaskRecord[] = []
  #waiting: (() => void)[] = []
  #closing: Closing | undefined
  #isCut = false
  #ticksSinceCut = 0

  constructor(options: RecordSocketOptions) {
    super()
    this.#options = options
    this.sinceMs = options.nowMs
  }

  /** Returns false if the socket follows that task, or has followed it. */
  begin(taskId: string): boolean {
    if (this.#started.has(taskId)) return false
    this.#started.add(taskId)
    return true
  }

  follow(tail: TaskTail): void {
    if (this.isClosed) tail.leave()
    else if (!tail.isOver) this.#tails.set(tail.taskId, tail)
  }

  tailOf(taskId: string): TaskTail | undefined {
    return this.#tails.get(taskId)
  }

  protected override onOpened(): void {
    for (const record of this.#early.splice(0)) this.tell(record)
    this.#wake()
  }

  /** Clients have nothing to send here, so a message only shows that the client is alive. */
  override message(data: Uint8Array): void {
    this.alive()
    if (data.byteLength > gatewayLimits.feedMessageBytes) {
      this.#leave({ code: socketCodes.tooBig, reason: 'The message is too large.' })
    }
  }

  override drained(): void {
    this.alive()
    if (this.#isCut && this.socket?.bufferedBytes === 0) this.#leave(cutOff)
    else this.#wake()
  }

  protected override onClosed(): void {
    this.#dropTails()
    this.#wake()
    this.#options.onClosed(this)
  }

  override tick(elapsedMs: number): void {
    super.tick(elapsedMs)
    if (this.#isCut && ++this.#ticksSinceCut > 1) this.#leave(cutOff)
  }

  tell(record: TaskRecord): void {
    const { socket } = this
    if (this.#isCut) return
    if (!socket) return void this.#early.push(record)
    if (socket.bufferedBytes > taskFeedLimits.feedBufferedBytes) return this.#cutOff()
    socket.send(Buffer.from(JSON.stringify(record)), false)
  }

  async whenWritable(): Promise<void> {
    while (!this.isClosed && !this.#hasRoom()) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  over(tail: TaskTail, last: TaskRecord | undefined): void {
    this.#tails.delete(tail.taskId)
    this.#options.onOver(this, last)
    if (this.#closing && this.#tails.size === 0) this.#leave(this.#closing)
  }

  failed(error: unknown): void {
    this.#options.log.warn({ err: error }, 'the steps of a task cannot be read')
    const reason = 'The steps cannot be read at the moment; connect again with since=<n>.'
    this.#leave({ code: socketCodes.failed, reason })
  }

  /** Closes after the tasks it follows have delivered their last records. */
  override end(code: number, reason: string): void {
    this.#closing ??= { code, reason }
    if (this.#tails.size === 0) return this.#leave(this.#closing)
    for (const tail of this.#tails.values()) tail.expectEnd()
  }

  /**
   * Stops sending to a slow client, and closes the socket once the client has read what was sent:
   * after `end` the server library waits a few seconds at most, so the close frame might be lost.
   */
  #cutOff(): void {
    this.#isCut = true
    this.#dropTails()
  }

  #dropTails(): void {
    for (const tail of this.#tails.values()) tail.leave()
    this.#tails.clear()
  }

  #leave({ code, reason }: Closing): void {
    super.end(code, reason)
  }

  #hasRoom(): boolean {
    const { socket } = this
    return socket !== undefined && socket.bufferedBytes <= taskFeedLimits.feedBufferedBytes / 2
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
