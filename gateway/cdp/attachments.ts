/**
 * What this gateway knows of the sessions it has connections to. The session's actor is
 * asked once, at the first of them, and told when the last has gone; in between no frame
 * and no further client bothers it.
 */
import type { Logger } from 'pino'
import { isId, type Incarnation } from '../../proto/ids.ts'
import { limits } from '../../proto/limits.ts'
import type { BrowserClaim } from '../../proto/node.ts'
import type { SessionOptions } from '../../proto/session.ts'
import type { AttachReply } from '../../proto/session-reply.ts'
import type { Door } from '../../runtime/channel/channel.ts'
import { directDoor } from '../../runtime/channel/direct.ts'
import { sameHostDoor } from '../../runtime/channel/same-host.ts'
import { backoffMs, sleep, type Clock } from '../../runtime/clock.ts'
import type { Directory } from '../../runtime/directory.ts'
import type { SocketGrant } from '../auth.ts'
import { isNotFound, noSuchSession } from '../no-such-session.ts'

export interface Attached {
  readonly tenant: string
  readonly options: SessionOptions
  readonly claim: BrowserClaim
  /** Of the session's actor, as it was when this gateway asked. */
  readonly epoch: number
  readonly door: Door
}

interface Entry {
  attached: Promise<Attached>
  users: number
}

export interface AttachmentsDeps {
  readonly directory: Pick<Directory, 'ask'>
  readonly incarnation: Incarnation
  /** Whose loopback this process shares. */
  readonly machine: string
  readonly clock: Clock
  readonly log: Logger
}

export class Attachments {
  readonly #deps: AttachmentsDeps
  readonly #entries = new Map<string, Entry>()
  readonly #leaving = new Map<string, Promise<void>>()

  constructor(deps: AttachmentsDeps) {
    this.#deps = deps
  }

  /** Runs with the session attached, from before `use` until it settles. */
  async during<T>(grant: SocketGrant, use: (attached: Attached) => Promise<T>): Promise<T> {
    const attached = await this.join(grant)
    try {
      return await use(attached)
    } finally {
      this.leave(grant.sessionId)
    }
  }

  /** One more connection. Each that resolved must `leave`. Throws as the actor does. */
  async join(grant: SocketGrant): Promise<Attached> {
    const { sessionId } = grant
    if (!isId('ses', sessionId)) throw noSuchSession()
    const entry = this.#entries.get(sessionId) ?? this.#enter(grant)
    entry.users++
    try {
      const attached = await entry.attached
      if (grant.tenant !== undefined && grant.tenant !== attached.tenant) throw noSuchSession()
      return attached
    } catch (error) {
      this.#drop(sessionId, entry)
      throw error
    }
  }

  /** Asks again: the browser's host would not have what it was told last time. */
  async renew(grant: SocketGrant): Promise<Attached> {
    const entry = this.#entries.get(grant.sessionId)
    if (!entry) throw noSuchSession()
    entry.attached = this.#ask(grant)
    return entry.attached
  }

  leave(sessionId: string): void {
    const entry = this.#entries.get(sessionId)
    if (!entry || !this.#drop(sessionId, entry)) return
    const telling = this.#tellLeft(sessionId).finally(() => this.#leaving.delete(sessionId))
    this.#leaving.set(sessionId, telling)
  }

  /** Resolves when every actor has been told what there was to tell. */
  async settled(): Promise<void> {
    await Promise.all(this.#leaving.values())
  }

  #enter(grant: SocketGrant): Entry {
    const entry: Entry = { attached: this.#ask(grant), users: 0 }
    this.#entries.set(grant.sessionId, entry)
    return entry
  }

  /** True when that was the last user. */
  #drop(sessionId: string, entry: Entry): boolean {
    if (--entry.users > 0) return false
    return this.#entries.delete(sessionId)
  }

  async #ask({ sessionId, tenant }: SocketGrant): Promise<Attached> {
    const { directory, incarnation, machine, clock } = this.#deps
    // A farewell still on its way must not arrive after this greeting.
    await this.#leaving.get(sessionId)
    const { view, claim, epoch } = await directory
      .ask<AttachReply>('session', sessionId, {
        type: 'attach',
        by: incarnation,
        ...(tenant !== undefined && { tenant }),
      })
      .catch((error: unknown) => {
        throw isNotFound(error) ? noSuchSession() : error
      })
    const isHere = claim.machine === machine
    const door = isHere ? sameHostDoor(claim) : directDoor({ claim, sessionId, epoch, clock })
    return { tenant: view.tenant, options: view.options, claim, epoch, door }
  }

  /** A session that is not told stays busy for ever, so this is tried for a while. */
  async #tellLeft(sessionId: string): Promise<void> {
    const { directory, incarnation, clock, log } = this.#deps
    for (let attempt = 1; attempt <= limits.effectAttempts; attempt++) {
      try {
        await directory.ask('session', sessionId, { type: 'disconnected', by: incarnation })
        return
      } catch (error) {
        if (isNotFound(error)) return
        log.warn({ err: error, sessionId, attempt }, 'session not told that its last client left')
      }
      if (this.#entries.has(sessionId)) return
      await sleep(clock, backoffMs(attempt, limits.effectBackoffMs, limits.effectBackoffMaxMs))
    }
  }
}
