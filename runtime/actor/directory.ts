/**
 * The interface to actors for the rest of the service: by kind and id, on any host. If no process
 * serves the mailbox subject, the actor is not live and is placed first. If an answer is late, its
 * owner may be frozen: the request is repeated with the same id until the deadline, and the owner
 * or its successor recognises the repeat.
 */
import { defined } from '../../proto/defined.ts'
import {
  createdQuery,
  type AnswerOf,
  type AnyActorProtocol,
  type ActorInput,
  type MessageTo,
  type VerbName,
} from '../../proto/actor.ts'
import { decode, encode } from '../../proto/codec.ts'
import type {
  ActorMessage,
  CommandEnvelope,
  PlaceReply,
  PlaceRequest,
} from '../../proto/envelope.ts'
import { fromWireError, ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { ownerKey, subjects } from '../../proto/subjects.ts'
import { BusTimeout, NoResponders, type Bus } from '../store/bus.ts'
import { sleep, type Clock } from '../lib/clock.ts'
import type { Membership } from '../cluster/membership.ts'
import { activeTracer } from '../tracing/tracer.ts'
import { rendezvousHost } from '../cluster/placement.ts'
import { AnsweredRequests } from './requests/answered-requests.ts'
import { actorLimits } from './limits.ts'
import { newRequestId } from './requests/request-id.ts'

export interface AskOptions {
  readonly timeoutMs?: number
  /** Wait until the actor has settled. */
  readonly untilSettled?: boolean
  /** The tenant that asks; for another tenant, the actor does not exist. */
  readonly tenant?: string | undefined
}

interface Target {
  readonly kind: string
  readonly id: string
  readonly create?: { readonly input: unknown }
}

interface ConverseOptions extends AskOptions {
  /** Whether the actor makes an entry of its log of the request. */
  readonly makesEntry?: boolean
}

/** A request and how many messages of it may reach an actor. */
interface Sending {
  readonly envelope: CommandEnvelope
  messages: number
}

export class Directory {
  readonly #bus: Bus
  readonly #clock: Clock
  readonly #membership: Membership
  readonly #answered = new AnsweredRequests()

  constructor(bus: Bus, clock: Clock, membership: Membership) {
    this.#bus = bus
    this.#clock = clock
    this.#membership = membership
  }

  /**
   * Asks an actor and activates it if it has a history. Throws a ServiceError: `not_found`,
   * `timeout`, or the actor's refusal.
   */
  ask<P extends AnyActorProtocol, N extends VerbName<P>>(
    { kind, verbs }: P,
    id: string,
    message: MessageTo<P, N>,
    options: AskOptions = {},
  ): Promise<AnswerOf<P, N>> {
    const makesEntry = verbs[message.type]?.mode === 'command'
    return this.#converse({ kind, id }, message, { ...options, makesEntry })
  }

  /** Creates a new actor with `input`; resolves with its answer to the query `created`. */
  create<P extends AnyActorProtocol>(
    { kind }: P,
    id: string,
    input: ActorInput<P>,
    options: AskOptions = {},
  ): Promise<AnswerOf<P, typeof createdQuery>> {
    return this.#converse({ kind, id, create: { input } }, { type: createdQuery }, options)
  }

  #converse<T>(target: Target, command: ActorMessage, options: ConverseOptions): Promise<T> {
    const tracer = activeTracer()
    if (!tracer) return this.#repeat(target, command, options)
    return tracer.run(`ask ${target.kind}.${command.type}`, { kind: 'client' }, () =>
      this.#repeat(target, command, options, tracer.current()),
    )
  }

  async #repeat<T>(
    target: Target,
    command: ActorMessage,
    options: ConverseOptions,
    trace?: string,
  ): Promise<T> {
    const deadlineMs = this.#clock.now() + (options.timeoutMs ?? actorLimits.askMs)
    const actor = ownerKey(target.kind, target.id)
    const answered = options.makesEntry ? this.#answered.of(actor) : []
    const envelope: CommandEnvelope = {
      requestId: newRequestId(this.#clock.now(), deadlineMs),
      deadlineMs,
      command,
      ...(answered.length > 0 && { answered }),
      ...defined({ tenant: options.tenant, trace }),
      ...(options.untilSettled && { untilSettled: true }),
    }
    const sending: Sending = { envelope, messages: 0 }
    let failure: unknown
    for (let attempt = 1; this.#clock.now() < deadlineMs; attempt++) {
      try {
        const reply = await this.#unlessHostDies(this.#reach(target, sending, attempt))
        if ('elsewhere' in reply)
          failure = new NoResponders(subjects.mailbox(target.kind, target.id))
        else if (reply.ok) {
          if (options.makesEntry && sending.messages === 1) {
            this.#answered.add(actor, envelope.requestId, answered)
          }
          return reply.value as T
        } else throw fromWireError(reply.error)
      } catch (error) {
        if (!(error instanceof NoResponders || error instanceof BusTimeout)) throw error
        failure = error
      }
      const waitMs = actorLimits.askRetryMs * 2 ** (attempt - 1)
      await sleep(this.#clock, Math.min(waitMs, limits.askRetryMaxMs))
    }
    const message = `The ${target.kind} did not answer in time; try again.`
    throw new ServiceError('timeout', message, {}, failure)
  }

  /**
   * The request to a host that dies is never answered, and waiting for its timeout would be the
   * longest part of a fail-over. So the death of any actor host ends the wait and the actor is
   * asked again; an unnecessary repeat is recognised by its id.
   */
  #unlessHostDies(reply: Promise<PlaceReply>): Promise<PlaceReply> {
    return this.#membership.unlessGone(reply, ({ role, incarnation }) => {
      return role === 'actors' ? new NoResponders(incarnation) : undefined
    })
  }

  /**
   * A new actor has no mailbox yet, so its first request goes directly to the host that will own
   * it.
   */
  async #reach(target: Target, sending: Sending, attempt: number): Promise<PlaceReply> {
    if (target.create === undefined || attempt > 1) {
      try {
        return await this.#mailbox(target, sending)
      } catch (error) {
        if (!(error instanceof NoResponders)) throw error
      }
    }
    return this.#place(target, sending)
  }

  #mailbox({ kind, id }: Target, sending: Sending): Promise<PlaceReply> {
    const { envelope } = sending
    return this.#request(subjects.mailbox(kind, id), envelope, sending, actorLimits.askTryMs)
  }

  /** Asks the host that rendezvous hashing chooses; if it does not answer, any host. */
  async #place(target: Target, sending: Sending): Promise<PlaceReply> {
    const request: PlaceRequest = { ...target, envelope: sending.envelope }
    const hosts = this.#membership.available('actors')
    const chosen = rendezvousHost(ownerKey(target.kind, target.id), hosts)
    if (chosen) {
      try {
        const subject = subjects.adopt(chosen.incarnation)
        return await this.#request(subject, request, sending, actorLimits.placeMs)
      } catch (error) {
        if (!(error instanceof NoResponders || error instanceof BusTimeout)) throw error
      }
    }
    return this.#request(subjects.place(target.kind), request, sending, actorLimits.placeMs)
  }

  async #request(
    subject: string,
    message: unknown,
    sending: Sending,
    tryMs: number,
  ): Promise<PlaceReply> {
    const leftMs = Math.max(1, sending.envelope.deadlineMs - this.#clock.now())
    sending.messages++
    try {
      const answer = await this.#bus.request(subject, encode(message), Math.min(tryMs, leftMs))
      return decode<PlaceReply>(answer)
    } catch (error) {
      // No process has received it.
      if (error instanceof NoResponders) sending.messages--
      throw error
    }
  }
}
