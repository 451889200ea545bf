/** Counts steps, ends, model requests and costs of the tasks of this process. */
import type { TaskCounts } from '../../proto/host-counts.ts'
import type { ModelFailureKind } from '../../proto/task/model-failure.ts'
import type { StateRecord, StepRecord, TaskEnd } from '../../proto/task/task.ts'
import {
  ModelFailure,
  type ModelAnswer,
  type ModelRequest,
  type ModelUsage,
  type TaskModel,
  type TaskModels,
} from './models/model.ts'

export class TaskMeter {
  readonly #ends: Partial<Record<TaskEnd, number>> = {}
  readonly #modelFailures: Partial<Record<ModelFailureKind, number>> = {}
  readonly #tokens = { input: 0, cached: 0, output: 0 }
  #steps = 0
  #modelRequests = 0
  #costUsd = 0

  /** Counts a record; called once it is published. */
  published(record: StepRecord | StateRecord): void {
    if (record.type === 'step') this.#steps++
    else if (record.end) this.#ends[record.end] = (this.#ends[record.end] ?? 0) + 1
  }

  /** Wraps the models so that their requests are counted. */
  metered(models: TaskModels): TaskModels {
    return {
      open: async (choice) => new MeteredModel(await this.#watch(models.open(choice)), this),
      attend: async (task, signal) => models.attend?.(task, signal),
    }
  }

  async ask(model: TaskModel, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    this.#modelRequests++
    const answer = await this.#watch(model.ask(request, signal))
    this.#spent(answer.usage)
    return answer
  }

  report(): TaskCounts {
    return {
      steps: this.#steps,
      ends: { ...this.#ends },
      modelRequests: this.#modelRequests,
      modelFailures: { ...this.#modelFailures },
      tokens: { ...this.#tokens },
      costUsd: this.#costUsd,
    }
  }

  async #watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (error instanceof ModelFailure) {
        this.#modelFailures[error.kind] = (this.#modelFailures[error.kind] ?? 0) + 1
        if (error.usage) this.#spent(error.usage)
      }
      throw error
    }
  }

  #spent({ inputTokens, cachedTokens, outputTokens, costUsd = 0 }: ModelUsage): void {
    this.#tokens.input += inputTokens
    this.#tokens.cached += cachedTokens
    this.#tokens.output += outputTokens
    this.#costUsd += costUsd
  }
}

class MeteredModel implements TaskModel {
  readonly #model: TaskModel
  readonly #meter: TaskMeter

  constructor(model: TaskModel, meter: TaskMeter) {
    this.#model = model
    this.#meter = meter
  }

  get provider(): string {
    return this.#model.provider
  }

  get model(): string {
    return this.#model.model
  }

  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    return this.#meter.ask(this.#model, request, signal)
  }
}
