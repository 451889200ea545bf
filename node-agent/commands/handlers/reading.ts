/** Reading the selected tab, and capturing page or desktop. */
import type { CommandInput, CommandOutput } from '../../../proto/commands/catalogue.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { boxOf } from '../../page/acting/boxes.ts'
import type { Stage } from '../../page/acting/acting.ts'
import { awaitTarget, refOf } from '../../page/acting/targets.ts'
import type { ElementRef } from '../../page/snapshot/refs.ts'
import { print } from '../../page/acting/printing.ts'
import type { Workbench } from '../workbench.ts'
import type { HandlersOf } from './handler.ts'

export const readingHandlers: HandlersOf<
  'snapshot' | 'find' | 'extract_text' | 'screenshot' | 'console' | 'network' | 'pdf'
> = {
  snapshot: (bench, { target, urls, max_tokens: maxTokens }) =>
    bench.read(async (stage) => {
      const within = await partOf(stage, target)
      return stage.view.snapshot({ within, urls, maxTokens })
    }),
  find: (bench, { text, max_tokens }) => bench.read(({ view }) => view.find(text, max_tokens)),
  extract_text: (bench, { target, format, max_chars: maxChars }) =>
    bench.read(async (stage) => {
      const within = await partOf(stage, target)
      return stage.view.extract({ within, format, maxChars })
    }),
  screenshot: (bench, input) =>
    input.source === 'desktop' ? desktopPicture(bench, input) : pagePicture(bench, input),
  async console(bench) {
    const { tab } = await bench.stage()
    return { lines: [...(await bench.recorder.console(tab))] }
  },
  async network(bench) {
    const { tab } = await bench.stage()
    return { requests: [...(await bench.recorder.network(tab))] }
  },
  async pdf(bench, input) {
    const { tab } = await bench.stage()
    return { pdf: await print(tab, input) }
  },
}

/** Waits a limited time for the element. */
async function partOf(stage: Stage, target: string | undefined): Promise<ElementRef | undefined> {
  if (target === undefined) return undefined
  return refOf(await awaitTarget(stage, target, performance.now() + limits.selectorMs))
}

async function pagePicture(
  bench: Workbench,
  input: CommandInput<'screenshot'>,
): Promise<CommandOutput<'screenshot'>> {
  const { target, full_page: fullPage, format, quality, width, height } = input
  const { max_width: maxWidth, max_height: maxHeight } = input
  if ((width === undefined) !== (height === undefined)) {
    throw refused('width', 'width and height must come together.')
  }
  const box =
    target === undefined
      ? undefined
      : await boxOf(await bench.stage(), { target, timeoutMs: limits.selectorMs })
  const viewport = width === undefined || height === undefined ? undefined : { width, height }
  const { scroll_through: scrollThrough } = input
  return bench.page.screenshot({
    box,
    fullPage,
    scrollThrough,
    format,
    quality,
    maxWidth,
    maxHeight,
    viewport,
  })
}

async function desktopPicture(
  { desktop }: Workbench,
  { target, full_page, format, max_width, max_height, width }: CommandInput<'screenshot'>,
): Promise<CommandOutput<'screenshot'>> {
  if (!desktop) {
    const message =
      'A headless session has no desktop; ask for the page, or create a headful session.'
    throw refused('source', message)
  }
  const sizes = [target, max_width, max_height, width]
  if (full_page || format !== 'png' || sizes.some((each) => each !== undefined)) {
    throw refused('source', 'A picture of the desktop is whole and PNG; ask for the page instead.')
  }
  const { png, left, top } = await desktop.screenshot()
  return { image: png, type: 'image/png', left, top, scale: 1 }
}

function refused(field: string, message: string): ServiceError {
  return new ServiceError('bad_request', message, { field })
}
