/**
 * Messages on an actor's mailbox subject and on a node agent's verbs, msgpack-encoded both ways.
 */
import type { WireError } from './errors.ts'

/** The part of a message that the runtime knows; `proto/actor.ts` types each kind's own. */
export interface ActorMessage {
  readonly type: string
}

export interface CommandEnvelope {
  readonly requestId: string
  /** Wall-clock ms after which the caller has given up; the owner drops later messages. */
  readonly deadlineMs: number
  readonly command: ActorMessage
  /**
   * Ids of earlier commands of this caller that were answered and will not come again, so that the
   * owner can forget them. Absent from callers of an older version.
   */
  readonly answered?: readonly string[]
  /** The tenant that asks; for another tenant, the actor does not exist. */
  readonly tenant?: string
  /**
   * Delays the answer until the actor has settled (`ActorKind.settled`), not just until the event
   * is durable.
   */
  readonly untilSettled?: boolean
  /** The caller's span as a W3C `traceparent`; absent unless it traces. */
  readonly trace?: string
}

export type Reply =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: WireError }

/**
 * Asks an actor host to make an actor live (by creation or recovery) and to pass it the command.
 */
export interface PlaceRequest {
  readonly kind: string
  readonly id: string
  /** Without it, the id of an actor that has no history is `not_found`. */
  readonly create?: { readonly input: unknown }
  /** Passed to the actor once it is live. */
  readonly envelope: CommandEnvelope
}

/** `elsewhere`: a live host owns the actor, so its mailbox has to be asked. */
export type PlaceReply = Reply | { readonly elsewhere: true }
