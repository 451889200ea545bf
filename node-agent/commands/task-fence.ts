/**
 * Remembers the latest epoch of each task. A task's host may freeze and wake up after another host
 * has taken the task over; its commands are then refused.
 */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../proto/errors.ts'
import type { IssuedByTask } from '../../proto/browser-host/node.ts'
import { agentCommandLimits } from './limits.ts'

export class TaskFence {
  readonly #epochs = new LRUCache<string, number>({ max: agentCommandLimits.tasksFenced })

  /** Throws for an old epoch; returns true if the task had an older epoch here before. */
  enter(by: IssuedByTask['by']): boolean {
    if (!by) return false
    this.check(by)
    const before = this.#epochs.get(by.id)
    this.#epochs.set(by.id, by.epoch)
    return before !== undefined && before < by.epoch
  }

  check(by: IssuedByTask['by']): void {
    const seen = by && this.#epochs.get(by.id)
    if (!by || seen === undefined || by.epoch >= seen) return
    const message = 'This task continues elsewhere; this request is outdated.'
    throw new ServiceError('conflict', message, { task_epoch: seen })
  }
}
