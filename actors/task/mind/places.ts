/** Places of the picture that a model was shown, as places of the screen. Pure. */
import type { Act } from '../thought.ts'

/** As `screenshot` answers it. */
export interface PictureFrame {
  readonly left: number
  readonly top: number
  /** Pixels of the picture for one of the page. */
  readonly scale: number
}

const across: ReadonlySet<string> = new Set(['x', 'startX', 'endX'])
const down: ReadonlySet<string> = new Set(['y', 'startY', 'endY'])

/** For `mouse_click` and `drag_and_drop`; other acts have no places. */
export function onScreen(act: Act, { left, top, scale }: PictureFrame): Act['input'] {
  if (act.command !== 'mouse_click' && act.command !== 'drag_and_drop') return act.input
  const place = ([name, value]: readonly [string, unknown]) => {
    if (typeof value !== 'number') return [name, value]
    if (across.has(name)) return [name, left + value / scale]
    return [name, down.has(name) ? top + value / scale : value]
  }
  return Object.fromEntries(Object.entries(act.input).map(place)) as Act['input']
}
