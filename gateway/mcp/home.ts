/**
 * Where callers are who name no session. Losing the connection does not lose the browser: it lives
 * in the service, and what is kept here is its id alone.
 */
import type { Service } from './service.ts'

export interface Stay {
  readonly session: string
  /** What the caller should be told of it. */
  readonly note?: string
}

export interface Home {
  enter(): Promise<Stay>
  /** Another session in place of one that has ended, where it was ours to begin with. */
  replace?(ended: string): Promise<Stay>
}

/** A session that somebody else made: gone is gone. */
export const guestIn = (session: string): Home => ({ enter: async () => ({ session }) })

/** A session of our own, opened on first use. */
export class OwnHome implements Home {
  readonly #open: () => Promise<Stay>
  /** Those who come while it opens wait for the same one. */
  #stay: Promise<Stay> | undefined

  constructor(open: () => Promise<Stay>) {
    this.#open = open
  }

  async enter(): Promise<Stay> {
    if (this.#stay) return { session: (await this.#stay).session }
    const opening = this.#open()
    this.#stay = opening
    try {
      return await opening
    } catch (error) {
      this.#forget(opening)
      throw error
    }
  }

  async replace(ended: string): Promise<Stay> {
    const seen = this.#stay
    if (seen && (await seen).session === ended) this.#forget(seen)
    return this.enter()
  }

  /** The session there is, if any was opened. */
  async opened(): Promise<string | undefined> {
    return this.#stay && (await this.#stay).session
  }

  /** Unless another has taken its place meanwhile. */
  #forget(stay: Promise<Stay>): void {
    if (this.#stay === stay) this.#stay = undefined
  }
}

/** The home of one process. */
export function homeOfProcess(service: Service, headful: boolean): OwnHome {
  return new OwnHome(async () => {
    const { id } = await service.create({ headful, tags: [] })
    return { session: id, note: `Session ${id} was opened.` }
  })
}

/**
 * The home of everybody with one key: found again by its tag after a restart, and by other gateways.
 */
export function homeOfKey(service: Service, keyId: string): OwnHome {
  const tag = `mcp-home:${keyId}`
  return new OwnHome(async () => {
    const [there] = await service.running([tag])
    if (there) return { session: there.id }
    const { id } = await service.create({ headful: false, tags: [tag] })
    return { session: id, note: `Session ${id} was opened.` }
  })
}
