/** Reading the selected tab, and capturing page or desktop. */
import type { CommandInput, CommandOutput } from '../../../proto/commands/catalogue.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { assertPrintable } from '../../logins/printable.ts'
import { boxOf } from '../../page/targeting/boxes.ts'
import type { ActionContext } from '../../page/actions/acting.ts'
import { awaitTarget, refOf } from '../../page/targeting/targets.ts'
import { findWordPlaces } from '../../page/targeting/word-places.ts'
import type { ElementRef } from '../../page/snapshot/refs.ts'
import { printToPdf } from '../../page/actions/printing.ts'
import type { CommandContext } from '../command-context.ts'
import type { HandlersOf } from './handler.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

export const readingHandlers: HandlersOf<
  | 'snapshot'
  | 'find'
  | 'extract_text'
  | 'screenshot'
  | 'console'
  | 'network'
  | 'response_body'
  | 'pdf'
> = {
  snapshot: (context, { target, urls, boxes, max_tokens: maxTokens }) =>
    context.look(async (actionContext) => {
      const within = await partOf(actionContext, target)
      return actionContext.view.snapshot({ within, urls, boxes, maxTokens })
    }),
  find: (context, { text, boxes, max_tokens }) =>
    context.read(async (actionContext) => {
      const found = await actionContext.view.find(text, max_tokens)
      return boxes ? { ...found, places: await findWordPlaces(actionContext, text) } : found
    }),
  extract_text: (context, { target, format, max_chars: maxChars }) =>
    context.read(async (actionContext) => {
      const within = await partOf(actionContext, target)
      return actionContext.view.extract({ within, format, maxChars })
    }),
  screenshot: (context, input) =>
    input.source === 'desktop' ? desktopPicture(context, input) : pagePicture(context, input),
  async console(context) {
    const { tab } = await context.actionContext()
    return { lines: [...(await context.recorder.console(tab))] }
  },
  async network(context, { bodies }) {
    const { tab } = await context.actionContext()
    return { requests: [...(await context.recorder.network(tab, bodies))] }
  },
  async response_body(context, { id }) {
    const { tab } = await context.actionContext()
    return context.recorder.body(tab, id)
  },
  async pdf(context, input) {
    const place = await context.actionContext()
    await assertPrintable(place, context.logins.filled)
    return { pdf: await printToPdf(place.tab, input) }
  },
}

/** Waits a limited time for the element. */
async function partOf(
  actionContext: ActionContext,
  target: string | undefined,
): Promise<ElementRef | undefined> {
  if (target === undefined) return undefined
  return refOf(await awaitTarget(actionContext, target, commandLimits.selectorMs))
}

async function pagePicture(
  context: CommandContext,
  input: CommandInput<'screenshot'>,
): Promise<CommandOutput<'screenshot'>> {
  const { target, full_page: fullPage, format, quality, width, height } = input
  const { max_width: maxWidth, max_height: maxHeight } = input
  if ((width === undefined) !== (height === undefined)) {
    throw refusedError('width', 'width and height must be sent together.')
  }
  const { marks } = input
  if (marks && width !== undefined) {
    throw refusedError('marks', 'Marks are drawn on the page as it is: omit width and height.')
  }
  const box =
    target === undefined
      ? undefined
      : await boxOf(await context.actionContext(), { target, timeoutMs: commandLimits.selectorMs })
  const viewport = width === undefined || height === undefined ? undefined : { width, height }
  const { scroll_through: scrollThrough } = input
  const { cutFrom, ...picture } = await context.page.screenshot({
    box,
    fullPage,
    scrollThrough,
    format,
    quality,
    maxWidth,
    maxHeight,
    viewport,
    marks: marks ? await (await context.actionContext()).view.places(!fullPage) : undefined,
  })
  return { ...picture, ...(cutFrom && { cut_from: cutFrom }) }
}

async function desktopPicture(
  { desktop }: CommandContext,
  { target, full_page, format, max_width, max_height, width, marks }: CommandInput<'screenshot'>,
): Promise<CommandOutput<'screenshot'>> {
  if (!desktop) {
    const message =
      'A headless session has no desktop; request the page, or create a headful session.'
    throw refusedError('source', message)
  }
  const sizes = [target, max_width, max_height, width]
  if (full_page || marks || format !== 'png' || sizes.some((each) => each !== undefined)) {
    throw refusedError(
      'source',
      'A screenshot of the desktop is always whole and PNG; omit other options, or use source ' +
        'page.',
    )
  }
  const { png, left, top } = await desktop.screenshot()
  return { image: png, type: 'image/png', left, top, scale: 1 }
}

function refusedError(field: string, message: string): ServiceError {
  return new ServiceError('bad_request', message, { field })
}
