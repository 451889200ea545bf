/**
 * What a caller tells actors with its next command: which of its earlier commands it will not repeat,
 * so that the actor need not remember them until their deadlines. Only of commands that were sent
 * once: a second message of the same command may still be on its way.
 */
import { LRUCache } from 'lru-cache'
import { actorLimits } from '../limits.ts'

export class AnsweredRequests {
  /** By actor. What is dropped here is remembered by the actor until its deadline, no more. */
  readonly #byActor = new LRUCache<string, Set<string>>({ max: actorLimits.answeredActors })

  /** To be sent with a command. */
  of(actor: string): readonly string[] {
    const ids = this.#byActor.get(actor)
    return ids ? [...ids].slice(0, actorLimits.answeredPerCommand) : []
  }

  /** The command with `requestId` was answered; the actor has got `told` with it. */
  add(actor: string, requestId: string, told: readonly string[]): void {
    const ids = this.#byActor.get(actor) ?? new Set()
    for (const id of told) ids.delete(id)
    ids.add(requestId)
    this.#byActor.set(actor, ids)
  }
}
