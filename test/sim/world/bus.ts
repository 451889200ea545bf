/**
 * The bus between the processes of a world. As with NATS, every plain subscriber and one member of
 * each queue group receive a request, the first answer counts, a frozen process keeps its
 * subscriptions until the broker notices, and a request to a subject without subscribers fails at
 * once. A wildcard stands for the last part of a subject only.
 */
import {
  BusTimeout,
  NoResponders,
  type Bus,
  type BusHandler,
  type BusService,
} from '../../../runtime/store/bus.ts'
import type { SimProcess } from './clock.ts'
import type { SimLink } from './link.ts'

interface Subscription {
  readonly link: SimLink
  readonly subject: string
  readonly handler: BusHandler
  readonly queue: string | undefined
}

/** The broker's table of subscriptions. */
export class SubjectTable {
  readonly #subscriptions = new Map<string, Set<Subscription>>()

  add(subscription: Subscription): BusService {
    const { subject } = subscription
    const present = this.#subscriptions.get(subject) ?? new Set()
    this.#subscriptions.set(subject, present.add(subscription))
    return { stop: () => void present.delete(subscription) }
  }

  /** Every process that serves the subject, as far as the broker knows. */
  servers(subject: string): SimProcess[] {
    return this.#connected(subject).map(({ link }) => link.process)
  }

  recipients(subject: string, asker: SimLink): Subscription[] {
    const connected = this.#connected(subject)
    const queues = new Set(connected.map(({ queue }) => queue))
    return [...queues].flatMap((queue) => {
      const members = connected.filter((subscription) => subscription.queue === queue)
      return queue === undefined ? members : [asker.random.pick(members)]
    })
  }

  #connected(subject: string): Subscription[] {
    const names = [subject, subject.replace(/[^.]+$/, '*')]
    const present = names.flatMap((name) => [...(this.#subscriptions.get(name) ?? [])])
    return present.filter(({ link }) => link.isConnected)
  }
}

export class SimBus implements Bus {
  readonly messageBytes = 2 ** 20
  readonly #table: SubjectTable
  readonly #link: SimLink

  constructor(table: SubjectTable, link: SimLink) {
    this.#table = table
    this.#link = link
  }

  request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const link = this.#link
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new BusTimeout(subject, timeoutMs))
      const timer = link.process.clock.timer(timeoutMs, giveUp)
      const answer = (settle: () => void) =>
        link.receive('bus', () => {
          timer.cancel()
          settle()
        })
      link.send('bus', () => {
        const recipients = this.#table.recipients(subject, link)
        if (recipients.length === 0) answer(() => reject(new NoResponders(subject)))
        for (const { link: server, handler } of recipients) {
          const reply = (bytes: Uint8Array) =>
            server.send('bus', () => answer(() => resolve(bytes)))
          server.receive('bus', () => {
            // As on the real bus, a handler that rejects leaves the request unanswered.
            handler(payload, subject).then(reply, () => undefined)
          })
        }
      })
    })
  }

  serve(subject: string, handler: BusHandler, { queue }: { queue?: string } = {}): BusService {
    return this.#table.add({ link: this.#link, subject, handler, queue })
  }
}
