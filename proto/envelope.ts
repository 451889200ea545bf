/**
 * What travels on an actor's mailbox subject and on a node agent's
 * verbs, msgpack-encoded both ways.
 */
import type { WireError } from './errors.ts'

/** What the runtime knows of any message to an actor; `proto/actor.ts` types each kind's own. */
export interface ActorMessage {
  readonly type: string
}

export interface CommandEnvelope {
  readonly requestId: string
  /** Wall-clock ms after which the caller has given up; an owner drops what is late. */
  readonly deadlineMs: number
  readonly command: ActorMessage
  /** In whose name it is asked: for another tenant, the actor does not exist. */
  readonly tenant?: string
  /**
   * Hold the answer until the actor has come to rest (`ActorKind.settled`), not
   * just until the event is durable.
   */
  readonly untilSettled?: boolean
}

export type Reply =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: WireError }

/** Asks an actor host to bring an actor to life (or back to it) and to hand it the command. */
export interface PlaceRequest {
  readonly kind: string
  readonly id: string
  /**
   * Only a creation brings an actor without history to life; on
   * anything else such an id is `not_found`.
   */
  readonly create?: { readonly input: unknown }
  /** Handed to the actor once it is live. */
  readonly envelope: CommandEnvelope
}

/** `elsewhere`: a live host owns the actor; its mailbox is the place to ask. */
export type PlaceReply = Reply | { readonly elsewhere: true }
