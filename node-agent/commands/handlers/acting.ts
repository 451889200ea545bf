/** Actions on elements of the selected tab. */
import { targetOfInput } from '../../../proto/commands/target.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { fillLogin } from '../../logins/fill-login.ts'
import { chooseOption } from '../../page/actions/choosing.ts'
import { evaluateScript } from '../../page/actions/evaluating.ts'
import { dragElement, hoverElement } from '../../page/actions/pointing.ts'
import { clickElement } from '../../page/actions/pressing.ts'
import { scrollByPages } from '../../page/actions/scrolling.ts'
import { selectText } from '../../page/actions/selecting.ts'
import { answersDialog, pressKey, typeText } from '../../page/actions/typing/typing.ts'
import { uploadFiles } from '../../page/actions/uploading.ts'
import type { Point } from '../../input/input-device.ts'
import type { HandlersOf } from './handler.ts'
import { noResult } from './handler.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

interface TargetInput {
  readonly target?: string | undefined
  readonly selector?: string | undefined
  readonly timeout: number
}

const pointOf = (pair: readonly number[] | undefined): Point | undefined =>
  pair && { x: pair[0]!, y: pair[1]! }

const actionTargetOf = (input: TargetInput) => ({
  target: targetOfInput(input),
  timeoutMs: input.timeout,
})

export const actingHandlers: HandlersOf<
  | 'click'
  | 'type'
  | 'press'
  | 'hover'
  | 'select_option'
  | 'select_text'
  | 'drag'
  | 'scroll_page'
  | 'upload'
  | 'attach_upload'
  | 'fill_login'
  | 'handle_dialog'
  | 'evaluate'
> = {
  click: (context, input) =>
    context.act((actionContext) => clickElement(actionContext, actionTargetOf(input), input)),
  type: (context, input) =>
    context.act((actionContext) => typeText(actionContext, actionTargetOf(input), input)),
  async press(context, { key }) {
    const { tab } = await context.actionContext()
    const answer = tab.dialog && answersDialog(key)
    if (answer !== undefined) return context.answerDialog(answer)
    return context.act((actionContext) => pressKey(actionContext, key))
  },
  hover(context, { x, y, ...input }) {
    const over = x !== undefined && y !== undefined ? { x, y } : actionTargetOf(input)
    return context.act((actionContext) => hoverElement(actionContext, over))
  },
  select_option(context, { values, value, label, ...input }) {
    const chosen = [...(values ?? []), value, label].filter((one) => one !== undefined)
    return context.act((actionContext) =>
      chooseOption(actionContext, actionTargetOf(input), chosen),
    )
  },
  select_text(context, { target, selector, timeout: timeoutMs, ...span }) {
    const named = target ?? selector
    const wanted = named === undefined ? undefined : { target: named, timeoutMs }
    return context.act((actionContext) => selectText(actionContext, wanted, span))
  },
  drag(context, { from, to, from_offset, to_offset, by, path, timeout: timeoutMs }) {
    const goal = to === undefined ? undefined : { target: to, timeoutMs }
    const offsets = { fromOffset: pointOf(from_offset), toOffset: pointOf(to_offset) }
    const options = { ...offsets, to: goal, by, path: path?.map((pair) => pointOf(pair)!) }
    return context.act((actionContext) =>
      dragElement(actionContext, { target: from, timeoutMs }, options),
    )
  },
  scroll_page(context, { target, pages, timeout: timeoutMs }) {
    const wanted = target === undefined ? undefined : { target, timeoutMs }
    return context.act((actionContext) => scrollByPages(actionContext, wanted, pages))
  },
  async upload(context, input) {
    const { name, content, base64, more = [], uploads = [] } = input
    const first = name === undefined || content === undefined ? [] : [{ name, content, base64 }]
    const files = [
      ...first,
      ...more,
      ...uploads.map((id) => ({ path: context.uploads.pathOf(id) })),
    ]
    const { store } = context.uploads
    const answer = await context.act((actionContext) =>
      uploadFiles(actionContext, actionTargetOf(input), files, store),
    )
    await context.desktop?.closeFileChoosers()
    return answer
  },
  async attach_upload(context, { id, selector, index }) {
    const path = context.uploads.pathOf(id)
    await context.page.setFiles({ selector, index, timeoutMs: commandLimits.selectorMs }, [path])
    await context.desktop?.closeFileChoosers()
    return noResult
  },
  async fill_login(context, { login, submit, timeout: timeoutMs }) {
    const ticket = context.loginTicket(login)
    if (ticket === undefined) throw new Error('a command to fill in a login came without a ticket')
    let filled: readonly [login: string, parts: readonly string[]] | undefined
    const order = { ticket, submit, timeoutMs, ...context.logins }
    const onFilled = (...done: NonNullable<typeof filled>) => (filled = done)
    const result = await context.act((actionContext) =>
      fillLogin(actionContext, { ...order, onFilled }),
    )
    const [name = '', parts = []] = filled ?? []
    return { ...result, login: name, filled: [...parts] }
  },
  handle_dialog: (context, { accept, text }) => context.answerDialog(accept, text),
  async evaluate(context, { expression }) {
    if (!context.mayEvaluate) throw forbiddenError()
    const { tab } = await context.actionContext()
    return { value: await evaluateScript(tab, expression) }
  },
}

function forbiddenError(): ServiceError {
  const message = 'This session does not allow scripts; create one with browser.evaluate.active.'
  return new ServiceError('forbidden', message)
}
