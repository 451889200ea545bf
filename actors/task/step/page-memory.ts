/**
 * The last page read, passed from the effect that reads it to the one that decides. It is kept in
 * memory only: it is large, may contain data that must not be stored, and would be outdated after a
 * crash.
 */
import type { Observation } from '../prompting/decision.ts'

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
