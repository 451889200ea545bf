/** The stored steps of a task: their records, and a screenshot of the page at each. */
import { ServiceError } from '../../proto/errors.ts'
import { subjects } from '../../proto/subjects.ts'
import type { StepRecord } from '../../proto/task/task.ts'
import { readFeed } from '../../runtime/actor/feed.ts'
import type { LogStore } from '../../runtime/store/store.ts'

export interface RecordDeps {
  readonly steps: LogStore
  readonly pictures: LogStore
}

export class TaskRecords {
  readonly #deps: RecordDeps

  constructor(deps: RecordDeps) {
    this.#deps = deps
  }

  /** Returns the steps after number `since`, at most `limit`. */
  async steps(taskId: string, since: number, limit: number): Promise<readonly StepRecord[]> {
    const found: StepRecord[] = []
    for await (const { record } of readFeed<StepRecord>(
      this.#deps.steps,
      subjects.taskStep(taskId),
      0,
    )) {
      if (record.n > since) found.push(record)
      if (found.length === limit) break
    }
    return found
  }

  async picture(taskId: string, n: number): Promise<{ type: string; bytes: Uint8Array }> {
    const kept = await this.#deps.pictures.last(subjects.taskPicture(taskId, n))
    if (!kept) {
      throw new ServiceError(
        'not_found',
        'There is no screenshot of this step, or it is no longer kept.',
      )
    }
    return { type: isPng(kept.data) ? 'image/png' : 'image/jpeg', bytes: kept.data }
  }
}

const pngMark = Buffer.from('\x89PNG', 'latin1')

function isPng(data: Uint8Array): boolean {
  return Buffer.from(data.subarray(0, pngMark.length)).equals(pngMark)
}
