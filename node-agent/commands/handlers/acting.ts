/** Actions on elements of the selected tab. */
import { targetOf } from '../../../proto/commands/target.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { selectOption } from '../../page/acting/choosing.ts'
import { evaluate } from '../../page/acting/evaluating.ts'
import { click, drag, hover } from '../../page/acting/pointing.ts'
import { scrollPage } from '../../page/acting/scrolling.ts'
import { answersDialog, press, type } from '../../page/acting/typing.ts'
import { upload } from '../../page/acting/uploading.ts'
import type { HandlersOf } from './handler.ts'
import { done } from './handler.ts'

interface Aimed {
  readonly target?: string | undefined
  readonly selector?: string | undefined
  readonly timeout: number
}

const wantedOf = (input: Aimed) => ({ target: targetOf(input), timeoutMs: input.timeout })

export const actingHandlers: HandlersOf<
  | 'click'
  | 'type'
  | 'press'
  | 'hover'
  | 'select_option'
  | 'drag'
  | 'scroll_page'
  | 'upload'
  | 'attach_upload'
  | 'handle_dialog'
  | 'evaluate'
> = {
  click: (bench, input) => bench.act((stage) => click(stage, wantedOf(input), input)),
  type: (bench, input) => bench.act((stage) => type(stage, wantedOf(input), input)),
  async press(bench, { key }) {
    const { tab } = await bench.stage()
    const answer = tab.dialog && answersDialog(key)
    if (answer !== undefined) return bench.answerDialog(answer)
    return bench.act((stage) => press(stage, key))
  },
  hover(bench, { x, y, ...input }) {
    const over = x !== undefined && y !== undefined ? { x, y } : wantedOf(input)
    return bench.act((stage) => hover(stage, over))
  },
  select_option(bench, { values, value, label, ...input }) {
    const chosen = [...(values ?? []), value, label].filter((one) => one !== undefined)
    return bench.act((stage) => selectOption(stage, wantedOf(input), chosen))
  },
  drag: (bench, { from, to, timeout: timeoutMs }) =>
    bench.act((stage) => drag(stage, { target: from, timeoutMs }, { target: to, timeoutMs })),
  scroll_page(bench, { target, pages, timeout: timeoutMs }) {
    const wanted = target === undefined ? undefined : { target, timeoutMs }
    return bench.act((stage) => scrollPage(stage, wanted, pages))
  },
  async upload(bench, input) {
    const { store } = bench.uploads
    const answer = await bench.act((stage) => upload(stage, wantedOf(input), input, store))
    await bench.desktop?.closeFileChoosers()
    return answer
  },
  async attach_upload(bench, { id, selector, index }) {
    const path = bench.uploads.pathOf(id)
    await bench.page.setFiles({ selector, index, timeoutMs: limits.selectorMs }, [path])
    await bench.desktop?.closeFileChoosers()
    return done
  },
  handle_dialog: (bench, { accept, text }) => bench.answerDialog(accept, text),
  async evaluate(bench, { expression }) {
    if (!bench.mayEvaluate) throw forbidden()
    const { tab } = await bench.stage()
    return { value: await evaluate(tab, expression) }
  },
}

function forbidden(): ServiceError {
  const message =
    'This session may not run scripts; create one with browser.evaluate.active to have it run them.'
  return new ServiceError('forbidden', message)
}
