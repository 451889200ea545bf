/** A task's actor played by a test: its inputs, its commands, and its view. */
import { defined } from '../../../proto/defined.ts'
import { ServiceError } from '../../../proto/errors.ts'
import {
  isTaskOver,
  type TaskInput,
  type TaskState,
  type TaskView,
} from '../../../proto/task/task.ts'
import type { PlayedTask, PlayedViews } from '../gateway/gateway.ts'
import type { Said } from '../runtime/said.ts'
import { until } from '../lib/until.ts'

export class TaskActor implements PlayedTask {
  /** The inputs that tasks were made from. */
  readonly inputs: TaskInput[] = []
  readonly told: Said[] = []
  #views: PlayedViews<TaskView> | undefined

  /** Publishes its views there. */
  showIn(views: PlayedViews<TaskView>): void {
    this.#views = views
  }

  created(input: TaskInput): TaskView {
    this.inputs.push(input)
    const view = taskView(input)
    this.#views!.set(view)
    return view
  }

  async onCommand(id: string, command: Said, untilSettled: boolean): Promise<TaskView> {
    this.told.push(command)
    const { state, question } = this.view(id)
    if (command.type === 'cancel' && !isTaskOver(state)) {
      this.become(id, 'cancelled', { end: 'cancelled' })
    } else if (command.type === 'pause' || command.type === 'resume') {
      if (isTaskOver(state)) throw new ServiceError('conflict', 'The task is over.')
      this.become(id, command.type === 'pause' ? 'paused' : 'deciding')
    } else if (command.type === 'answer') {
      const isOpen = question?.id === command['questionId']
      if (!isOpen) throw new ServiceError('conflict', 'That is not asked.')
      const { question: _, ...rest } = this.view(id)
      this.#views!.set({ ...rest, state: 'deciding' })
    }
    if (untilSettled) await until('it is over', () => isTaskOver(this.view(id).state), 60_000)
    return this.view(id)
  }

  become(id: string, state: TaskState, more: Partial<TaskView> = {}): void {
    const over = isTaskOver(state) ? { endedAtMs: Date.now() } : {}
    this.#views!.set({ ...this.view(id), state, ...over, ...more })
  }

  view(id: string): TaskView {
    return this.#views!.get(id)!
  }
}

export function taskView({ order, ...input }: TaskInput): TaskView {
  return {
    ...input,
    state: 'deciding',
    prompt: order.prompt,
    provider: order.provider,
    ownsSession: order.sessionId === undefined,
    ...defined({ sessionId: order.sessionId }),
    maxSteps: order.maxSteps,
    steps: 0,
    usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
  }
}
