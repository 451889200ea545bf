/** Downloads that begin during an action: the page often stays as it is, so the answer tells of them. */
import { settleWithin, type Clock } from '../../../runtime/lib/clock.ts'

interface Begun {
  readonly id: string
  readonly name: string
}

export interface DownloadEvents {
  onBegin(listener: (begun: Begun) => void): () => void
}

export class BegunDownloads {
  readonly #clock: Clock
  readonly #begun: Begun[] = []
  readonly #first: Promise<void>
  readonly stop: () => void

  constructor(events: DownloadEvents, clock: Clock) {
    this.#clock = clock
    let onFirst = () => {}
    this.#first = new Promise((resolve) => (onFirst = resolve))
    this.stop = events.onBegin((begun) => {
      this.#begun.push(begun)
      onFirst()
    })
  }

  /** Waits a limited time until one has begun. */
  first(withinMs: number): Promise<void> {
    return settleWithin(this.#clock, withinMs, this.#first)
  }

  /** The note of an answer, with that of the action itself. */
  noteBeside(note: string | undefined): { readonly note?: string } {
    const told = this.#begun.map(({ id, name }) => `A download began: ${name} (${id}).`)
    const notes = [...(note === undefined ? [] : [note]), ...told]
    return notes.length === 0 ? {} : { note: notes.join(' ') }
  }
}
