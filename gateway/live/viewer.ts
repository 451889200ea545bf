/** One viewer's socket: its picture, and the talk beside it. */
import { limits } from '../../proto/limits.ts'
import type { Clock } from '../../runtime/clock.ts'
import { ClientSocket } from '../server/client-socket.ts'
import { socketCodes } from '../server/closing.ts'
import { iso } from '../iso-time.ts'
import type { LiveGrant, LiveMode } from '../live-token.ts'
import type { Desk } from './desk.ts'
import type { LiveToken } from './links.ts'
import { readMessage, type FromViewer, type OpenQuestion, type ToViewer } from './messages.ts'
import type { Eyes, Picture } from './picture.ts'

export interface ViewerOptions {
  readonly picture: 'desktop' | 'page'
  readonly grant: LiveGrant
  readonly desk: Desk
  readonly clock: Clock
  readonly renew: (mode: LiveMode) => LiveToken
  readonly onOpened: () => void
  /** The picture is gone: find out why and `end`. */
  readonly onLost: (viewer: Viewer) => void
  /** Told once, whatever happened. */
  readonly onClosed: (viewer: Viewer) => void
}

export class Viewer extends ClientSocket implements Eyes {
  readonly #options: ViewerOptions
  #expiresAtMs: number
  #picture: Picture | undefined
  /** The question it was last told of. */
  #asked: string | undefined

  constructor(options: ViewerOptions) {
    super()
    this.#options = options
    this.#expiresAtMs = options.grant.expiresAtMs
  }

  get mode(): LiveMode {
    return this.#options.grant.mode
  }

  /** What it looks at; known before its socket opens. */
  behold(picture: Picture): void {
    if (this.isClosed) picture.close()
    else this.#picture = picture
  }

  protected override onOpened(): void {
    this.tell({ type: 'hello', picture: this.#options.picture, mode: this.mode })
    this.#keepRight()
    this.#options.onOpened()
    this.#picture?.start()
  }

  override message(data: Uint8Array, isBinary: boolean): void {
    this.alive()
    const limit = isBinary ? limits.liveBinaryBytes : limits.liveTextBytes
    if (data.byteLength > limit) {
      return this.end(socketCodes.tooBig, 'A message of that size is not for here.')
    }
    if (isBinary) return this.#picture?.bytes(data)
    const message = readMessage(data)
    if (!message) {
      return this.end(socketCodes.policyViolation, 'That is no message of a live view.')
    }
    this.#heed(message)
  }

  override drained(): void {
    this.alive()
    this.#picture?.drained()
  }

  show(data: Uint8Array): void {
    if (this.socket?.send(data, true) === false) {
      this.end(socketCodes.overloaded, 'The viewer does not keep up with what it is shown.')
    }
  }

  /** Once for each change. */
  ask(question: OpenQuestion | null): void {
    if (this.#asked === question?.id) return
    this.#asked = question?.id
    this.tell({ type: 'question', question })
  }

  tell(message: ToViewer): void {
    this.socket?.send(Buffer.from(JSON.stringify(message)), false)
  }

  get bufferedBytes(): number {
    return this.socket?.bufferedBytes ?? 0
  }

  lost(): void {
    this.#picture = undefined
    if (!this.isClosed) this.#options.onLost(this)
  }

  override tick(elapsedMs: number): void {
    super.tick(elapsedMs)
    this.#keepRight()
  }

  protected override onClosed(): void {
    this.#picture?.close()
    this.#picture = undefined
    this.#options.onClosed(this)
  }

  /** What only looks, moves nothing: this is where that is decided, not in the page. */
  #heed(message: FromViewer): void {
    if (message.type === 'drawn') return this.#picture?.drawn()
    if ('id' in message) {
      return this.#options.desk.serve(message, this.mode, (answer) => this.tell(answer))
    }
    if (this.mode === 'control') this.#picture?.input(message)
  }

  /** Whoever is there stays; to come back after a network drop takes a token that is good then. */
  #keepRight(): void {
    const { clock, renew } = this.#options
    if (this.#expiresAtMs - clock.now() > limits.liveRenewBeforeMs) return
    const { token, expiresAtMs } = renew(this.mode)
    this.#expiresAtMs = expiresAtMs
    this.tell({ type: 'token', token, expires_at: iso(expiresAtMs) })
  }
}
