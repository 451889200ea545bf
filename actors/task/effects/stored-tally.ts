/**
 * What this host has stored in other streams for each task since the task was last told. A task is
 * told with events that it gets anyway, so counting needs no entries of its own; what a host has not
 * told when it dies is not counted.
 */
import { LRUCache } from 'lru-cache'
import { taskRunLimits } from '../limits.ts'
import type { StoredBytes } from '../state/context.ts'

const nothing: StoredBytes = { steps: 0, pictures: 0 }

export class StoredTally {
  readonly #byTask = new LRUCache<string, StoredBytes>({ max: taskRunLimits.tasksTallied })

  add(taskId: string, kind: keyof StoredBytes, bytes: number): void {
    const known = this.#byTask.get(taskId) ?? nothing
    this.#byTask.set(taskId, { ...known, [kind]: known[kind] + bytes })
  }

  take(taskId: string): { readonly stored?: StoredBytes } {
    const stored = this.#byTask.get(taskId)
    this.#byTask.delete(taskId)
    return stored ? { stored } : {}
  }
}
