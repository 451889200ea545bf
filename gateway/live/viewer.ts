/** One viewer's socket: relays its picture and serves its requests. */
import { ClientSocket } from '../sessions/sockets/client-socket.ts'
import { socketCodes } from '../server/closing.ts'
import type { ClientAct } from '../../runtime/browser-host/cdp-rules/client-acts.ts'
import type { LiveMode } from '../sessions/tokens/live-token.ts'
import type { ViewerRequests } from './viewer-requests.ts'
import {
  readMessage,
  type FromViewer,
  type OpenQuestion,
  type ToViewer,
  type ViewerRight,
} from './messages.ts'
import type { ViewSink, ViewSource } from './view-source.ts'
import { gatewayLimits } from '../limits.ts'
import { liveLimits } from './limits.ts'

export interface ViewerOptions {
  readonly picture: 'desktop' | 'page'
  readonly mode: LiveMode
  readonly rights: readonly ViewerRight[]
  readonly isRecorded: boolean
  /** Wall-clock ms; absent on a link that is valid as long as its session. */
  readonly linkExpiresAtMs: number | undefined
  readonly requests: ViewerRequests
  readonly onOpened: () => void
  readonly onAct: (act: ClientAct) => void
  /** The connection of the picture was lost: the owner finds out why and calls `end`. */
  readonly onLost: (viewer: Viewer) => void
  /** Called exactly once. */
  readonly onClosed: (viewer: Viewer) => void
}

export class Viewer extends ClientSocket implements ViewSink {
  readonly #options: ViewerOptions
  #picture: ViewSource | undefined
  /** The id of the question that was sent last. */
  #asked: string | undefined
  /** The session's deadline that was sent last; null for none. */
  #endsAtMs: number | null | undefined

  constructor(options: ViewerOptions) {
    super()
    this.#options = options
  }

  get mode(): LiveMode {
    return this.#options.mode
  }

  /** Sets the picture, before the viewer's socket opens. */
  attachSource(picture: ViewSource): void {
    if (this.isClosed) picture.close()
    else this.#picture = picture
  }

  protected override onOpened(): void {
    const { picture, rights, isRecorded } = this.#options
    const recorded = isRecorded && { recorded: true as const }
    this.tell({ type: 'hello', picture, mode: this.mode, rights, ...recorded })
    this.#options.onOpened()
    this.#picture?.start()
  }

  override message(data: Uint8Array, isBinary: boolean): void {
    this.alive()
    const limit = isBinary ? liveLimits.liveBinaryBytes : gatewayLimits.liveTextBytes
    if (data.byteLength > limit) {
      return this.end(socketCodes.tooBig, 'The message is too large.')
    }
    if (isBinary) return this.#picture?.bytes(data)
    const message = readMessage(data)
    if (!message) {
      return this.end(socketCodes.policyViolation, 'The message is not valid in a live view.')
    }
    this.#handle(message)
  }

  override drained(): void {
    this.alive()
    this.#picture?.drained()
  }

  show(data: Uint8Array): void {
    if (this.socket?.send(data, true) === false) {
      this.end(socketCodes.overloaded, 'The viewer cannot keep up with the data sent to it.')
    }
  }

  /** Sends the question only if it has changed. */
  ask(question: OpenQuestion | null): void {
    if (this.#asked === question?.id) return
    this.#asked = question?.id
    this.tell({ type: 'question', question })
  }

  /** Sends the time left, only if the session's deadline has changed. */
  sendTimeLeft(endsAtMs: number | null, nowMs: number): void {
    if (this.#endsAtMs === endsAtMs || !this.socket) return
    this.#endsAtMs = endsAtMs
    const { linkExpiresAtMs } = this.#options
    this.tell({
      type: 'time',
      session_ms: endsAtMs === null ? null : Math.max(0, endsAtMs - nowMs),
      link_ms: linkExpiresAtMs === undefined ? null : Math.max(0, linkExpiresAtMs - nowMs),
    })
  }

  tell(message: ToViewer): void {
    this.socket?.send(Buffer.from(JSON.stringify(message)), false)
  }

  get bufferedBytes(): number {
    return this.socket?.bufferedBytes ?? 0
  }

  acted(act: ClientAct): void {
    this.#options.onAct(act)
  }

  lost(): void {
    this.#picture = undefined
    if (!this.isClosed) this.#options.onLost(this)
  }

  protected override onClosed(): void {
    this.#picture?.close()
    this.#picture = undefined
    this.#options.onClosed(this)
  }

  /**
   * Input of view-only viewers is dropped here, because the page in their browser could be
   * modified.
   */
  #handle(message: FromViewer): void {
    if (message.type === 'drawn') return this.#picture?.drawn()
    if ('id' in message) {
      return this.#options.requests.serve(message, this.mode, (answer) => this.tell(answer))
    }
    if (this.mode === 'control') this.#picture?.input(message)
  }
}
