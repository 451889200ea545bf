/**
 * The page as it was read last, from the effect that reads it to the one that decides upon it. It is
 * not written down: it is large, it may hold what nobody should keep, and after a crash it would be
 * an old one.
 */
import type { Observation } from './thought.ts'

export class PageMemory {
  readonly #pages = new Map<string, Observation>()

  keep(taskId: string, observation: Observation): void {
    this.#pages.set(taskId, observation)
  }

  of(taskId: string): Observation | undefined {
    return this.#pages.get(taskId)
  }

  forget(taskId: string): void {
    this.#pages.delete(taskId)
  }
}
