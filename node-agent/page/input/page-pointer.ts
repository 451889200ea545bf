/** Mouse input for a browser without a display. Positions are in page pixels. */
import type { MouseButton } from '../../../proto/commands/os-control/pointer.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { inPage } from '../tabs/in-page.ts'
import { sleep, type Clock } from '../../../runtime/lib/clock.ts'
import type { Point } from '../../input/input-device.ts'
import { dragPath } from '../../input/pointer-path.ts'
import type { Tab } from '../tabs/tab.ts'
import { nodeAgentLimits } from '../../limits.ts'
import { pageLimits } from '../limits.ts'

const bitOf = { left: 1, right: 2, middle: 4 } as const
const { innerSize } = inPage

export class PagePointer {
  readonly #clock: Clock
  /** Kept between calls: a press and later moves make a drag. */
  readonly #down = new Set<MouseButton>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async move(tab: Tab, to: Point): Promise<void> {
    await mustBeInside(tab, to)
    await this.#move(tab, to)
  }

  /**
   * Resolves when the browser has accepted the motion, which the page gets with its next frame.
   * Later input to the same page stays behind it in order.
   */
  async beginMove(tab: Tab, to: Point): Promise<void> {
    await mustBeInside(tab, to)
    const moved = this.#move(tab, to)
    // If the page closes or crashes after this returns, the next command fails instead of this one.
    moved.catch(() => undefined)
    await Promise.race([moved, tab.call('Target.getTargetInfo')])
  }

  async press(tab: Tab, at: Point, button: MouseButton): Promise<void> {
    await mustBeInside(tab, at)
    await Promise.all([this.#move(tab, at), this.#press(tab, at, button, 1)])
  }

  async release(tab: Tab, at: Point, button: MouseButton): Promise<void> {
    await mustBeInside(tab, at)
    await Promise.all([this.#move(tab, at), this.#release(tab, at, button, 1)])
  }

  async click(tab: Tab, at: Point, button: MouseButton, times = 1): Promise<void> {
    await mustBeInside(tab, at)
    await this.clickInside(tab, at, button, times)
  }

  /** For a place that is known to be inside the page. */
  async clickInside(tab: Tab, at: Point, button: MouseButton, times: number): Promise<void> {
    // Sent together: a motion alone is answered only with the next frame, but a press flushes it.
    const events = [this.#move(tab, at)]
    for (let count = 1; count <= times; count++) {
      events.push(this.#press(tab, at, button, count), this.#release(tab, at, button, count))
    }
    await Promise.all(events)
  }

  async drag(tab: Tab, from: Point, to: Point, button: MouseButton): Promise<void> {
    await mustBeInside(tab, { startX: from.x, startY: from.y, endX: to.x, endY: to.y })
    await this.#holding(tab, from, button, async (moveTo) => {
      for (const point of [...dragPath(from, to), to]) {
        await moveTo(point)
        await sleep(this.#clock, nodeAgentLimits.dragStepMs)
      }
    })
  }

  /**
   * Drags along a path and then to the destination, which is located while the button is down. If
   * that fails, the button is released at the current position. The page draws a frame for each
   * motion.
   */
  async dragAlong(
    tab: Tab,
    from: Point,
    path: readonly Point[],
    find: () => Promise<Point | undefined>,
  ): Promise<void> {
    // A native drag starts with the first motion at the position of the press, so it must come
    // before the page is scrolled.
    const [first] = path
    const near = first ?? nudged(from)
    await this.#holding(tab, from, 'left', async (moveTo) => {
      const along = async (points: readonly Point[]) => {
        for (const point of points) await this.#forFrame(() => moveTo(point))
      }
      await along([...stepsTo(from, near, pageLimits.dragNudgeSteps), ...path.slice(1)])
      const end = await find()
      // The last motion is sent twice, because pages take the position of a drop from the motion
      // before it.
      if (end) await along([...stepsTo(path.at(-1) ?? near, end, pageLimits.dragSteps), end])
    })
  }

  /**
   * On headful browsers, motions of a native drag are answered before the page has handled them.
   */
  async #forFrame(motion: () => Promise<void>): Promise<void> {
    const sinceMs = this.#clock.monotonic()
    await motion()
    const leftMs = sinceMs + pageLimits.dragMotionMs - this.#clock.monotonic()
    if (leftMs > 0) await sleep(this.#clock, leftMs)
  }

  /** Moves with the button down; the button is released at the last position. */
  async #holding(
    tab: Tab,
    from: Point,
    button: MouseButton,
    motions: (moveTo: (to: Point) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    let at = from
    await this.#move(tab, from)
    await this.#press(tab, from, button, 1)
    try {
      await motions((to) => {
        at = to
        return this.#move(tab, to)
      })
    } finally {
      await this.#release(tab, at, button, 1)
    }
  }

  /** A unit equals a wheel notch under X, so that both kinds of sessions scroll equally. */
  async scroll(tab: Tab, at: Point, delta: Point, steps: number): Promise<void> {
    await this.move(tab, at)
    const px = (units: number) => (Math.round(units) * pageLimits.wheelUnitPx) / steps
    for (let step = 0; step < steps; step++) {
      await tab.deliver('Input.dispatchMouseEvent', {
        type: 'mouseWheel',
        ...{ x: at.x, y: at.y, deltaX: px(delta.x), deltaY: px(delta.y) },
      })
      if (steps > 1) await sleep(this.#clock, nodeAgentLimits.scrollStepMs)
    }
  }

  #move(tab: Tab, { x, y }: Point): Promise<void> {
    const [button = 'none'] = this.#down
    return tab.deliver('Input.dispatchMouseEvent', {
      type: 'mouseMoved',
      ...{ x, y, button, buttons: this.#mask() },
    })
  }

  #press(tab: Tab, { x, y }: Point, button: MouseButton, clickCount: number): Promise<void> {
    this.#down.add(button)
    return tab.deliver('Input.dispatchMouseEvent', {
      type: 'mousePressed',
      ...{ x, y, button, clickCount, buttons: this.#mask() },
    })
  }

  /** A page that has opened a dialog since the press has released the button itself. */
  async #release(tab: Tab, { x, y }: Point, button: MouseButton, clickCount: number) {
    this.#down.delete(button)
    if (tab.dialog) return
    await tab.deliver('Input.dispatchMouseEvent', {
      type: 'mouseReleased',
      ...{ x, y, button, clickCount, buttons: this.#mask() },
    })
  }

  #mask(): number {
    return [...this.#down].reduce((mask, button) => mask | bitOf[button], 0)
  }
}

const nudged = ({ x, y }: Point): Point => ({
  x: x + pageLimits.dragNudgePx,
  y: y + pageLimits.dragNudgePx,
})

/** Points from `from` (exclusive) to `to`, at equal distances. */
function stepsTo(from: Point, to: Point, count: number): readonly Point[] {
  return Array.from({ length: count }, (_, i) => {
    const at = (a: number, b: number) => a + ((b - a) * (i + 1)) / count
    return { x: at(from.x, to.x), y: at(from.y, to.y) }
  })
}

/** `fields` have their names in the request; the first one outside is reported. */
async function mustBeInside(tab: Tab, fields: Point | Readonly<Record<string, number>>) {
  const { width, height } = await tab.evaluate(innerSize)
  for (const [field, value] of Object.entries(fields)) {
    const end = field.endsWith('x') || field.endsWith('X') ? width : height
    if (value >= 0 && value < end) continue
    const size = `${width}x${height}`
    const message = `${field} is ${value}, outside the page of ${size}.`
    throw new ServiceError('bad_request', message, { field, page: size })
  }
}
