/** Records of tasks: published as actors do, for tests of followers; and read. */
import { subjects } from '../../../proto/subjects.ts'
import {
  taskStatusOf,
  type StateRecord,
  type StepRecord,
  type TaskRecord,
  type TaskState,
} from '../../../proto/task/task.ts'
import { publishRecord } from '../../../runtime/actor/feed.ts'
import type { LogStore } from '../../../runtime/store/store.ts'

/** Records that could not be published are tried again at the next call. */
export class RecordPublisher {
  readonly #steps: LogStore
  readonly #taskId: string
  #lastStep = 0
  #lastState = 0

  constructor(steps: LogStore, taskId: string) {
    this.#steps = steps
    this.#taskId = taskId
  }

  async step(more: Partial<StepRecord> = {}): Promise<void> {
    const record = { ...stepRecord(this.#taskId, this.#lastStep + 1), ...more }
    await publishRecord(this.#steps, subjects.taskStep(this.#taskId), record)
    this.#lastStep = record.n
  }

  async state(state: TaskState, more: Partial<StateRecord> = {}): Promise<void> {
    const record: StateRecord = {
      type: 'state',
      task_id: this.#taskId,
      n: this.#lastState + 1,
      at: new Date().toISOString(),
      state,
      status: taskStatusOf(state),
      steps: this.#lastStep,
      ...more,
    }
    await publishRecord(this.#steps, subjects.taskState(this.#taskId), record)
    this.#lastState = record.n
  }
}

function stepRecord(taskId: string, n: number): StepRecord {
  return {
    type: 'step',
    task_id: taskId,
    session_id: 'ses_00000000000000000000000000',
    n,
    at: new Date().toISOString(),
    page: { url: 'https://shop.example/', title: 'Shop' },
    reason: `This is step ${n}.`,
    actions: [
      {
        tool: 'click',
        input: { ref: 'e1' },
        element: 'button "Buy" [e1]',
        outcome: 'done',
        ms: 12,
      },
    ],
    provider: 'openai',
    model: 'some-model',
    tokens: { input: 1_000, cached: 500, output: 50 },
    ms: { observe: 10, decide: 800, act: 12 },
  }
}

/** All records of a subject, as they were published. */
export async function readRecords<R extends TaskRecord>(
  steps: LogStore,
  subject: string,
): Promise<R[]> {
  const records: R[] = []
  for await (const { data } of steps.read(subject)) {
    records.push(JSON.parse(Buffer.from(data).toString()) as R)
  }
  return records
}

/** The same log, with a callback to the test before each read. */
export function watchedLog(log: LogStore, onCall: (method: keyof LogStore) => void): LogStore {
  return new Proxy(log, {
    get: (target, name: keyof LogStore) => {
      onCall(name)
      return target[name].bind(target)
    },
  })
}
