/**
 * Publishes the steps and states of tasks. Records of one task are published in the order of its
 * log, also after a take-over, because pending effects are resumed in that order.
 */
import { subjects } from '../../../proto/subjects.ts'
import type { StateRecord, StepRecord } from '../../../proto/task/task.ts'
import { backoffMs } from '../../../runtime/lib/clock.ts'
import { publishRecord } from '../../../runtime/actor/feed.ts'
import { retry, type RetryOptions } from '../../../runtime/lib/retry.ts'
import { SerialQueue } from '../../../runtime/lib/serial-queue.ts'
import type { TaskEffectContext } from '../state/context.ts'
import type { TaskEffectDeps } from './deps.ts'
import type { TaskPictures } from './pictures.ts'
import { taskRunLimits } from '../limits.ts'

export class RecordPublisher {
  readonly #deps: Pick<TaskEffectDeps, 'steps' | 'clock' | 'log'>
  readonly #shots: TaskPictures
  /** Queues by task; a queue without pending records is removed. */
  readonly #queues = new Map<string, SerialQueue>()

  constructor(deps: Pick<TaskEffectDeps, 'steps' | 'clock' | 'log'>, shots: TaskPictures) {
    this.#deps = deps
    this.#shots = shots
  }

  publish(record: StepRecord | StateRecord, effect: TaskEffectContext): Promise<void> {
    const { task_id: id } = record
    const queue = this.#queues.get(id) ?? new SerialQueue()
    this.#queues.set(id, queue)
    return queue
      .run(() => this.#publishWithRetry(record, effect))
      .finally(() => {
        if (queue.size === 0 && this.#queues.get(id) === queue) this.#queues.delete(id)
      })
  }

  /** Resolves when everything requested so far is published. */
  async settled(taskId: string): Promise<void> {
    await this.#queues.get(taskId)?.settled()
  }

  /** Retries until the store is available again or this process is fenced. */
  async #publishWithRetry(
    record: StepRecord | StateRecord,
    { signal }: TaskEffectContext,
  ): Promise<void> {
    const { steps, clock, log } = this.#deps
    const { publishAttempts, publishRetryMs, publishRetryMaxMs } = taskRunLimits
    const { task_id: task, n } = record
    const options: RetryOptions = {
      attemptsMax: publishAttempts,
      waitMs: (attempt) => backoffMs(attempt, publishRetryMs, publishRetryMaxMs, 0.5),
      isRetryable: () => true,
      onRetry: (err) => log.warn({ err, task, n }, 'a record waits for its publication'),
      signal,
    }
    await retry(clock, options, async () =>
      publishRecord(steps, subjectOf(record), await this.#withScreenshot(record)),
    )
  }

  /** Adds the path of the screenshot, if there is one. */
  async #withScreenshot(record: StepRecord | StateRecord): Promise<StepRecord | StateRecord> {
    if (record.type === 'state') return record
    const { task_id: id, n } = record
    return (await this.#shots.has(id, n)) ? { ...record, screenshot: picturePath(id, n) } : record
  }
}

const subjectOf = ({ type, task_id: id }: StepRecord | StateRecord): string =>
  type === 'step' ? subjects.taskStep(id) : subjects.taskState(id)

const picturePath = (id: string, n: number) =>
  `/v1/tools/perform-web-task/${id}/steps/${n}/screenshot`
