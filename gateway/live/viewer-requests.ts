/**
 * Carries out a viewer's requests (everything but the picture) as commands to the browser. The
 * clipboard does not use RFB, whose cut text is Latin-1 only and would be sent to every viewer,
 * including view-only ones. Text from a phone's keyboard or an input method is typed by a command,
 * because single key events at that speed would be lost; the keys between such texts are sent as
 * commands too, because RFB and commands take different paths to the display and could overtake
 * each other.
 */
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { CommandInput, CommandName, CommandOutput } from '../../proto/commands/catalogue.ts'
import { clipboardWriteCommand } from '../../proto/commands/os-control/clipboard.ts'
import { keyboardTypeCommand } from '../../proto/commands/os-control/keyboard.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { TaskView } from '../../proto/task/task.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import type { LiveMode } from '../sessions/tokens/live-token.ts'
import type { QuestionAnswer } from '../tasks/tasks.ts'
import type { ViewerRequest, ToViewer } from './messages.ts'
import type { CommandRunner, SessionActions } from './session-actions.ts'
import { liveLimits } from './limits.ts'

/**
 * Passes a person's answer to a task. Throws the task's errors, or `not_found` if there is no such
 * task.
 */
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
  readonly actions: SessionActions
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
    if (mode !== 'control' && message.type !== 'title') {
      return tell({ type: 'failed', id, message: 'This link is for viewing only.' })
    }
    if (this.#queue.size >= liveLimits.viewerRequestsWaiting) {
      return tell({
        type: 'failed',
        id,
        message: 'Too many requests at once; try again in a moment.',
      })
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
    const { actions } = this.#options
    switch (message.type) {
      case 'answer':
        return this.#answerTask(message)
      case 'clipboard_read': {
        const { text } = await this.#run('clipboard_read', {})
        return { type: 'clipboard', id, text }
      }
      case 'clipboard_write': {
        const input = parseInput(clipboardWriteCommand.input, { text: message.text })
        await this.#run('clipboard_write', input)
        return { type: 'done', id }
      }
      case 'type_text': {
        const input = parseInput(keyboardTypeCommand.input, { text: message.text })
        await this.#run('keyboard_type', input)
        return { type: 'done', id }
      }
      case 'press_keys':
        await this.#run('keyboard_shortcut', { keys: message.keys, holdTime: 0 })
        return { type: 'done', id }
      case 'title':
        return { type: 'title', id, title: await actions.title() }
      case 'tabs':
        return { type: 'tabs', id, tabs: await actions.tabs() }
      case 'tab_select':
        await actions.selectTab(message.tab)
        return { type: 'done', id }
      case 'share':
        return { type: 'link', id, ...actions.share(message.mode, message.minutes) }
      case 'end_session':
        await actions.end()
        return { type: 'done', id }
    }
  }

  /** Only tasks of this session may be answered, because a link is valid for one session. */
  async #answerTask(message: Extract<ViewerRequest, { type: 'answer' }>): Promise<ToViewer> {
    const { tasks, tenant, sessionId } = this.#options
    const { id, task_id: taskId, question_id: questionId, text, approve } = message
    if (!tasks.ofSession(tenant, sessionId).some((task) => task.id === taskId)) {
      throw new ServiceError('not_found', 'That task has ended.')
    }
    await tasks.answer({ tenant }, taskId, { questionId, text, approve })
    return { type: 'done', id }
  }

  #run<N extends CommandName>(command: N, input: CommandInput<N>): Promise<CommandOutput<N>> {
    const { commands, tenant, sessionId } = this.#options
    return commands.one({ keyId: 'live', tenant }, sessionId, command, input)
  }
}

function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const { data, success } = schema.safeParse(input)
  if (!success) throw new ServiceError('too_large', 'The text is too long.')
  return data
}
