/**
 * Creates a file from given content and sets it on a file input, or in the chooser that a button
 * opens.
 */
import { Readable } from 'node:stream'
import { ServiceError } from '../../../proto/errors.ts'
import { inPage } from '../tabs/in-page.ts'
import type { PreparedAction, ActionContext } from './acting.ts'
import { awaitActionable, forClick, type ActionTarget } from '../targeting/actionable.ts'
import type { ElementHandle } from '../targeting/element.ts'
import { awaitTarget } from '../targeting/targets.ts'
import { pageLimits } from '../limits.ts'

export interface FileToUpload {
  readonly name: string
  readonly content: string
  readonly base64: boolean
}

/** Stores the file and returns its path. */
export type SaveFile = (name: string, content: Readable) => Promise<string>

const { fileInputOf, isDisabled } = inPage

/** A file input need not be visible: most pages hide theirs behind a button. */
export async function uploadFile(
  context: ActionContext,
  wanted: ActionTarget,
  file: FileToUpload,
  store: SaveFile,
): Promise<PreparedAction> {
  const content = bytesOf(file)
  const { element, matches } = await awaitTarget(context, wanted.target, wanted.timeoutMs)
  const input = await element.other(fileInputOf)
  element.release()
  if (!input) return throughChooser(context, wanted, async () => store(file.name, content()))
  if (await input.call(isDisabled)) throw disabledTargetError(wanted)
  return {
    matches,
    async run() {
      await give(input, await store(file.name, content()))
      input.release()
      return undefined
    },
  }
}

async function give(input: ElementHandle, path: string): Promise<void> {
  await input.send('DOM.setFileInputFiles', { files: [path] })
}

/**
 * The chooser is intercepted, so it does not appear, and the file is set on the input it was for.
 */
async function throughChooser(
  context: ActionContext,
  wanted: ActionTarget,
  made: () => Promise<string>,
): Promise<PreparedAction> {
  const { tab, pointer } = context
  const { element, at, matches } = await awaitActionable(context, wanted, forClick)
  element.release()
  const intercept = (enabled: boolean) =>
    tab.call('Page.setInterceptFileChooserDialog', { enabled })
  return {
    matches,
    async run() {
      const chooser = chooserOf(context)
      try {
        await intercept(true)
        await pointer.click(tab, at, 'left')
        const backendNodeId = await chooser.opened
        if (backendNodeId === undefined) throw noChooserError(wanted)
        const files = [await made()]
        await tab.send('DOM.setFileInputFiles', { files, backendNodeId })
        return undefined
      } finally {
        chooser.stop()
        await intercept(false)
      }
    },
  }
}

function chooserOf({ tab }: ActionContext) {
  let stop = () => {}
  const opened = new Promise<number | undefined>((resolve) => {
    const timer = tab.clock.timer(pageLimits.fileChooserMs, () => resolve(undefined))
    const off = tab.on('Page.fileChooserOpened', ({ backendNodeId }) =>
      resolve(backendNodeId as number | undefined),
    )
    stop = () => {
      timer.cancel()
      off()
    }
  })
  return { opened, stop }
}

function bytesOf({ content, base64 }: FileToUpload): () => Readable {
  if (base64 && !/^[A-Za-z0-9+/_-]*={0,2}$/.test(content.replace(/\s+/g, ''))) {
    const message = 'content is not valid base64; omit base64 for text.'
    throw new ServiceError('bad_request', message, { field: 'content' })
  }
  const bytes = Buffer.from(content, base64 ? 'base64' : 'utf8')
  return () => Readable.from([bytes])
}

function noChooserError({ target }: ActionTarget): ServiceError {
  const message = `${target} is not a file input, and clicking it opened no file chooser.`
  return new ServiceError('bad_request', message, { field: 'target' })
}

function disabledTargetError({ target }: ActionTarget): ServiceError {
  const message = `${target} is disabled.`
  return new ServiceError('not_actionable', message, { why: 'disabled' })
}
