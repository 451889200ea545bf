/** Announcements with a count of their listeners. */
import type { MessageSubscriber } from '../../../runtime/store/bus.ts'

export class CountingBus implements MessageSubscriber {
  listening = 0
  readonly #bus: MessageSubscriber

  constructor(bus: MessageSubscriber) {
    this.#bus = bus
  }

  subscribe(subject: string, onMessage: () => void) {
    this.listening++
    const { stop } = this.#bus.subscribe(subject, onMessage)
    return {
      stop: () => {
        this.listening--
        stop()
      },
    }
  }
}
