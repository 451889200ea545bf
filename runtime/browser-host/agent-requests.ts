/**
 * Requests about one session to the agent of its browser. The first one opens a connection to the
 * agent's data port, which is faster than NATS. Requests use the bus until the connection is open,
 * and if it cannot be opened.
 */
import type { Bus } from '../store/bus.ts'
import type { DataAccess } from './channel/data-url.ts'
import { RequestChannel } from './channel/request-channel.ts'
import type { NodeRequester } from './node-client.ts'

type State = 'unused' | 'used' | 'dialling' | 'connected' | 'over'

export class AgentRequests implements NodeRequester {
  readonly #bus: NodeRequester
  readonly #access: DataAccess
  #state: State = 'unused'
  #channel: RequestChannel | undefined
  #overBus = 0

  constructor(bus: Pick<Bus, 'request' | 'messageBytes'>, access: DataAccess) {
    this.#bus = bus
    this.#access = access
  }

  get messageBytes(): number {
    return this.#bus.messageBytes
  }

  request(subject: string, message: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    // A request must not overtake one that is still in progress over the bus.
    if (this.#channel && this.#overBus === 0) {
      return this.#channel.request(subject, message, timeoutMs)
    }
    if (this.#state === 'unused') this.#state = 'used'
    else if (this.#state === 'used') void this.#dial()
    this.#overBus++
    return this.#bus.request(subject, message, timeoutMs).finally(() => this.#overBus--)
  }

  /** Closes the connection; later requests use the bus. */
  close(): void {
    this.#state = 'over'
    this.#channel?.close()
    this.#channel = undefined
  }

  async #dial(): Promise<void> {
    this.#state = 'dialling'
    const { messageBytes } = this
    const onLost = () => {
      this.#channel = undefined
      if (this.#state === 'connected') this.#state = 'used'
    }
    try {
      const channel = await RequestChannel.dial(this.#access, { messageBytes, onLost })
      if (this.#isOver()) return channel.close()
      this.#channel = channel
      this.#state = 'connected'
    } catch {
      // The port cannot be reached from here, or the session has just ended: use the bus.
      this.#state = 'over'
    }
  }

  /** A method, because the compiler does not see that `close` may be called meanwhile. */
  #isOver(): boolean {
    return this.#state === 'over'
  }
}
