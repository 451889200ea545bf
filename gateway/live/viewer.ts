/** One viewer's socket: its picture, and the talk beside it. */
import { limits } from '../../proto/limits.ts'
import type { Clock } from '../../runtime/clock.ts'
import { ClientEnd } from '../client-end.ts'
import type { ServerSocket, SocketHandler } from '../http.ts'
import { iso } from '../iso-time.ts'
import type { LiveGrant, LiveMode } from '../live-token.ts'
import type { StandingSocket } from '../standing-sockets.ts'
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

const policyViolation = 1008
const tooBig = 1009
const overloaded = 1013

export class Viewer implements SocketHandler, StandingSocket, Eyes {
  readonly #options: ViewerOptions
  readonly #client: ClientEnd
  #expiresAtMs: number
  #picture: Picture | undefined
  /** The question it was last told of. */
  #asked: string | undefined

  constructor(options: ViewerOptions) {
    this.#options = options
    this.#expiresAtMs = options.grant.expiresAtMs
    this.#client = new ClientEnd(() => {
      this.#picture?.close()
      this.#picture = undefined
      options.onClosed(this)
    })
  }

  get mode(): LiveMode {
    return this.#options.grant.mode
  }

  /** What it looks at; known before its socket opens. */
  behold(picture: Picture): void {
    if (this.#client.isClosed) picture.close()
    else this.#picture = picture
  }

  opened(socket: ServerSocket): void {
    if (!this.#client.opened(socket)) return
    this.tell({ type: 'hello', picture: this.#options.picture, mode: this.mode })
    this.#keepRight()
    this.#options.onOpened()
    this.#picture?.start()
  }

  message(data: Uint8Array, isBinary: boolean): void {
    this.#client.alive()
    const limit = isBinary ? limits.liveBinaryBytes : limits.liveTextBytes
    if (data.byteLength > limit) return this.end(tooBig, 'A message of that size is not for here.')
    if (isBinary) return this.#picture?.bytes(data)
    const message = readMessage(data)
    if (!message) return this.end(policyViolation, 'That is no message of a live view.')
    this.#heed(message)
  }

  drained(): void {
    this.#client.alive()
    this.#picture?.drained()
  }

  alive(): void {
    this.#client.alive()
  }

  show(data: Uint8Array): void {
    if (this.#client.socket?.send(data, true) === false) {
      this.end(overloaded, 'The viewer does not keep up with what it is shown.')
    }
  }

  /** Once for each change. */
  ask(question: OpenQuestion | null): void {
    if (this.#asked === question?.id) return
    this.#asked = question?.id
    this.tell({ type: 'question', question })
  }

  tell(message: ToViewer): void {
    this.#client.socket?.send(Buffer.from(JSON.stringify(message)), false)
  }

  get bufferedBytes(): number {
    return this.#client.socket?.bufferedBytes ?? 0
  }

  lost(): void {
    this.#picture = undefined
    if (!this.#client.isClosed) this.#options.onLost(this)
  }

  closed(): void {
    this.#client.closed()
  }

  end(code: number, reason: string): void {
    this.#client.end(code, reason)
  }

  tick(elapsedMs: number): void {
    this.#client.tick(elapsedMs)
    this.#keepRight()
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
