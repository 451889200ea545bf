/**
 * The clipboard of a session for one viewer. It goes by commands and not by RFB, whose cut text
 * knows Latin-1 only and would be sent to every viewer, the ones that may only look too.
 */
import type { Logger } from 'pino'
import type { Action } from '../../proto/commands/catalogue.ts'
import { clipboardRead, clipboardWrite } from '../../proto/commands/clipboard.ts'
import type { Reply } from '../../proto/envelope.ts'
import { fromWireError, ServiceError } from '../../proto/errors.ts'
import type { LiveMode } from '../live-token.ts'
import type { ClipboardMessage, ToViewer } from './messages.ts'

/** Runs commands on the browser of a session; one answer for each that was begun. */
export interface CommandRunner {
  run(
    caller: { readonly keyId: string; readonly tenant: string },
    sessionId: string,
    actions: readonly Action[],
  ): Promise<readonly Reply[]>
}

interface DeskOptions {
  readonly commands: CommandRunner
  readonly tenant: string
  readonly sessionId: string
  readonly log: Logger
}

export class ClipboardDesk {
  readonly #options: DeskOptions
  #isBusy = false

  constructor(options: DeskOptions) {
    this.#options = options
  }

  /** One at a time: a viewer that asks faster than it is answered is told so. */
  async serve(
    message: ClipboardMessage,
    mode: LiveMode,
    tell: (answer: ToViewer) => void,
  ): Promise<void> {
    const { id } = message
    if (mode !== 'control') {
      return tell({ type: 'failed', id, message: 'This link may look and nothing else.' })
    }
    if (this.#isBusy) return tell({ type: 'failed', id, message: 'One thing after the other.' })
    this.#isBusy = true
    try {
      tell(await this.#answer(message))
    } catch (error) {
      const isKnown = error instanceof ServiceError
      if (!isKnown) this.#options.log.error({ err: error }, 'a clipboard could not be served')
      const sentence = isKnown ? error.message : 'Something failed on our side.'
      tell({ type: 'failed', id, message: sentence })
    } finally {
      this.#isBusy = false
    }
  }

  async #answer(message: ClipboardMessage): Promise<ToViewer> {
    const { id } = message
    if (message.type === 'clipboard_read') {
      const value = await this.#run({ command: 'clipboard_read', input: {} })
      return { type: 'clipboard', id, text: clipboardRead.output.parse(value).text }
    }
    const input = clipboardWrite.input.safeParse({ text: message.text })
    if (!input.success) throw new ServiceError('too_large', 'The text is too long.')
    await this.#run({ command: 'clipboard_write', input: input.data })
    return { type: 'done', id }
  }

  async #run(action: Action): Promise<unknown> {
    const { commands, tenant, sessionId } = this.#options
    const [reply] = await commands.run({ keyId: 'live', tenant }, sessionId, [action])
    if (reply?.ok) return reply.value
    throw reply ? fromWireError(reply.error) : new ServiceError('unavailable', 'Try again.')
  }
}
