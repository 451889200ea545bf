/** Mouse, keyboard and clipboard commands, in screen coordinates. */
import type { CommandInput } from '../../../proto/commands/catalogue.ts'
import type { Point } from '../../input/input-device.ts'
import type { CommandContext } from '../command-context.ts'
import { noResult, type HandlersOf } from './handler.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

export const desktopHandlers: HandlersOf<
  | 'mouse_click'
  | 'mouse_double_click'
  | 'mouse_down'
  | 'mouse_up'
  | 'mouse_move'
  | 'drag_and_drop'
  | 'scroll'
  | 'keyboard_type'
  | 'keyboard_shortcut'
  | 'clipboard_read'
  | 'clipboard_write'
  | 'copy'
  | 'paste'
> = {
  async mouse_click(context, { button, ...target }) {
    const at = await placeOf(context, target)
    await context.withInputDevice((device) => device.click(at, button))
    return noResult
  },
  async mouse_double_click(context, { button, ...at }) {
    await context.withInputDevice((device) => device.doubleClick(at, button))
    return noResult
  },
  async mouse_down(context, { button, ...at }) {
    await context.withInputDevice((device) => device.press(at, button))
    return noResult
  },
  async mouse_up(context, { button, ...at }) {
    await context.withInputDevice((device) => device.release(at, button))
    return noResult
  },
  async mouse_move(context, at) {
    await context.withInputDevice((device) => device.move(at))
    return noResult
  },
  async drag_and_drop(context, { startX, startY, endX, endY, button }) {
    const [from, to] = [
      { x: startX, y: startY },
      { x: endX, y: endY },
    ]
    await context.withInputDevice((device) => device.drag(from, to, button))
    return noResult
  },
  async scroll(context, { x, y, deltaX, deltaY, steps, useOs }) {
    const delta = { x: deltaX, y: deltaY }
    if (useOs) await context.withInputDevice((device) => device.scroll({ x, y }, delta, steps))
    else {
      const at = await onPage(context, { x, y })
      await context.withPageInput((device) => device.scroll(at, delta, steps))
    }
    return noResult
  },
  async keyboard_type(context, { text, delay }) {
    await context.withInputDevice((device) => device.type(text, delay))
    return noResult
  },
  async keyboard_shortcut(context, { keys, holdTime }) {
    await context.withInputDevice((device) => device.shortcut(keys, holdTime))
    return noResult
  },
  async clipboard_read(context) {
    return { text: await context.withInputDevice((device) => device.readClipboard()) }
  },
  async clipboard_write(context, { text }) {
    await context.withInputDevice((device) => device.writeClipboard(text))
    return noResult
  },
  async copy(context) {
    return { text: await context.withInputDevice((device) => device.copy()) }
  },
  async paste(context, { text }) {
    await context.withInputDevice((device) => device.paste(text))
    return noResult
  },
}

/**
 * Locates the element before the turn begins, because others may use the mouse and keyboard
 * meanwhile.
 */
async function placeOf(
  context: CommandContext,
  target: Omit<CommandInput<'mouse_click'>, 'button'>,
): Promise<Point> {
  const { selector, index, timeout, selectorTimeoutMs, x = 0, y = 0 } = target
  if (selector === undefined) return { x, y }
  const timeoutMs = timeout ?? selectorTimeoutMs ?? commandLimits.selectorMs
  return context.page.locate({ selector, index, timeoutMs })
}

/** Converts to page pixels. A point above or left of the page counts as its edge. */
async function onPage({ page }: CommandContext, at: Point): Promise<Point> {
  const { left, top, scale } = await page.origin()
  return { x: Math.max(0, (at.x - left) / scale), y: Math.max(0, (at.y - top) / scale) }
}
