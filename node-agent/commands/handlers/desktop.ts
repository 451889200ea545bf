/** Mouse, keyboard and clipboard commands, with coordinates as on the screen. */
import type { CommandInput } from '../../../proto/commands/catalogue.ts'
import { limits } from '../../../proto/limits.ts'
import type { Point } from '../../hands.ts'
import type { Workbench } from '../workbench.ts'
import { done, type HandlersOf } from './handler.ts'

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
  async mouse_click(bench, { button, ...target }) {
    const at = await placeOf(bench, target)
    await bench.hands((hands) => hands.click(at, button))
    return done
  },
  async mouse_double_click(bench, { button, ...at }) {
    await bench.hands((hands) => hands.doubleClick(at, button))
    return done
  },
  async mouse_down(bench, { button, ...at }) {
    await bench.hands((hands) => hands.press(at, button))
    return done
  },
  async mouse_up(bench, { button, ...at }) {
    await bench.hands((hands) => hands.release(at, button))
    return done
  },
  async mouse_move(bench, at) {
    await bench.hands((hands) => hands.move(at))
    return done
  },
  async drag_and_drop(bench, { startX, startY, endX, endY, button }) {
    const [from, to] = [
      { x: startX, y: startY },
      { x: endX, y: endY },
    ]
    await bench.hands((hands) => hands.drag(from, to, button))
    return done
  },
  async scroll(bench, { x, y, deltaX, deltaY, steps, useOs }) {
    const delta = { x: deltaX, y: deltaY }
    if (useOs) await bench.hands((hands) => hands.scroll({ x, y }, delta, steps))
    else {
      const at = await onPage(bench, { x, y })
      await bench.pageHands((hands) => hands.scroll(at, delta, steps))
    }
    return done
  },
  async keyboard_type(bench, { text, delay }) {
    await bench.hands((hands) => hands.type(text, delay))
    return done
  },
  async keyboard_shortcut(bench, { keys, holdTime }) {
    await bench.hands((hands) => hands.shortcut(keys, holdTime))
    return done
  },
  async clipboard_read(bench) {
    return { text: await bench.hands((hands) => hands.readClipboard()) }
  },
  async clipboard_write(bench, { text }) {
    await bench.hands((hands) => hands.writeClipboard(text))
    return done
  },
  async copy(bench) {
    return { text: await bench.hands((hands) => hands.copy()) }
  },
  async paste(bench, { text }) {
    await bench.hands((hands) => hands.paste(text))
    return done
  },
}

/**
 * Looks for the element before the turn begins, because others may use the mouse and keyboard
 * meanwhile.
 */
async function placeOf(
  bench: Workbench,
  target: Omit<CommandInput<'mouse_click'>, 'button'>,
): Promise<Point> {
  const { selector, index, timeout, selectorTimeoutMs, x = 0, y = 0 } = target
  if (selector === undefined) return { x, y }
  const timeoutMs = timeout ?? selectorTimeoutMs ?? limits.selectorMs
  return bench.page.locate({ selector, index, timeoutMs })
}

/** Converts to page pixels. A point above or left of the page counts as its edge. */
async function onPage({ page }: Workbench, at: Point): Promise<Point> {
  const { left, top, scale } = await page.origin()
  return { x: Math.max(0, (at.x - left) / scale), y: Math.max(0, (at.y - top) / scale) }
}
