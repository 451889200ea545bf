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
import { newId } from '../../proto/ids.ts'
import { limits } from '../../proto/limits.ts'
import { ownerKey, subjects } from '../../proto/subjects.ts'
import { BusTimeout, NoResponders, type Bus } from '../store/bus.ts'
import { sleep, type Clock } from '../lib/clock.ts'
import type { Membership } from '../cluster/membership.ts'
import { activeTracer } from '../tracing/tracer.ts'
import { rendezvousHost } from '../cluster/placement.ts'
import { actorLimits } from './limits.ts'

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

export class Directory {
  readonly #bus: Bus
  readonly #clock: Clock
  readonly #membership: Membership

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
    { kind }: P,
    id: string,
    message: MessageTo<P, N>,
    options: AskOptions = {},
  ): Promise<AnswerOf<P, N>> {
    return this.#converse({ kind, id }, message, options)
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

  #converse<T>(target: Target, command: ActorMessage, options: AskOptions): Promise<T> {
    const tracer = activeTracer()
    if (!tracer) return this.#repeat(target, command, options)
    return tracer.run(`ask ${target.kind}.${command.type}`, { kind: 'client' }, () =>
      this.#repeat(target, command, options, tracer.current()),
    )
  }

  async #repeat<T>(
    target: Target,
    command: ActorMessage,
    options: AskOptions,
    trace?: string,
  ): Promise<T> {
    const deadlineMs = this.#clock.now() + (options.timeoutMs ?? actorLimits.askMs)
    const envelope: CommandEnvelope = {
      requestId: newId('req', this.#clock.now()),
      deadlineMs,
      command,
      ...defined({ tenant: options.tenant, trace }),
      ...(options.untilSettled && { untilSettled: true }),
    }
    let failure: unknown
    for (let attempt = 1; this.#clock.now() < deadlineMs; attempt++) {
      try {
        const reply = await this.#unlessHostDies(this.#reach(target, envelope, attempt))
        if ('elsewhere' in reply)
          failure = new NoResponders(subjects.mailbox(target.kind, target.id))
        else if (reply.ok) return reply.value as T
        else throw fromWireError(reply.error)
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
  async #reach(target: Target, envelope: CommandEnvelope, attempt: number): Promise<PlaceReply> {
    if (target.create === undefined || attempt > 1) {
      try {
        return await this.#mailbox(target, envelope)
      } catch (error) {
        if (!(error instanceof NoResponders)) throw error
      }
    }
    return this.#place(target, envelope)
  }

  #mailbox({ kind, id }: Target, envelope: CommandEnvelope): Promise<PlaceReply> {
    return this.#request(subjects.mailbox(kind, id), envelope, envelope, actorLimits.askTryMs)
  }

  /** Asks the host that rendezvous hashing chooses; if it does not answer, any host. */
  async #place(target: Target, envelope: CommandEnvelope): Promise<PlaceReply> {
    const request: PlaceRequest = { ...target, envelope }
    const hosts = this.#membership.available('actors')
    const chosen = rendezvousHost(ownerKey(target.kind, target.id), hosts)
    if (chosen) {
      try {
        const subject = subjects.adopt(chosen.incarnation)
        return await this.#request(subject, request, envelope, actorLimits.placeMs)
      } catch (error) {
        if (!(error instanceof NoResponders || error instanceof BusTimeout)) throw error
      }
    }
    return this.#request(subjects.place(target.kind), request, envelope, actorLimits.placeMs)
  }

  async #request(
    subject: string,
    message: unknown,
    { deadlineMs }: CommandEnvelope,
    tryMs: number,
  ): Promise<PlaceReply> {
    const leftMs = Math.max(1, deadlineMs - this.#clock.now())
    const answer = await this.#bus.request(subject, encode(message), Math.min(tryMs, leftMs))
    return decode<PlaceReply>(answer)
  }
}
