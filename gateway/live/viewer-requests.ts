/**
 * Serves a viewer's requests besides the picture as commands to the browser. The clipboard does not
 * use RFB, whose cut text is Latin-1 only and would be sent to every viewer, including view-only
 * ones. Text from a phone's keyboard or an input method is typed by a command, because single key
 * events at that speed would be lost.
 */
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { CommandCall } from '../../proto/commands/catalogue.ts'
import {
  clipboardReadCommand,
  clipboardWriteCommand,
} from '../../proto/commands/os-control/clipboard.ts'
import { keyboardTypeCommand } from '../../proto/commands/os-control/keyboard.ts'
import type { Reply } from '../../proto/envelope.ts'
import { fromWireError, ServiceError } from '../../proto/errors.ts'
import type { TaskView } from '../../proto/task/task.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import type { LiveMode } from '../sessions/tokens/live-token.ts'
import type { QuestionAnswer } from '../tasks/tasks.ts'
import type { ViewerRequest, ToViewer } from './messages.ts'
import { liveLimits } from './limits.ts'

/** Runs commands on the browser of a session; one answer for each command that was started. */
export interface CommandRunner {
  run(
    caller: { readonly keyId: string; readonly tenant: string },
    sessionId: string,
    actions: readonly CommandCall[],
  ): Promise<readonly Reply[]>
}

/** Passes a person's answer to a task. Throws the task's errors, or that there is no such task. */
export interface TaskAnswers {
  ofSession(tenant: string, sessionId: string): readonly TaskView[]
  answer(
    whose: { readonly tenant: string },
    taskId: string,
    answer: QuestionAnswer,
  ): Promise<unknown>
}

interface ViewerRequestsOptions {
  readonly commands: CommandRunner
  readonly tasks: TaskAnswers
  readonly tenant: string
  readonly sessionId: string
  readonly log: Logger
}

export class ViewerRequests {
  readonly #options: ViewerRequestsOptions
  readonly #queue = new SerialQueue()

  constructor(options: ViewerRequestsOptions) {
    this.#options = options
  }

  /** Serves requests one by one in order; a viewer with too many waiting requests gets an error. */
  serve(message: ViewerRequest, mode: LiveMode, tell: (answer: ToViewer) => void): void {
    const { id } = message
    if (mode !== 'control') {
      return tell({ type: 'failed', id, message: 'This link may look and nothing else.' })
    }
    if (this.#queue.size >= liveLimits.viewerRequestsWaiting) {
      return tell({ type: 'failed', id, message: 'Too much is asked at once; try again.' })
    }
    void this.#queue.run(async () => tell(await this.#attempt(message)))
  }

  async #attempt(message: ViewerRequest): Promise<ToViewer> {
    try {
      return await this.#answer(message)
    } catch (error) {
      const isKnown = error instanceof ServiceError
      if (!isKnown) this.#options.log.error({ err: error }, 'a viewer could not be served')
      const sentence = isKnown ? error.message : 'Something failed on our side.'
      return { type: 'failed', id: message.id, message: sentence }
    }
  }

  async #answer(message: ViewerRequest): Promise<ToViewer> {
    const { id } = message
    if (message.type === 'answer') return this.#answerTask(message)
    if (message.type === 'clipboard_read') {
      const value = await this.#run({ command: 'clipboard_read', input: {} })
      return { type: 'clipboard', id, text: clipboardReadCommand.output.parse(value).text }
    }
    const { text } = message
    if (message.type === 'type_text') {
      const input = parseInput(keyboardTypeCommand.input, { text })
      await this.#run({ command: 'keyboard_type', input })
    } else {
      const input = parseInput(clipboardWriteCommand.input, { text })
      await this.#run({ command: 'clipboard_write', input })
    }
    return { type: 'done', id }
  }

  /** Only tasks of this session may be answered, because a link is valid for one session. */
  async #answerTask(message: Extract<ViewerRequest, { type: 'answer' }>): Promise<ToViewer> {
    const { tasks, tenant, sessionId } = this.#options
    const { id, task_id: taskId, question_id: questionId, text, approve } = message
    if (!tasks.ofSession(tenant, sessionId).some((task) => task.id === taskId)) {
      throw new ServiceError('not_found', 'That task is over.')
    }
    await tasks.answer({ tenant }, taskId, { questionId, text, approve })
    return { type: 'done', id }
  }

  async #run(action: CommandCall): Promise<unknown> {
    const { commands, tenant, sessionId } = this.#options
    const [reply] = await commands.run({ keyId: 'live', tenant }, sessionId, [action])
    if (reply?.ok) return reply.value
    throw reply ? fromWireError(reply.error) : new ServiceError('unavailable', 'Try again.')
  }
}

function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const { data, success } = schema.safeParse(input)
  if (!success) throw new ServiceError('too_large', 'The text is too long.')
  return data
}
