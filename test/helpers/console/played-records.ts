/** The stored records of tasks for a played service, with the hints by which followers read them. */
import { subjects } from '../../../proto/subjects.ts'
import type { PlayedOptions } from '../gateway/gateway.ts'
import { MemoryLog } from '../runtime/memory-store.ts'
import { RecordPublisher } from '../tasks/records.ts'

export class PlayedRecords {
  readonly #steps = new MemoryLog()
  readonly #pictures = new MemoryLog()
  readonly #hints = new Set<() => void>()
  readonly #publishers = new Map<string, RecordPublisher>()

  get feed(): NonNullable<PlayedOptions['feed']> {
    return {
      store: { steps: this.#steps, pictures: this.#pictures },
      bus: {
        subscribe: (_subject, onMessage) => {
          this.#hints.add(onMessage)
          return { stop: () => void this.#hints.delete(onMessage) }
        },
      },
    }
  }

  async step(taskId: string, more: Parameters<RecordPublisher['step']>[0] = {}): Promise<void> {
    await this.#of(taskId).step(more)
    for (const hint of this.#hints) hint()
  }

  async state(taskId: string, state: Parameters<RecordPublisher['state']>[0]): Promise<void> {
    await this.#of(taskId).state(state)
    for (const hint of this.#hints) hint()
  }

  async picture(taskId: string, n: number, data: Uint8Array): Promise<void> {
    await this.#pictures.append(subjects.taskPicture(taskId, n), data, 0)
  }

  #of(taskId: string): RecordPublisher {
    const known = this.#publishers.get(taskId) ?? new RecordPublisher(this.#steps, taskId)
    this.#publishers.set(taskId, known)
    return known
  }
}
