/** Announcements with a count of their listeners. */
import type { Announcements } from '../../runtime/bus.ts'

export class CountingBus implements Announcements {
  listening = 0
  readonly #bus: Announcements

  constructor(bus: Announcements) {
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
