/**
 * The session used by callers who name none. It survives a lost connection, because the browser is
 * in the service and only its id is kept here.
 */
import type { ServiceClient } from '../service.ts'

export interface SessionChoice {
  readonly session: string
  /** Information for the caller, for example that the session was opened. */
  readonly note?: string
}

export interface DefaultSession {
  enter(): Promise<SessionChoice>
  /** Replaces an ended session; absent if the session was not opened by us. */
  replace?(ended: string): Promise<SessionChoice>
}

/** A given session that somebody else created; it is not replaced when it ends. */
export const fixedSession = (session: string): DefaultSession => ({
  enter: async () => ({ session }),
})

/** A session of our own, created on first use. */
export class OpenedSession implements DefaultSession {
  readonly #open: () => Promise<SessionChoice>
  /** Shared by all callers that arrive while it is being created. */
  #choice: Promise<SessionChoice> | undefined

  constructor(open: () => Promise<SessionChoice>) {
    this.#open = open
  }

  async enter(): Promise<SessionChoice> {
    if (this.#choice) return { session: (await this.#choice).session }
    const opening = this.#open()
    this.#choice = opening
    try {
      return await opening
    } catch (error) {
      this.#forget(opening)
      throw error
    }
  }

  async replace(ended: string): Promise<SessionChoice> {
    const seen = this.#choice
    if (seen && (await seen).session === ended) this.#forget(seen)
    return this.enter()
  }

  /** The current session; undefined if none was opened. */
  async opened(): Promise<string | undefined> {
    return this.#choice && (await this.#choice).session
  }

  /** Does nothing if the choice has been replaced meanwhile. */
  #forget(choice: Promise<SessionChoice>): void {
    if (this.#choice === choice) this.#choice = undefined
  }
}

/** The session of one process. */
export function processDefaultSession(service: ServiceClient, headful: boolean): OpenedSession {
  return new OpenedSession(async () => {
    const { id } = await service.create({ headful, tags: [] })
    return { session: id, note: `Session ${id} was opened.` }
  })
}

/**
 * The session of all callers with one key, found by its tag after a restart and by other gateways.
 */
export function keyDefaultSession(service: ServiceClient, keyId: string): OpenedSession {
  const tag = `mcp-home:${keyId}`
  return new OpenedSession(async () => {
    const [there] = await service.running([tag])
    if (there) return { session: there.id }
    const { id } = await service.create({ headful: false, tags: [tag] })
    return { session: id, note: `Session ${id} was opened.` }
  })
}
