/**
 * The session used by callers who name none. It survives a lost connection, because the browser is
 * in the service and only its id is kept here.
 */
import type { Service } from './service.ts'

export interface Stay {
  readonly session: string
  /** Information for the caller, for example that the session was opened. */
  readonly note?: string
}

export interface Home {
  enter(): Promise<Stay>
  /** Replaces an ended session; absent if the session was not opened by us. */
  replace?(ended: string): Promise<Stay>
}

/** A given session that somebody else created; it is not replaced when it ends. */
export const guestIn = (session: string): Home => ({ enter: async () => ({ session }) })

/** A session of our own, created on first use. */
export class OwnHome implements Home {
  readonly #open: () => Promise<Stay>
  /** Shared by all callers that arrive while it is being created. */
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

  /** The current session; undefined if none was opened. */
  async opened(): Promise<string | undefined> {
    return this.#stay && (await this.#stay).session
  }

  /** Does nothing if the stay has been replaced meanwhile. */
  #forget(stay: Promise<Stay>): void {
    if (this.#stay === stay) this.#stay = undefined
  }
}

/** The session of one process. */
export function homeOfProcess(service: Service, headful: boolean): OwnHome {
  return new OwnHome(async () => {
    const { id } = await service.create({ headful, tags: [] })
    return { session: id, note: `Session ${id} was opened.` }
  })
}

/**
 * The session of all callers with one key, found by its tag after a restart and by other gateways.
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
