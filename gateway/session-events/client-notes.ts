/**
 * Tells the host of a session what its clients do. Clients never wait for it: what they do is sent a
 * moment later, what repeats as one event with a count, and only so many at a time.
 */
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { limits } from '../../proto/limits.ts'
import type { NewLoggedEvent } from '../../proto/session/session-event.ts'
import type { ClientAct } from '../../runtime/browser-host/cdp-rules/client-acts.ts'
import { askNode } from '../../runtime/browser-host/node-client.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { Bus } from '../../runtime/store/bus.ts'
import { sessionEventLimits } from './limits.ts'

interface NotedSession {
  readonly sessionId: string
  readonly nodeId: string
}

type ActEvent = Extract<NewLoggedEvent, { type: 'act' }>
type ClientEvent = Extract<NewLoggedEvent, { type: 'client' }>

/** What one client does. */
export interface ClientNotes {
  did(act: ClientAct): void
  left(): void
}

export interface ClientNoterDeps {
  readonly bus: Pick<Bus, 'request' | 'messageBytes'>
  readonly clock: Clock
  readonly log: Logger
}

export class ClientNoter {
  readonly #deps: ClientNoterDeps
  /** What is to be sent, by session. */
  readonly #pending = new Map<string, { events: NewLoggedEvent[]; skipped: number }>()

  constructor(deps: ClientNoterDeps) {
    this.#deps = deps
  }

  connected(session: NotedSession, facts: Pick<ClientEvent, 'kind' | 'key' | 'mode'>): ClientNotes {
    const client = randomBytes(4).toString('hex')
    const note = (event: NewLoggedEvent) => this.#add(session, event)
    note({ type: 'client', client, state: 'connected', ...facts })
    return {
      did: (act) => note({ type: 'act', client, ...act }),
      left: () => note({ type: 'client', client, state: 'left', ...facts }),
    }
  }

  #add(session: NotedSession, event: NewLoggedEvent): void {
    const known = this.#pending.get(session.sessionId)
    const pending = known ?? { events: [], skipped: 0 }
    if (!known) {
      this.#pending.set(session.sessionId, pending)
      this.#deps.clock.timer(sessionEventLimits.sendAfterMs, () => void this.#send(session))
    }
    const last = pending.events.at(-1)
    if (event.type === 'act' && last?.type === 'act' && isMore(last, event)) {
      const count = (last.count ?? 0) + (event.count ?? 0)
      pending.events[pending.events.length - 1] = { ...last, count }
    } else if (pending.events.length < sessionEventLimits.eventsPerMessage) {
      const at = new Date(this.#deps.clock.now()).toISOString()
      pending.events.push({ ...event, at })
    } else {
      pending.skipped++
    }
  }

  async #send({ sessionId, nodeId }: NotedSession): Promise<void> {
    const { bus, log } = this.#deps
    const { events, skipped } = this.#pending.get(sessionId)!
    this.#pending.delete(sessionId)
    if (skipped > 0) events.push({ type: 'skipped', count: skipped })
    try {
      await askNode(bus, nodeId, 'note', { sessionId, events }, limits.nodeCallMs)
    } catch (err) {
      // A host of an older version has no log; one that is gone has lost its sessions with it.
      log.debug({ err, session: sessionId, events: events.length }, 'events were not taken')
    }
  }
}

/** Whether one goes on with what the other has begun. */
const isMore = (last: ActEvent, next: ActEvent): boolean =>
  last.client === next.client && last.act === next.act && (last.count ?? 0) * (next.count ?? 0) > 0
