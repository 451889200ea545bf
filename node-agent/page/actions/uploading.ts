/**
 * Sets files, uploaded before or created from given content, on a file input, or in the chooser that a button
 * opens, or drops it where a page takes dropped files.
 */
import { Readable } from 'node:stream'
import { ServiceError } from '../../../proto/errors.ts'
import { inPage } from '../tabs/in-page.ts'
import type { PreparedAction, ActionContext } from './acting.ts'
import { awaitActionable, forClick, type ActionTarget } from '../targeting/actionable.ts'
import { awaitTarget } from '../targeting/targets.ts'
import { pageLimits } from '../limits.ts'
import { dropFiles } from './dropping.ts'

interface GivenFile {
  readonly name: string
  readonly content: string
  readonly base64: boolean
}

/** What is given with the command, or what was uploaded before. */
export type FileToUpload = GivenFile | { readonly path: string }

/** Stores the file and returns its path. */
export type SaveFile = (name: string, content: Readable) => Promise<string>

const { fileInputOf, isDisabled, takesMany } = inPage

/** A file input need not be visible: most pages hide theirs behind a button. */
export async function uploadFiles(
  context: ActionContext,
  wanted: ActionTarget,
  files: readonly FileToUpload[],
  store: SaveFile,
): Promise<PreparedAction> {
  const sources = files.map((file) => sourceOf(file, store))
  const made = async () => {
    const paths: string[] = []
    for (const source of sources) paths.push(await source())
    return paths
  }
  const { element, matches } = await awaitTarget(context, wanted.target, wanted.timeoutMs)
  const input = await element.other(fileInputOf)
  element.release()
  if (!input) return throughChooser(context, wanted, files.length, made)
  if (await input.call(isDisabled)) throw disabledTargetError(wanted)
  if (files.length > 1 && !(await input.call(takesMany))) throw oneFileError(wanted)
  return {
    matches,
    async run() {
      await input.send('DOM.setFileInputFiles', { files: await made() })
      input.release()
      return undefined
    },
  }
}

/**
 * The chooser is intercepted, so it does not appear, and the file is set on the input it was for.
 * Most places that take dropped files open one too when they are clicked, so that is tried first.
 */
async function throughChooser(
  context: ActionContext,
  wanted: ActionTarget,
  count: number,
  made: () => Promise<string[]>,
): Promise<PreparedAction> {
  const { tab, pointer } = context
  const { element, at, matches } = await awaitActionable(context, wanted, forClick)
  const intercept = (enabled: boolean) =>
    tab.call('Page.setInterceptFileChooserDialog', { enabled })
  return {
    matches,
    async run() {
      const chooser = chooserOf(context)
      try {
        await intercept(true)
        await pointer.click(tab, at, 'left')
        const opened = await chooser.opened
        if (opened && count > 1 && !opened.takesMany) throw oneFileError(wanted)
        const files = await made()
        if (opened) {
          await tab.send('DOM.setFileInputFiles', { files, backendNodeId: opened.backendNodeId })
        } else if (!(await dropFiles(tab, element, at, files))) throw noChooserError(wanted)
        return undefined
      } finally {
        chooser.stop()
        element.release()
        await intercept(false)
      }
    },
  }
}

interface OpenedChooser {
  readonly backendNodeId: number
  readonly takesMany: boolean
}

function chooserOf({ tab }: ActionContext) {
  let stop = () => {}
  const opened = new Promise<OpenedChooser | undefined>((resolve) => {
    const timer = tab.clock.timer(pageLimits.fileChooserMs, () => resolve(undefined))
    const off = tab.on('Page.fileChooserOpened', ({ backendNodeId, mode }) =>
      resolve(
        backendNodeId === undefined
          ? undefined
          : { backendNodeId, takesMany: mode === 'selectMultiple' },
      ),
    )
    stop = () => {
      timer.cancel()
      off()
    }
  })
  return { opened, stop }
}

/** Makes the file and returns its path. Throws at once for content that is none. */
function sourceOf(file: FileToUpload, store: SaveFile): () => Promise<string> {
  if ('path' in file) return async () => file.path
  const content = bytesOf(file)
  return () => store(file.name, content())
}

function bytesOf({ content, base64 }: GivenFile): () => Readable {
  if (base64 && !/^[A-Za-z0-9+/_-]*={0,2}$/.test(content.replace(/\s+/g, ''))) {
    const message = 'content is not valid base64; omit base64 for text.'
    throw new ServiceError('bad_request', message, { field: 'content' })
  }
  const bytes = Buffer.from(content, base64 ? 'base64' : 'utf8')
  return () => Readable.from([bytes])
}

function oneFileError({ target }: ActionTarget): ServiceError {
  return new ServiceError('bad_request', `${target} takes only one file.`, { field: 'more' })
}

function noChooserError({ target }: ActionTarget): ServiceError {
  const message =
    `${target} is not a file input, clicking it opened no file chooser, and the page takes no ` +
    'files that are dropped on it.'
  return new ServiceError('bad_request', message, { field: 'target' })
}

function disabledTargetError({ target }: ActionTarget): ServiceError {
  const message = `${target} is disabled.`
  return new ServiceError('not_actionable', message, { why: 'disabled' })
}
